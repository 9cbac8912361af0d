package msb_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/msb"
)

func TestList(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		sample, stdout string
		want           []msb.Sandbox
		fails          bool
	}{
		"none": {stdout: "[]\n", want: []msb.Sandbox{}},
		"one":  {sample: "sandbox/ps-all", want: []msb.Sandbox{{Name: "s1", Status: msb.Stopped, Image: "bb:1"}}},
		"many": {sample: "sandbox/ps-many", want: []msb.Sandbox{
			{
				Name: "box2", Status: msb.Stopped, Image: "rightsize-test/busybox:1",
				Ports: []backend.PortBinding{{Port: backend.Port{Number: 80, Protocol: backend.UDP}, Host: 18080}},
			},
			{Name: "di", Status: msb.Stopped, Image: "rightsize-test/busybox:1"},
			{Name: "r1", Status: msb.Stopped, Image: "rightsize-test/busybox:1"},
			{Name: "tm", Status: msb.Stopped, Image: "rightsize-test/busybox:1"},
			{Name: "x", Status: msb.Stopped, Image: "rightsize-test/busybox:1"},
		}},
		"ports of others, members of other versions": {
			stdout: `[{"name":"w","status":"Paused","image":"a","group":"g","ports":["[::1]:18080->8080/tcp","h->x","1->2/sctp","","127.0.0.1:99999->1/tcp"]}]`,
			want: []msb.Sandbox{{
				Name: "w", Status: msb.Paused, Image: "a",
				Ports: []backend.PortBinding{{Port: backend.Port{Number: 8080, Protocol: backend.TCP}, Host: 18080}},
			}},
		},
		"not JSON":    {stdout: "web  Running\n", fails: true},
		"cut off":     {stdout: `[{"name":"w`, fails: true},
		"other shape": {stdout: `{"sandboxes":[]}`, fails: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, fake := newClient(t)
			reply := fake.Expect("ps", "--all", "--format=json").Stdout(test.stdout)
			if test.sample != "" {
				reply.Sample(test.sample)
			}
			got, err := client.List(t.Context())
			if (err != nil) != test.fails {
				t.Fatalf("List() failed with %v, want failure %t", err, test.fails)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("sandboxes (-want +got):\n%s", diff)
			}
		})
	}
}

func TestInspect(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		sample string
		want   msb.Details
	}{
		"running": {"sandbox/inspect-running", msb.Details{
			Name: "w1", Status: msb.Running, Image: "example/app:1", RootDiskKind: "managed", RootDiskMB: 4096,
			CreatedAt: time.Date(2026, 11, 30, 12, 48, 50, 665660342, time.UTC),
			UpdatedAt: time.Date(2026, 11, 30, 12, 48, 58, 582658934, time.UTC),
			Mounts: []msb.Mount{
				{Type: "Tmpfs", Guest: "/scratch"},
				{Type: "Tmpfs", Guest: "/tmp"},
				{Type: "Bind", Host: "/srv/files/f.txt", Guest: "/etc/conf.txt"},
				{Type: "Bind", Host: "/srv/files/dir", Guest: "/mnt/ro"},
			},
			Ports:  []backend.PortBinding{{Port: backend.Port{Number: 8080, Protocol: backend.TCP}, Host: 18080}},
			Env:    map[string]string{"PATH": "/bin:/usr/bin", "FROM_IMAGE": "yes", "FOO": "bar", "EMPTY": ""},
			Labels: map[string]string{"bare": "", "org.example": "x", "tf": "1"},
			Command: []string{
				"/bin/sh", "-c",
				"echo cmd-out FOO=$FOO FROM_IMAGE=$FROM_IMAGE pwd=$(pwd); echo cmd-err >&2; exec httpd -f -p 8080 -h /www",
			},
			WorkingDir: "/work", MemoryMB: 256, CPUs: 1,
			ManifestDigest: "sha256:2c085753be6300ce2ce8dde8edbc47582cf47ed2c2f97db8e395f329eb6913e5",
		}},
		"stopped": {"sandbox/inspect-stopped", msb.Details{
			Name: "s1", Status: msb.Stopped, Image: "bb:1", RootDiskKind: "managed", RootDiskMB: 4096,
			CreatedAt: time.Date(2026, 11, 30, 12, 42, 26, 553049539, time.UTC),
			UpdatedAt: time.Date(2026, 11, 30, 12, 42, 31, 967406749, time.UTC),
			Mounts:    []msb.Mount{{Type: "Tmpfs", Guest: "/tmp"}},
			Env:       map[string]string{}, Labels: map[string]string{},
			Command:  []string{"/bin/sh", "-c", "while :; do sleep 1; done"},
			MemoryMB: 256, CPUs: 1,
			ManifestDigest: "sha256:7d2fea2c30fc5e0e88b3b14f2baf80fef6dbc5db5f38b49d7b825f6c92f6f935",
		}},
		"without network, with a script": {"sandbox/inspect-no-net", msb.Details{
			Name: "box2", Status: msb.Stopped, Image: "rightsize-test/busybox:1", RootDiskKind: "managed", RootDiskMB: 4096, NoNetwork: true,
			CreatedAt: time.Date(2026, 11, 30, 18, 26, 37, 547800892, time.UTC),
			UpdatedAt: time.Date(2026, 11, 30, 18, 28, 1, 440954943, time.UTC),
			Mounts: []msb.Mount{
				{Type: "Bind", Host: "/srv/files", Guest: "/.rightsize"},
				{Type: "Tmpfs", Guest: "/tmp"},
			},
			Ports:   []backend.PortBinding{{Port: backend.Port{Number: 80, Protocol: backend.UDP}, Host: 18080}},
			Env:     map[string]string{"TOK": "sekret", "PATH": "/bin"},
			Labels:  map[string]string{"a": "b", "rightsize-test.recipe": "1564987571-3650428651"},
			Command: []string{"sh"}, WorkingDir: "/etc", User: "nobody", MemoryMB: 256, CPUs: 1,
			ManifestDigest: "sha256:46ba66e3e1f4867889deee028b220e58a3e1736061a778ae979eb1872d7418dd",
		}},
		"from a snapshot": {"sandbox/inspect-from-snapshot", msb.Details{
			Name: "fx", Status: msb.Running, Image: "example/app:1",
			CreatedAt: time.Date(2026, 11, 30, 13, 25, 30, 481187254, time.UTC),
			UpdatedAt: time.Date(2026, 11, 30, 13, 25, 36, 658119997, time.UTC),
			Mounts: []msb.Mount{
				{Type: "Bind", Host: "/srv/files/dir", Guest: "/m"},
				{Type: "Tmpfs", Guest: "/scratch"},
				{Type: "Tmpfs", Guest: "/tmp"},
				{Type: "Bind", Host: "/srv/files/f.txt", Guest: "/etc/conf.txt"},
			},
			Env:        map[string]string{"PATH": "/bin:/usr/bin", "FROM_IMAGE": "yes", "Q": "1"},
			Labels:     map[string]string{"a": "b", "org.example": "x"},
			Command:    []string{"/bin/sh", "-c", "echo snapcmd Q=$Q; exec sleep 1000"},
			WorkingDir: "/root", MemoryMB: 256, CPUs: 1,
			ManifestDigest: "sha256:2c085753be6300ce2ce8dde8edbc47582cf47ed2c2f97db8e395f329eb6913e5",
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, fake := newClient(t)
			fake.Expect("inspect", "--format=json", test.want.Name).Sample(test.sample)
			got, err := client.Inspect(t.Context(), test.want.Name)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("sandbox (-want +got):\n%s", diff)
			}
		})
	}
}

