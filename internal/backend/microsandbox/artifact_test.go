//go:build unix

package microsandbox_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox"
)

// lay lays a whole snapshot into a directory, as msb makes it, and returns its
// digest. A day orders captures.
func lay(t *testing.T, dir, checkpoint string, day int) (digest string) {
	t.Helper()
	manifest := fmt.Sprintf(`{"schema":1,"artifact":"snapshot","created_at":"2026-11-%02dT00:00:00Z",`+
		`"image":{"ref":"app:1","manifest_digest":"sha256:%064d"},"state":{"upper":{"file":"upper.ext4","size_bytes":4}},`+
		`"labels":{"dev.rightsize.checkpoint":%q}}`, day, 1, checkpoint)
	write(t, filepath.Join(dir, "snapshot.json"), manifest)
	write(t, filepath.Join(dir, "upper.ext4"), "disk")
	sum := sha256.Sum256([]byte(manifest))
	return "sha256:" + hex.EncodeToString(sum[:])
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// ours is a directory of a capture of ours.
func (m *machine) ours(checkpoint string, n int) string {
	return filepath.Join(m.cache, "checkpoints", fmt.Sprintf("rz-ckpt-%s-%012x", checkpoint, n))
}

// unpublish marks an artifact as one that nothing stands for.
func unpublish(t *testing.T, dir string) {
	t.Helper()
	write(t, filepath.Join(filepath.Dir(dir), "."+filepath.Base(dir)+".unpublished"), "")
}

func wantThere(t *testing.T, want bool, paths ...string) {
	t.Helper()
	for _, path := range paths {
		if _, err := os.Lstat(path); (err == nil) != want {
			t.Errorf("%s is there: %t, want %t", path, err == nil, want)
		}
	}
}

func TestPublish(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.run(t, shell(forever))
	artifact := m.capture(t, "web", "db")
	if list, err := m.ListArtifacts(t.Context()); err != nil || len(list) > 0 {
		t.Errorf("before it is published, the list is %+v, %v", list, err)
	}
	for range 2 {
		ref, err := m.Publish(t.Context(), "db", artifact)
		if err != nil {
			t.Fatal(err)
		}
		artifact.Ref = ref
		found, err := m.Artifact(t.Context(), ref)
		if diff := cmp.Diff(artifact, found); err != nil || diff != "" {
			t.Errorf("Artifact() = %v (-captured +found):\n%s", err, diff)
		}
	}
	for range 2 {
		if err := m.RemoveArtifact(t.Context(), artifact.ID); err != nil {
			t.Fatal(err)
		}
	}
	if left := m.checkpoints(t); len(left) > 0 {
		t.Errorf("the removal left %q", left)
	}
	_, err := m.Publish(t.Context(), "db", artifact)
	wantError(t, err, backend.ErrNotFound, "", artifact.ID)
}

// TestCaptureAndRestore is about what a copy runs: what the captured one was told
// to, unless it is told otherwise.
func TestCaptureAndRestore(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	spec := shell("echo $KIND; " + forever)
	spec.Env = map[string]string{"KIND": "original", "KEPT": "yes"}
	c := m.run(t, spec)
	artifact := m.capture(t, c.ID, "db")
	if err := m.Remove(t.Context(), c.ID); err != nil {
		t.Fatal(err)
	}
	before := len(m.fake.Calls())
	m.run(t, backend.Spec{Name: "web", From: &artifact, Env: map[string]string{"KIND": "copy"}})
	var booted, worked bool
	for _, call := range m.fake.Calls()[before:] {
		switch {
		case call.Args[0] == "run":
			booted = true
			if call.Env["KIND"] != "copy" || call.Env["KEPT"] != "yes" {
				t.Errorf("the copy has the environment %q, %q", call.Env["KIND"], call.Env["KEPT"])
			}
			if strings.Contains(strings.Join(call.Args, " "), "yes") {
				t.Errorf("the command line has a value: %q", call.Args)
			}
		case command(call.Args) == "exec workload":
			worked = slices.Equal(call.Args[len(call.Args)-3:], spec.Entrypoint)
		}
	}
	if !booted || !worked {
		t.Errorf("the copy booted: %t, runs what was captured: %t", booted, worked)
	}
	if got := m.wantState(t, backend.StateRunning, backend.Exit{}).ImageID; got != artifact.ID {
		t.Errorf("the copy is made from %s, want %s", got, artifact.ID)
	}
}

// TestRestoreOfALibrarysArtifact runs what its image does, since it says nothing.
func TestRestoreOfALibrarysArtifact(t *testing.T) {
	t.Parallel()
	for name, place := range map[string]func(*machine, *testing.T) string{
		"in the cache directory": func(m *machine, _ *testing.T) string { return filepath.Join(m.cache, "checkpoints", "rz-ckpt-db") },
		"in msb's home":          func(m *machine, _ *testing.T) string { return filepath.Join(m.fake.Home(), "snapshots", "rz-ckpt-db") },
		"in another cache":       func(_ *machine, t *testing.T) string { return filepath.Join(t.TempDir(), "rz-ckpt-db") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			dir := place(m, t)
			digest := lay(t, dir, "", 1)
			ref := dir
			if name == "in msb's home" {
				ref = "rz-ckpt-db"
			}
			artifact, err := m.Artifact(t.Context(), ref)
			if err != nil || artifact.ID != digest {
				t.Fatalf("Artifact() = %+v, %v", artifact, err)
			}
			c := m.create(t, backend.Spec{Name: "web", From: &artifact})
			if c.ImageID != digest {
				t.Errorf("it is made from %s", c.ImageID)
			}
			if args := m.fake.WaitForCall("run").Args; !slices.Contains(args, "--from-snapshot="+dir) {
				t.Errorf("msb was told %q", args)
			}
		})
	}
}

