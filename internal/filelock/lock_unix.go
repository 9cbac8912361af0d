//go:build unix

package filelock

import (
	"os"
	"syscall"

	"github.com/gofrs/flock"
)

// openFlags keep an open from following a symbolic link and from waiting for
// the other end of a FIFO.
const openFlags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// isBusy reports whether an open failed only for the moment.
func isBusy(error) bool { return false }

// release removes the file while the lock is still held, so that whoever waits
// with the old file open finds out (see isCurrent) instead of sharing the name
// with somebody who made a new one. A file that cannot be removed is harmless.
func release(lock *flock.Flock, path string) {
	if current, _ := isCurrent(lock, path); current {
		_ = os.Remove(path)
	}
	_ = lock.Unlock()
}