// TestInspectLenient is about what another version may leave out or add.
func TestInspectLenient(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		stdout string
		want   msb.Details
		fails  bool
	}{
		"next to nothing": {
			stdout: `{"name":"w","status":"Created"}`,
			want:   msb.Details{Name: "w", Status: msb.Created},
		},
		"null everywhere": {
			stdout: `{"name":"w","status":"Crashed","created_at":null,"config":{"image":null,"env":null,"labels":null,"mounts":null,"network":null,"resources":null,"runtime":null}}`,
			want:   msb.Details{Name: "w", Status: msb.Crashed},
		},
		"a time that is none, env as text, unknown members": {
			stdout: `{"name":"w","status":"Draining","created_at":17,"id":"x","config":{"env":["A=1=2","B"],"image":{"Oci":{"reference":"r"},"other":1}}}`,
			want:   msb.Details{Name: "w", Status: msb.Draining, Image: "r", Env: map[string]string{"A": "1=2", "B": ""}},
		},
		"no status": {stdout: `{"name":"w"}`, fails: true},
		"a list":    {stdout: `[]`, fails: true},
		"empty":     {stdout: ``, fails: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, fake := newClient(t)
			fake.Expect("inspect", "--format=json", "w").Stdout(test.stdout)
			got, err := client.Inspect(t.Context(), "w")
			if (err != nil) != test.fails {
				t.Fatalf("Inspect() failed with %v, want failure %t", err, test.fails)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("sandbox (-want +got):\n%s", diff)
			}
		})
	}
}

func TestInspectMissing(t *testing.T) {
	t.Parallel()
	client, fake := newClient(t)
	fake.Expect("inspect", "--format=json", "nope").Sample("sandbox/inspect-missing")
	if _, err := client.Inspect(t.Context(), "nope"); !errors.Is(err, msb.ErrNotFound) {
		t.Errorf("Inspect() = %v, want ErrNotFound", err)
	}
}

// TestNamesAreChecked is about names that msb would take for something else.
// The fake expects no call.
func TestNamesAreChecked(t *testing.T) {
	t.Parallel()
	client, _ := newClient(t)
	ctx := t.Context()
	for _, name := range []string{"", "-f", "--all", "a/b", "../x", ".", "..", "a b", "a\nb", "ä", "a\x00b", string(make([]byte, 200))} {
		_, inspect := client.Inspect(ctx, name)
		_, logs := client.Logs(ctx, name, msb.LogOptions{})
		_, exec := client.Exec(ctx, name, msb.Exec{Command: []string{"true"}})
		_, _, snapshot := client.Snapshot(ctx, msb.Snapshot{Name: "s", Dir: t.TempDir(), Sandbox: name})
		for verb, err := range map[string]error{
			"Inspect": inspect, "Logs": logs, "Exec": exec, "Snapshot": snapshot,
			"Start": client.Start(ctx, name), "Stop": client.Stop(ctx, name, 0), "Kill": client.Kill(ctx, name),
			"SetResources": client.SetResources(ctx, name, 0, 0),
			"Detach":       client.Detach(name, msb.Exec{Command: []string{"true"}}, nil),
		} {
			if !errors.Is(err, msb.ErrNotFound) {
				t.Errorf("%s of %q = %v, want ErrNotFound", verb, name, err)
			}
		}
		if err := client.Remove(ctx, name); err != nil {
			t.Errorf("Remove of %q = %v, want nil: nothing has that name", name, err)
		}
		if err := client.Create(ctx, msb.Boot{Name: name, Image: "app:1"}); !errors.Is(err, msb.ErrInvalid) {
			t.Errorf("Create of %q = %v, want ErrInvalid", name, err)
		}
	}
}
