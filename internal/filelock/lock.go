package filelock

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

const (
	// A lock that is held for milliseconds is noticed within milliseconds; one
	// that is held for minutes costs its waiters twenty system calls a second.
	firstDelay = time.Millisecond
	lastDelay  = 50 * time.Millisecond

	// maxBusy bounds how often an open that the platform calls busy is tried
	// again: it is over in an instant, or it is not what it looks like.
	maxBusy = 20
)

// Lock waits for the lock that path names and takes it. It makes the parent
// directory, for the owner alone, if it is missing. The lock is held until
// unlock is called or the process ends; unlock may be called more than once and
// leaves no file behind.
//
// Lock is not reentrant, and it gives up as soon as ctx is done.
func Lock(ctx context.Context, path string) (unlock func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("take lock %s: %w", path, err)
	}
	lock, path, err := prepare(path)
	if err != nil {
		return nil, err
	}

	// There is no blocking flock that a context could end, hence the polling.
	busy := 0
	for delay := firstDelay; ; delay = min(2*delay, lastDelay) {
		held, err := try(lock, path)
		switch {
		case err == nil && held:
			return sync.OnceFunc(func() { release(lock, path) }), nil
		case err == nil:
			busy = 0
		case isBusy(err) && busy < maxBusy:
			busy++
		default:
			return nil, fmt.Errorf("take lock: %w", err)
		}

		timer := time.NewTimer(delay)
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil, fmt.Errorf("wait for lock %s, held by another operation or process: %w", path, ctx.Err())
		case <-timer.C:
		}
	}
}

// TryLock is [Lock] without waiting; held is false if somebody else holds the
// lock.
func TryLock(path string) (unlock func(), held bool, err error) {
	lock, path, err := prepare(path)
	if err != nil {
		return nil, false, err
	}
	held, err = try(lock, path)
	switch {
	case isBusy(err):
		return nil, false, nil
	case err != nil:
		return nil, false, fmt.Errorf("take lock: %w", err)
	case !held:
		return nil, false, nil
	}
	return sync.OnceFunc(func() { release(lock, path) }), true, nil
}

// prepare returns a lock that is not taken yet, and its path made absolute: the
// working directory may have changed by the time of unlock.
func prepare(path string) (*flock.Flock, string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, "", fmt.Errorf("locate lock file: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, "", fmt.Errorf("make directory of lock file: %w", err)
	}
	// Opened for writing, because NFS emulates flock by a record lock and
	// grants an exclusive one only to a writer.
	return flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR|openFlags), flock.SetPermissions(0o600)), path, nil
}

// try takes the lock if nobody holds it.
func try(lock *flock.Flock, path string) (held bool, err error) {
	for {
		locked, err := lock.TryLock()
		if err != nil {
			return false, explain(path, err)
		}
		if !locked {
			return false, nil
		}
		current, err := isCurrent(lock, path)
		if current {
			return true, nil
		}
		_ = lock.Unlock()
		if err != nil {
			return false, err
		}
		// The file was opened before its holder removed it, so this was the
		// lock of a name that is gone. The next open makes a new file.
	}
}

// isCurrent reports whether the file that lock has open is still the one at
// path.
func isCurrent(lock *flock.Flock, path string) (bool, error) {
	open, err := lock.Stat()
	if err != nil {
		return false, err
	}
	if !open.Mode().IsRegular() {
		return false, notRegular(path)
	}
	present, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return os.SameFile(open, present), nil
}

// explain replaces the errors that systems give for opening a symbolic link, a
// directory or a device, which differ and mislead ("too many levels of symbolic
// links").
func explain(path string, err error) error {
	info, statErr := os.Lstat(path)
	if statErr == nil && !info.Mode().IsRegular() {
		return notRegular(path)
	}
	return err
}

func notRegular(path string) error {
	return fmt.Errorf("%s is not a regular file: remove it", path)
}
