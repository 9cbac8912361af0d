//go:build unix

package microsandbox_test

import (
	"archive/tar"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// copied are the members of an archive of a path of the guest, which is one of
// this host.
func (m *machine) copied(t *testing.T, path string) map[string]string {
	t.Helper()
	stream, err := m.CopyFrom(t.Context(), "web", path)
	text := read(t, stream, err)
	members := map[string]string{}
	for r := tar.NewReader(strings.NewReader(text)); ; {
		header, err := r.Next()
		if err != nil {
			return members
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		members[strings.TrimSuffix(header.Name, "/")] = string(content)
	}
}

func (m *machine) shared(t *testing.T) []string {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(m.recordDir(t), "share", "copy-*"))
	if err != nil {
		t.Fatal(err)
	}
	return left
}

func TestCopyFrom(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	guest := t.TempDir()
	write(t, filepath.Join(guest, "-tree", "a b"), "content")
	if err := os.Symlink("-tree", filepath.Join(guest, "link")); err != nil {
		t.Fatal(err)
	}
	m.run(t, shell(forever))
	// As of a copy that was killed.
	write(t, filepath.Join(m.recordDir(t), "share", "copy-left"), "")
	want := map[string]string{"./-tree": "", "./-tree/a b": "content"}
	for _, path := range []string{"/-tree", "/-tree/", "/link"} {
		if diff := cmp.Diff(want, m.copied(t, guest+path)); diff != "" {
			t.Errorf("of %s (-want +got):\n%s", path, diff)
		}
		if left := m.shared(t); len(left) > 0 {
			t.Errorf("%q are left", left)
		}
	}
	// Nothing goes through the output of a command, which msb logs.
	call := m.fake.WaitForCall("exec")
	for _, c := range m.fake.Calls() {
		if strings.Contains(c.String(), "tar -c") {
			call = c
		}
	}
	if text := call.String(); !strings.Contains(text, "exec --stream --user=root --workdir=/ web -- /bin/sh -c ") ||
		!strings.Contains(text, " "+filepath.Join(guest, "link")+" /.rightsize/copy-") {
		t.Errorf("msb was told %s", text)
	}
	// Nor does the container have to run; a VM that is down comes up for it.
	if err := m.Stop(t.Context(), "web", backend.DefaultStopTimeout); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, m.copied(t, guest+"/-tree")); diff != "" {
		t.Errorf("when it has stopped (-want +got):\n%s", diff)
	}
	m.wantState(t, backend.StateExited, backend.Exit{Code: 7})
}

func TestCopyFromFails(t *testing.T) {
	t.Parallel()
	guest := t.TempDir()
	write(t, filepath.Join(guest, "file"), "content")
	for name, tc := range map[string]struct {
		prepare func(t *testing.T, m *machine)
		path    string
		kind    error
		field   backend.Field
		say     string
	}{
		"a missing path": {nil, guest + "/missing", backend.ErrNotFound, backend.FieldPath, "the container has no " + guest + "/missing"},
		"another container of the name": {
			func(t *testing.T, m *machine) { m.set(t, "share", "/elsewhere") },
			guest + "/file", backend.ErrNotFound, "", "",
		},
		"a container that is gone": {
			func(t *testing.T, m *machine) { m.unset(t, "status") },
			guest + "/file", backend.ErrNotFound, "", "",
		},
		"an image without tar": {
			func(t *testing.T, m *machine) { m.set(t, "fail-exec", "sh: tar: not found\n") },
			guest + "/file", nil, "", "tar: not found",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			m.run(t, shell(forever))
			if tc.prepare != nil {
				tc.prepare(t, m)
			}
			_, err := m.CopyFrom(t.Context(), "web", tc.path)
			wantError(t, err, tc.kind, tc.field, tc.say)
			if left := m.shared(t); len(left) > 0 {
				t.Errorf("%q are left", left)
			}
		})
	}
}

// What was in memory alone is not what the VM would come up with.
func TestCopyFromMemory(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	spec := shell(forever)
	spec.TmpfsRootMB = 64
	m.run(t, spec)
	if err := m.Stop(t.Context(), "web", backend.DefaultStopTimeout); err != nil {
		t.Fatal(err)
	}
	_, err := m.CopyFrom(t.Context(), "web", "/etc/passwd")
	wantError(t, err, backend.ErrUnsupported, "", "all that it held was in memory")
}

// A guest that puts something else in place of its archive gets no further.
func TestCopyFromHostileGuest(t *testing.T) {
	t.Parallel()
	for name, does := range map[string]string{
		"a link":      `ln -s /etc/passwd "$archive"`,
		"a pipe":      `mkfifo "$archive"`,
		"a directory": `mkdir "$archive"`,
		"nothing":     "",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			m.run(t, shell(forever))
			m.set(t, "guest", "for archive; do :; done\n"+does)
			stream, err := m.CopyFrom(t.Context(), "web", "/etc/hosts")
			if err == nil {
				_ = stream.Close()
				t.Error("it is taken for an archive")
			}
			m.unset(t, "guest")
			_ = m.copied(t, "/etc/hosts")
			if left := m.shared(t); len(left) > 0 {
				t.Errorf("%q are left", left)
			}
		})
	}
}
