//go:build unix

package filelock_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestLockPermissions(t *testing.T) {
	t.Parallel()

	existing := t.TempDir()
	if err := os.Chmod(existing, 0o755); err != nil {
		t.Fatal(err)
	}
	made := filepath.Join(existing, "a", "b")
	lockFile := filepath.Join(made, "lock")
	unlock := lock(t, lockFile)
	defer unlock()

	for path, want := range map[string]os.FileMode{
		existing:           0o755,
		filepath.Dir(made): 0o700,
		made:               0o700,
		lockFile:           0o600,
	} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %o, want %o", path, got, want)
		}
	}
}

func TestLockDoesNotFollowSymlink(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	precious, missing := filepath.Join(dir, "precious"), filepath.Join(dir, "missing")
	write(t, precious, "content")
	for _, target := range []string{precious, missing} {
		link := target + ".link"
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
		requireRefused(t, link)
		if _, err := os.Lstat(link); err != nil {
			t.Errorf("the link is gone: %v", err)
		}
	}
	if got := read(t, precious); got != "content" {
		t.Errorf("the link's target holds %q now", got)
	}
	requireAbsent(t, missing)
}

func TestLockRefusesFIFO(t *testing.T) {
	t.Parallel()

	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	requireRefused(t, fifo)
}

// A holder whose file was deleted by hand must not take away the file of
// whoever made a new one.
func TestUnlockLeavesNewerLockAlone(t *testing.T) {
	t.Parallel()

	lockFile := filepath.Join(t.TempDir(), "lock")
	first := lock(t, lockFile)
	if err := os.Remove(lockFile); err != nil {
		t.Fatal(err)
	}
	second := lock(t, lockFile)
	first()
	requireHeld(t, lockFile)
	second()
	requireAbsent(t, lockFile)
}
