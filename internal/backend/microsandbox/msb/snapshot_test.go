package msb_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/msb"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/msbtest"
)

const snapshotDigest = "sha256:4008171e748ff3bdf7f7bd00e709ff0342631ba06a4a98aecb66a1dd404743a0"

func TestSnapshot(t *testing.T) {
	t.Parallel()
	client, fake := newClient(t)
	dir := t.TempDir()
	fake.Handle("snapshot", "create").Sample("snapshot/create-ok")
	digest, path, err := client.Snapshot(t.Context(), msb.Snapshot{
		Name: "snap1", Sandbox: "w1", Dir: dir, Integrity: true, Labels: map[string]string{"purpose": "demo", "k2": "v2"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if digest != snapshotDigest || path != "/home/user/.microsandbox/snapshots/snap1" {
		t.Errorf("Snapshot() = %q, %q", digest, path)
	}
	want := []string{"snapshot create --from=w1 --dest-dir=" + dir + " --integrity --label=k2=v2 --label=purpose=demo snap1"}
	if diff := cmp.Diff(want, fake.Lines()); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

// TestSnapshotAnswer is about answers that are not those of msb 0.6.
func TestSnapshotAnswer(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"nothing, as with --quiet": msbtest.Load("snapshot/create-quiet").Stdout,
		"another kind of digest":   "snap_0123456789abcdef\n/srv/s\n",
		"a relative path":          snapshotDigest + "\nsnapshots/s\n",
		"no path":                  snapshotDigest + "\n",
		"more than two lines":      snapshotDigest + "\n/srv/s\nand more\n",
	}
	for name, stdout := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, fake := newClient(t)
			fake.Handle("snapshot").Stdout(stdout)
			digest, path, err := client.Snapshot(t.Context(), msb.Snapshot{Name: "s", Sandbox: "w", Dir: t.TempDir()})
			if err == nil {
				t.Errorf("Snapshot() = %q, %q, want an error", digest, path)
			}
		})
	}
}

func TestSnapshotFails(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		sample string
		want   error
	}{
		"sandbox runs":            {"snapshot/create-running-sandbox", msb.ErrNotStopped},
		"no such sandbox":         {"snapshot/create-missing-sandbox", msb.ErrNotFound},
		"root in memory":          {"snapshot/create-tmpfs-root", msb.ErrUncapturable},
		"root on a disk image":    {"snapshot/create-disk-image-root", msb.ErrUncapturable},
		"same name in the index":  {"snapshot/create-exists", msb.ErrSnapshotExists},
		"label msb does not take": {"snapshot/create-bad-label", msb.ErrInvalid},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, fake := newClient(t)
			fake.Handle("snapshot").Sample(test.sample)
			_, _, err := client.Snapshot(t.Context(), msb.Snapshot{Name: "s", Sandbox: "w", Dir: t.TempDir()})
			if !errors.Is(err, test.want) {
				t.Errorf("Snapshot() = %v, want %v", err, test.want)
			}
			onlyCall(t, fake)
		})
	}
}

func TestSnapshotRefused(t *testing.T) {
	t.Parallel()
	client, _ := newClient(t)
	dir := t.TempDir()
	tests := map[string]struct {
		snapshot msb.Snapshot
		want     error
	}{
		"a name that is a path":       {msb.Snapshot{Name: "a/b", Sandbox: "w", Dir: dir}, msb.ErrInvalid},
		"no name":                     {msb.Snapshot{Sandbox: "w", Dir: dir}, msb.ErrInvalid},
		"a relative directory":        {msb.Snapshot{Name: "s", Sandbox: "w", Dir: "snapshots"}, msb.ErrInvalid},
		"a label without a key":       {msb.Snapshot{Name: "s", Sandbox: "w", Dir: dir, Labels: map[string]string{"": "x"}}, msb.ErrInvalid},
		"a sandbox that cannot exist": {msb.Snapshot{Name: "s", Sandbox: "-f", Dir: dir}, msb.ErrNotFound},
	}
	for name, test := range tests {
		if _, _, err := client.Snapshot(t.Context(), test.snapshot); !errors.Is(err, test.want) {
			t.Errorf("a snapshot with %s = %v, want %v", name, err, test.want)
		}
	}
}