func TestArtifactsWithoutMsb(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	b := microsandbox.New(microsandbox.Config{
		Locate: func(context.Context) (string, error) {
			t.Error("it looked for msb")
			return "", errors.New("there is none")
		},
		Home: m.fake.Home(), CacheDir: m.cache,
	})
	own, library, home := m.ours("db", 1), filepath.Join(m.cache, "checkpoints", "rz-ckpt-seed"), filepath.Join(m.fake.Home(), "snapshots", "old")
	ids := map[string]string{own: lay(t, own, "db", 1), library: lay(t, library, "", 2), "old": lay(t, home, "", 3)}
	hidden := m.ours("db", 2)
	lay(t, hidden, "db", 4)
	unpublish(t, hidden)

	// What is no artifact, and what leads out of the directory.
	outside := t.TempDir()
	lay(t, outside, "db", 5)
	for link, to := range map[string]string{
		m.ours("db", 3): outside,
		filepath.Join(m.fake.Home(), "snapshots", "link"):     outside,
		filepath.Join(m.ours("db", 4), "snapshot.json"):       filepath.Join(outside, "snapshot.json"),
		filepath.Join(m.ours("db", 4), "upper.ext4"):          filepath.Join(outside, "upper.ext4"),
		filepath.Join(m.cache, "checkpoints", "rz-ckpt-gone"): filepath.Join(outside, "gone"),
	} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(link), 0o700), os.Symlink(to, link)); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(m.cache, "checkpoints", "db.json"), "{}")
	write(t, filepath.Join(m.ours("db", 5), "snapshot.json"), "{}")
	lay(t, m.ours("db", 6), "db", 6)
	write(t, filepath.Join(m.ours("db", 6), "upper.ext4"), "cut")

	list, err := b.ListArtifacts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, a := range list {
		got[a.Ref] = a.ID
	}
	want := map[string]string{own: ids[own], library: ids[library], "old": ids["old"], ids["old"]: ids["old"]}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the list is (-want +got):\n%s", diff)
	}
	for ref, id := range map[string]string{own: ids[own], "old": ids["old"], ids["old"]: ids["old"], ids[library]: ids[library]} {
		if a, err := b.Artifact(t.Context(), ref); err != nil || a.ID != id || a.Ref != ref {
			t.Errorf("Artifact(%s) = %+v, %v", ref, a, err)
		}
	}
	for _, ref := range []string{"", "rz-ckpt-db", "../old", m.ours("db", 6), hidden, "/etc", filepath.Join(m.cache, "checkpoints", "rz-ckpt-gone")} {
		_, err := b.Artifact(t.Context(), ref)
		wantError(t, err, backend.ErrNotFound, "")
	}
}

func TestCollect(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	older, kept, newer, left, other := m.ours("db", 1), m.ours("db", 2), m.ours("db", 3), m.ours("db", 4), m.ours("db-2", 5)
	foreign, alike := m.ours("db", 6), filepath.Join(m.cache, "checkpoints", "rz-ckpt-db-0123456789ab")
	lay(t, older, "db", 1)
	keep := lay(t, kept, "db", 2)
	lay(t, newer, "db", 3)
	lay(t, left, "db", 4)
	unpublish(t, left)
	lay(t, other, "db-2", 5)
	unpublish(t, other)
	// One by the name of a library's checkpoint "db-0123456789ab", and one that
	// says in its label that it is another's.
	lay(t, alike, "", 1)
	lay(t, foreign, "other", 1)
	// What an interrupted capture leaves: a mark, a mark and half of a snapshot.
	markOnly, staging, half := m.ours("db", 7), m.ours("db", 8), m.ours("db", 9)
	unpublish(t, markOnly)
	unpublish(t, staging)
	stagingDir := filepath.Join(filepath.Dir(staging), "."+filepath.Base(staging)+".staging")
	write(t, filepath.Join(stagingDir, "upper.ext4"), "half")
	unpublish(t, half)
	write(t, filepath.Join(half, "upper.ext4"), "half")
	// Without a mark it is nobody's knowledge that it is one of these.
	unknown := m.ours("db", 10)
	write(t, filepath.Join(unknown, "upper.ext4"), "?")
	// What lies beside is not looked into.
	beside := filepath.Join(m.cache, "checkpoints", "other", "file")
	write(t, beside, "")

	if err := m.Collect(t.Context(), "db", keep); err != nil {
		t.Fatal(err)
	}
	wantThere(t, true, kept, newer, other, foreign, alike, unknown, beside)
	wantThere(t, false, older, left, markOnly, stagingDir, half)
	for _, name := range m.checkpoints(t) {
		if strings.HasPrefix(name, ".rz-ckpt-db-0") {
			t.Errorf("%s is left", name)
		}
	}
}

