package filelock_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rightsize/terraform-provider-rightsize/internal/filelock"
)

func TestLockExcludesProcessesAndGoroutines(t *testing.T) {
	t.Parallel()

	const processes, rounds = 4, 40
	dir := t.TempDir()
	lockFile, counter := filepath.Join(dir, "lock"), filepath.Join(dir, "counter")
	write(t, counter, "0")

	var cmds []*exec.Cmd
	for range processes {
		cmd := command(t, roleCount, lockFile, counter, strconv.Itoa(rounds))
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		cmds = append(cmds, cmd)
	}
	if err := count(lockFile, counter, rounds); err != nil {
		t.Error(err)
	}
	for _, cmd := range cmds {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}

	want := strconv.Itoa((processes + 1) * 3 * rounds)
	if got := read(t, counter); got != want {
		t.Errorf("counted %s, want %s: additions were lost, so two held the lock at once", got, want)
	}
	requireAbsent(t, lockFile)
}

func TestLockSurvivesKilledHolder(t *testing.T) {
	t.Parallel()

	lockFile := filepath.Join(t.TempDir(), "lock")
	holder := startHolder(t, lockFile)
	requireHeld(t, lockFile)

	if err := holder.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = holder.Wait()
	if _, err := os.Lstat(lockFile); err != nil {
		t.Fatalf("the killed holder should have left its file: %v", err)
	}

	unlock := lock(t, lockFile)
	unlock()
	requireAbsent(t, lockFile)
}

func TestLockWaitsForOtherProcess(t *testing.T) {
	t.Parallel()

	lockFile := filepath.Join(t.TempDir(), "lock")
	holder := startHolder(t, lockFile)

	taken := make(chan error, 1)
	go func() {
		unlock, err := filelock.Lock(t.Context(), lockFile)
		if err == nil {
			unlock()
		}
		taken <- err
	}()
	requireHeld(t, lockFile)
	select {
	case err := <-taken:
		t.Fatalf("Lock returned %v while another process held the lock", err)
	default:
	}

	if err := holder.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := <-taken; err != nil {
		t.Fatal(err)
	}
}

func TestLockEndsWithContext(t *testing.T) {
	t.Parallel()

	lockFile := filepath.Join(t.TempDir(), "lock")
	unlock := lock(t, lockFile)
	defer unlock()

	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err := filelock.Lock(ctx, lockFile)
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "wait for lock "+lockFile) {
		t.Errorf("got error %v, want one that says that waiting for %s timed out", err, lockFile)
	}
	if _, err := os.Lstat(lockFile); err != nil {
		t.Errorf("a waiter that gave up took the holder's file away: %v", err)
	}
}

func TestLockWithFinishedContextTouchesNothing(t *testing.T) {
	t.Parallel()

	parent := filepath.Join(t.TempDir(), "new")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := filelock.Lock(ctx, filepath.Join(parent, "lock")); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want %v", err, context.Canceled)
	}
	requireAbsent(t, parent)
}

func TestUnlockTwice(t *testing.T) {
	t.Parallel()

	lockFile := filepath.Join(t.TempDir(), "lock")
	first := lock(t, lockFile)
	first()
	second := lock(t, lockFile)
	first()
	requireHeld(t, lockFile)
	second()
	requireAbsent(t, lockFile)
}

func TestLockTakesAbandonedFile(t *testing.T) {
	t.Parallel()

	lockFile := filepath.Join(t.TempDir(), "lock")
	write(t, lockFile, "")
	unlock := lock(t, lockFile)
	unlock()
	requireAbsent(t, lockFile)
}

func TestLockResolvesPathOnce(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	unlock := lock(t, "lock")
	t.Chdir(t.TempDir())
	unlock()
	requireAbsent(t, filepath.Join(dir, "lock"))
}

func TestLockReportsUnusableParent(t *testing.T) {
	t.Parallel()

	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "")
	_, err := filelock.Lock(t.Context(), filepath.Join(file, "lock"))
	if err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("got error %v, want one that names %s", err, file)
	}
}

func TestLockRefusesDirectory(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	requireRefused(t, dir)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		t.Errorf("the directory is gone: %v", err)
	}
}

func lock(t *testing.T, path string) (unlock func()) {
	t.Helper()
	unlock, err := filelock.Lock(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return unlock
}

func requireHeld(t *testing.T, path string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	unlock, err := filelock.Lock(ctx, path)
	if err == nil {
		unlock()
		t.Fatal("the lock is free, want it held")
	}
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
}

func requireRefused(t *testing.T, path string) {
	t.Helper()
	unlock, err := filelock.Lock(t.Context(), path)
	if err == nil {
		unlock()
		t.Fatalf("Lock took %s", path)
	}
	if !strings.Contains(err.Error(), "not a regular file") || !strings.Contains(err.Error(), path) {
		t.Errorf("got error %v, want one that says that %s is not a regular file", err, path)
	}
}

func requireAbsent(t *testing.T, path string) {
	t.Helper()
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is there (%v), want nothing left", path, err)
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestTryLock(t *testing.T) {
	t.Parallel()

	path := filepath.Join(t.TempDir(), "lock")
	unlock, held, err := filelock.TryLock(path)
	if err != nil || !held {
		t.Fatalf("a free lock: held %t, error %v", held, err)
	}
	if _, held, err := filelock.TryLock(path); err != nil || held {
		t.Errorf("a lock that is held: held %t, error %v", held, err)
	}
	unlock()
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file is left: %v", err)
	}
}
