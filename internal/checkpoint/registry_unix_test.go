//go:build unix

package checkpoint_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/checkpoint"
)

func TestRegistryPermissions(t *testing.T) {
	t.Parallel()

	t.Run("made for the owner alone", func(t *testing.T) {
		t.Parallel()

		cache := filepath.Join(t.TempDir(), "cache")
		registry := checkpoint.Open(cache)
		put(t, registry, contract())
		requireMode(t, cache, 0o700)
		requireMode(t, registry.Dir(), 0o700)
		requireMode(t, filepath.Join(registry.Dir(), "seeded-db.json"), 0o600)
	})

	t.Run("existing directories stay, entries are closed", func(t *testing.T) {
		t.Parallel()

		registry := checkpoint.Open(t.TempDir())
		file := filepath.Join(registry.Dir(), "seeded-db.json")
		writeFile(t, file, contractEntry)
		chmod(t, file, 0o644)
		chmod(t, registry.Dir(), 0o755)
		put(t, registry, contract())
		requireMode(t, registry.Dir(), 0o755)
		requireMode(t, file, 0o600)
	})
}

// Whatever is named like an entry, reading it neither follows it nor waits.
func TestRegistryReadsOnlyRegularFiles(t *testing.T) {
	t.Parallel()

	tests := map[string]struct {
		make func(path, target string) error
	}{
		"symlink-to-an-entry":     {make: func(path, target string) error { return os.Symlink(target, path) }},
		"symlink-to-nothing":      {make: func(path, _ string) error { return os.Symlink("nothing", path) }},
		"symlink-to-itself":       {make: func(path, _ string) error { return os.Symlink(filepath.Base(path), path) }},
		"symlink-to-endless-file": {make: func(path, _ string) error { return os.Symlink("/dev/zero", path) }},
		"fifo":                    {make: func(path, _ string) error { return syscall.Mkfifo(path, 0o600) }},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			registry := checkpoint.Open(t.TempDir())
			entry := contract()
			entry.Name = name
			data, err := checkpoint.Encode(entry)
			if err != nil {
				t.Fatal(err)
			}
			target := filepath.Join(registry.Dir(), "target")
			writeFile(t, target, string(data))
			path := filepath.Join(registry.Dir(), name+".json")
			if err := test.make(path, target); err != nil {
				t.Fatal(err)
			}

			requireCorrupt(t, registry, name, "it is not a regular file")
			entries, corrupt, err := registry.List()
			if err != nil || len(entries) != 0 || len(corrupt) != 1 {
				t.Errorf("List = %v, %v, %v, want one corrupt entry", entries, corrupt, err)
			}

			put(t, registry, entry)
			got, err := registry.Get(name)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(entry, got); diff != "" {
				t.Errorf("entry after Put (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(string(data), readFile(t, target)); diff != "" {
				t.Errorf("Put wrote through the link (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRegistryDeleteRemovesTheLinkItself(t *testing.T) {
	t.Parallel()

	registry := checkpoint.Open(t.TempDir())
	writeFile(t, filepath.Join(registry.Dir(), "target"), "kept")
	if err := os.Symlink("target", filepath.Join(registry.Dir(), "a.json")); err != nil {
		t.Fatal(err)
	}
	if existed, err := registry.Delete("a"); !existed || err != nil {
		t.Errorf("Delete = %t, %v, want true", existed, err)
	}
	requireFiles(t, registry.Dir(), "target")
}

func TestRegistryBehindSymlink(t *testing.T) {
	t.Parallel()

	target := t.TempDir()
	cache := filepath.Join(t.TempDir(), "cache")
	if err := os.Symlink(target, cache); err != nil {
		t.Fatal(err)
	}
	put(t, checkpoint.Open(cache), contract())
	requireFiles(t, filepath.Join(target, "checkpoints"), "seeded-db.json")
}

func TestRegistryThatIsAFIFO(t *testing.T) {
	t.Parallel()

	registry := checkpoint.Open(t.TempDir())
	if err := syscall.Mkfifo(registry.Dir(), 0o600); err != nil {
		t.Fatal(err)
	}
	requireUnusable(t, registry)
}

func requireMode(t *testing.T, path string, want os.FileMode) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode().Perm(); got != want {
		t.Errorf("%s has mode %o, want %o", path, got, want)
	}
}

func chmod(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}