// TestCollectKeepsWhatIsUsed is about a container that was made from it, also if
// what that was made from cannot be known.
func TestCollectKeepsWhatIsUsed(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	dir := m.ours("db", 1)
	artifact := backend.Artifact{ID: lay(t, dir, "db", 1)}
	unpublish(t, dir)
	m.create(t, backend.Spec{Name: "web", From: &artifact})
	if err := m.Collect(t.Context(), "db", ""); err != nil {
		t.Fatal(err)
	}
	wantThere(t, true, dir)
	write(t, filepath.Join(m.recordDir(t), "container.json"), "{")
	if err := m.Collect(t.Context(), "db", ""); err == nil {
		t.Error("it collected although a record is damaged")
	}
	wantThere(t, true, dir)
	write(t, filepath.Join(m.recordDir(t), "container.json"), `{"name":"web","imageId":"sha256:other"}`)
	if err := m.Collect(t.Context(), "db", ""); err != nil {
		t.Fatal(err)
	}
	wantThere(t, false, dir)
}

// TestRemoveArtifactDeletesNothingElse is about msb's index, which may name any
// directory for the digest of a manifest that was copied here.
func TestRemoveArtifactDeletesNothingElse(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	copied, original := m.ours("db", 1), filepath.Join(t.TempDir(), "backup")
	digest := lay(t, copied, "db", 1)
	lay(t, original, "db", 1)
	m.set(t, "index", digest+" "+original+"\n")
	// A link in the artifact is removed, not what it leads to.
	outside := filepath.Join(t.TempDir(), "file")
	write(t, outside, "")
	if err := os.Symlink(filepath.Dir(outside), filepath.Join(copied, "link")); err != nil {
		t.Fatal(err)
	}
	since := m.mark()
	if err := m.RemoveArtifact(t.Context(), digest); err != nil {
		t.Fatal(err)
	}
	wantCommands(t, since(), "--version", "snapshot list")
	wantThere(t, false, copied)
	wantThere(t, true, original, outside)
}

// TestRemoveArtifactForgetsItsRow is the ordinary case: msb's list has it no
// more.
func TestRemoveArtifactForgetsItsRow(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.create(t, shell(forever))
	artifact := m.capture(t, "web", "db")
	since := m.mark()
	if err := m.RemoveArtifact(t.Context(), artifact.ID); err != nil {
		t.Fatal(err)
	}
	wantCommands(t, since(), "snapshot list", "snapshot remove")
}

// TestRemoveArtifactThatIsDamaged frees the disk all the same.
func TestRemoveArtifactThatIsDamaged(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	dir := m.ours("db", 1)
	digest := lay(t, dir, "db", 1)
	write(t, filepath.Join(dir, "upper.ext4"), "longer than it was")
	if err := m.RemoveArtifact(t.Context(), digest); err != nil {
		t.Fatal(err)
	}
	wantThere(t, false, dir)
}

// TestRemoveArtifactInterrupted is found by the next collection.
func TestRemoveArtifactInterrupted(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	dir := m.ours("db", 1)
	digest := lay(t, dir, "db", 1)
	m.set(t, "index", digest+" "+dir+"\n")
	m.set(t, "fail-snapshot", "error: io error: Input/output error\n")
	if err := m.RemoveArtifact(t.Context(), digest); err == nil {
		t.Fatal("it was removed")
	}
	if list, err := m.ListArtifacts(t.Context()); err != nil || len(list) > 0 {
		t.Errorf("what is being removed is listed: %+v, %v", list, err)
	}
	// As if the removal had come as far as the manifest.
	if err := os.Remove(filepath.Join(dir, "snapshot.json")); err != nil {
		t.Fatal(err)
	}
	m.unset(t, "fail-snapshot")
	if err := m.Collect(t.Context(), "db", ""); err != nil {
		t.Fatal(err)
	}
	if left := m.checkpoints(t); len(left) > 0 {
		t.Errorf("it left %q", left)
	}
}
