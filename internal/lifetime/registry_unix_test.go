//go:build unix

package lifetime_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/rightsize/terraform-provider-rightsize/internal/lifetime"
)

func TestRegistryIsForTheOwnerAlone(t *testing.T) {
	t.Parallel()
	registry := lifetime.Open(filepath.Join(t.TempDir(), "cache"))
	put(t, registry, wanted())
	for path, want := range map[string]os.FileMode{registry.Dir(): 0o700, path(t, registry): 0o600} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %o, want %o", path, got, want)
		}
	}
}

// Whatever is in the place of a record, reading it neither follows it nor waits,
// and writing one does not write through it.
func TestRegistryReadsOnlyRegularFiles(t *testing.T) {
	t.Parallel()
	for name, occupy := range map[string]func(path, target string) error{
		"a link to a record":      func(path, target string) error { return os.Symlink(target, path) },
		"a link to no end":        func(path, _ string) error { return os.Symlink("/dev/zero", path) },
		"a link to itself":        func(path, _ string) error { return os.Symlink(filepath.Base(path), path) },
		"a pipe without a reader": func(path, _ string) error { return syscall.Mkfifo(path, 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			registry := lifetime.Open(t.TempDir())
			put(t, registry, wanted())
			file := path(t, registry)
			target := filepath.Join(t.TempDir(), "target")
			if err := os.Rename(file, target); err != nil {
				t.Fatal(err)
			}
			if err := occupy(file, target); err != nil {
				t.Fatal(err)
			}
			if _, known, err := registry.Get(wanted().Object); known || err != nil {
				t.Errorf("it is read: %t, %v", known, err)
			}
			if records, damaged, err := registry.List(); len(records) != 0 || len(damaged) != 1 || err != nil {
				t.Errorf("the list is %v, %v, %v", records, damaged, err)
			}
			before, err := os.ReadFile(target)
			if err != nil {
				t.Fatal(err)
			}
			longer := wanted()
			longer.After = "100h"
			put(t, registry, longer)
			if got, known, err := registry.Get(wanted().Object); !known || err != nil || got.After != "100h" {
				t.Errorf("after it was written: %+v, %t, %v", got, known, err)
			}
			if after, err := os.ReadFile(target); err != nil || string(after) != string(before) {
				t.Errorf("it was written through the link: %v", err)
			}
			if err := registry.Delete(wanted().Object); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestRegistryThatIsNoDirectory(t *testing.T) {
	t.Parallel()
	registry := lifetime.Open(t.TempDir())
	if err := syscall.Mkfifo(registry.Dir(), 0o600); err != nil {
		t.Fatal(err)
	}
	_, _, getErr := registry.Get(wanted().Object)
	_, _, listErr := registry.List()
	for what, err := range map[string]error{
		"get": getErr, "list": listErr, "put": registry.Put(wanted()), "delete": registry.Delete(wanted().Object), "tidy": registry.Tidy(),
	} {
		if err == nil {
			t.Errorf("%s succeeds", what)
		}
	}
}
