package msb_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/msb"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/msbtest"
)

func TestRemoveClearsAnOrphan(t *testing.T) {
	t.Parallel()
	client, fake := newClient(t)
	fake.Handle("remove").Sample("sandbox/remove-orphan")
	sandboxes := filepath.Join(fake.Home(), "sandboxes")
	writeFile(t, filepath.Join(sandboxes, "small", "logs", "runtime.log"), "x")
	writeFile(t, filepath.Join(sandboxes, "smaller", "upper.ext4"), "x")
	if err := client.Remove(t.Context(), "small"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"smaller"}, names(t, sandboxes)); diff != "" {
		t.Errorf("what is left (-want +got):\n%s", diff)
	}
}

// TestRemoveThatFailsClearsNothing is about a directory that is in use.
func TestRemoveThatFailsClearsNothing(t *testing.T) {
	t.Parallel()
	client, fake := newClient(t)
	fake.Handle("remove").Sample("misc/schema-newer-than-binary")
	writeFile(t, filepath.Join(fake.Home(), "sandboxes", "web", "upper.ext4"), "x")
	if err := client.Remove(t.Context(), "web"); !errors.Is(err, msb.ErrSchemaNewer) {
		t.Errorf("Remove() = %v, want ErrSchemaNewer", err)
	}
	if diff := cmp.Diff([]string{"web"}, names(t, filepath.Join(fake.Home(), "sandboxes"))); diff != "" {
		t.Errorf("what is left (-want +got):\n%s", diff)
	}
}

// TestRemoveFollowsNoLink is about links that lead out of msb's home.
func TestRemoveFollowsNoLink(t *testing.T) {
	t.Parallel()
	client, fake := newClient(t)
	fake.Handle("remove").Sample("sandbox/remove-orphan")
	outside := t.TempDir()
	writeFile(t, filepath.Join(outside, "kept"), "x")
	sandboxes := filepath.Join(fake.Home(), "sandboxes")
	writeFile(t, filepath.Join(sandboxes, "inner", "file"), "x")
	for _, link := range []string{filepath.Join(sandboxes, "outer"), filepath.Join(sandboxes, "inner", "link")} {
		if err := os.Symlink(outside, link); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"outer", "inner"} {
		if err := client.Remove(t.Context(), name); err != nil {
			t.Errorf("Remove(%s) = %v", name, err)
		}
	}
	if diff := cmp.Diff([]string{"kept"}, names(t, outside)); diff != "" {
		t.Errorf("what is left outside (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"outer"}, names(t, sandboxes)); diff != "" {
		t.Errorf("what is left inside (-want +got):\n%s", diff)
	}
}

// TestRemoveWithoutHome is about a home that only msb knows.
func TestRemoveWithoutHome(t *testing.T) {
	t.Parallel()
	fake := msbtest.New(t)
	fake.Handle("remove").Sample("sandbox/remove-orphan")
	if err := msb.New(msb.Config{Path: fake.Path()}).Remove(t.Context(), "small"); err != nil {
		t.Errorf("Remove() = %v", err)
	}
}
