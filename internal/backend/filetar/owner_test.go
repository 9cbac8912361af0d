package filetar

import (
	"io/fs"
	"strings"
	"testing"
)

func TestResolveOwner(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		passwdFile: "root:x:0:0:root:/root:/bin/sh\n# comment\n\nshort:x\npostgres:x:999:998::/:/bin/sh\nbad:x:abc:def::/:\n",
		groupFile:  "root:x:0:\nstaff:x:50:postgres\nbad:x::",
	}
	tests := map[string]struct {
		owner string
		want  owner
		err   string
	}{
		"none":                         {"", owner{}, ""},
		"user":                         {"postgres", owner{uid: 999}, ""},
		"user and login group":         {"postgres:", owner{uid: 999, gid: 998}, ""},
		"user and group":               {"postgres:staff", owner{uid: 999, gid: 50}, ""},
		"group":                        {":staff", owner{gid: 50}, ""},
		"uid":                          {"1234", owner{uid: 1234}, ""},
		"uid and gid":                  {"1234:5678", owner{uid: 1234, gid: 5678}, ""},
		"uid and group":                {"1234:staff", owner{uid: 1234, gid: 50}, ""},
		"uid and login group":          {"999:", owner{uid: 999, gid: 998}, ""},
		"unknown user":                 {"mysql", owner{}, `/etc/passwd of the container has no user "mysql"`},
		"unknown group":                {"postgres:mysql", owner{}, `/etc/group of the container has no group "mysql"`},
		"unknown uid's login group":    {"5:", owner{}, `no user "5"`},
		"a line that is cut short":     {"short", owner{}, `no user "short"`},
		"an id that is not a number":   {"bad", owner{}, `not a number`},
		"an id that is missing":        {"0:bad", owner{}, `not a number`},
		"a negative id is a user name": {"-1", owner{}, `no user "-1"`},
		"an id that is too large":      {"4294967296", owner{}, `no user "4294967296"`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			accounts := accounts{read: func(name string) ([]byte, error) { return []byte(files[name]), nil }}
			got, err := accounts.resolve(tt.owner)
			if (err != nil) != (tt.err != "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Fatalf("the error is %v, want %q", err, tt.err)
			}
			if got != tt.want {
				t.Errorf("%q is %+v, want %+v", tt.owner, got, tt.want)
			}
		})
	}
}

func TestResolveOwnerReadsWhenNeeded(t *testing.T) {
	t.Parallel()
	var reads []string
	accounts := accounts{read: func(name string) ([]byte, error) {
		reads = append(reads, name)
		return nil, fs.ErrNotExist
	}}
	for _, numeric := range []string{"", "1", "1:2"} {
		if _, err := accounts.resolve(numeric); err != nil {
			t.Fatal(err)
		}
	}
	if len(reads) > 0 {
		t.Errorf("numbers were looked up in %v", reads)
	}
	for range 2 {
		if _, err := accounts.resolve("app"); err == nil {
			t.Error("a user was found in a container without /etc/passwd")
		}
	}
	if len(reads) != 1 {
		t.Errorf("/etc/passwd was read %d times, want once: %v", len(reads), reads)
	}
}