// TestSnapshotSparesWhatWasThere is about the only good copy of somebody's data.
func TestSnapshotSparesWhatWasThere(t *testing.T) {
	t.Parallel()
	client, _ := newClient(t)
	dir := t.TempDir()
	kept := filepath.Join(dir, "s", "upper.ext4")
	writeFile(t, kept, "data")
	if _, _, err := client.Snapshot(t.Context(), msb.Snapshot{Name: "s", Sandbox: "w", Dir: dir}); !errors.Is(err, msb.ErrSnapshotExists) {
		t.Errorf("Snapshot() = %v, want ErrSnapshotExists", err)
	}
	if _, err := os.Stat(kept); err != nil {
		t.Errorf("the snapshot of the same name is damaged: %v", err)
	}
}

// TestCancelledSnapshot is about what msb leaves when it is ended: half a disk,
// or a whole snapshot that it has put in its index.
func TestCancelledSnapshot(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		dir      string
		manifest bool
	}{
		"in the middle": {dir: ".s.staging"},
		"at the end":    {dir: "s", manifest: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, fake := newClient(t)
			parent := t.TempDir()
			left := filepath.Join(parent, test.dir)
			writeFile(t, filepath.Join(parent, "other", "upper.ext4"), "data")
			fake.Handle("snapshot", "create").Mkdir(left).Hang()
			want := []string{"snapshot create --from=w --dest-dir=" + parent + " s"}
			if test.manifest {
				const digest = "sha256:d5b52c281323e90d27ab89f928d3d2a75edbfe2cbc054e2e078ba1462dad9a51"
				fake.Handle("snapshot", "list").Stdout(fmt.Sprintf(`[{"digest": %q, "artifact_path": %q}]`, digest, left))
				fake.Handle("snapshot", "remove").Sample("snapshot/remove-ok")
				want = append(want, "snapshot list --format=json", "snapshot remove "+digest)
			}
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				fake.WaitForCall("snapshot", "create")
				fake.WaitForFile(left)
				if test.manifest {
					_ = os.WriteFile(filepath.Join(left, "snapshot.json"), []byte(msbtest.File("files/snapshot.json")), 0o600)
				}
				cancel()
			}()
			_, _, err := client.Snapshot(ctx, msb.Snapshot{Name: "s", Sandbox: "w", Dir: parent})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("Snapshot() = %v, want context.Canceled", err)
			}
			if diff := cmp.Diff(want, fake.Lines()); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]string{"other"}, names(t, parent)); diff != "" {
				t.Errorf("what is left (-want +got):\n%s", diff)
			}
		})
	}
}

func TestVerifySnapshot(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		sample string
		want   error
	}{
		"verified":     {"snapshot/verify-ok", nil},
		"not recorded": {"snapshot/verify-not-recorded", nil},
		"tampered":     {"snapshot/verify-tampered", msb.ErrIntegrity},
		"missing":      {"snapshot/verify-missing", msb.ErrSnapshotNotFound},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, fake := newClient(t)
			fake.Expect("snapshot", "verify", "/srv/s1").Sample(test.sample)
			if err := client.VerifySnapshot(t.Context(), "/srv/s1"); !errors.Is(err, test.want) {
				t.Errorf("VerifySnapshot() = %v, want %v", err, test.want)
			}
		})
	}
	client, _ := newClient(t)
	if err := client.VerifySnapshot(t.Context(), "s1"); !errors.Is(err, msb.ErrInvalid) {
		t.Errorf("VerifySnapshot() of a name = %v, want ErrInvalid", err)
	}
}

func writeFile(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// names are the names of the files in a directory.
func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	var list []string
	for _, entry := range entries {
		list = append(list, entry.Name())
	}
	return list
}
