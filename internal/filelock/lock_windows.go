//go:build windows

package filelock

import (
	"errors"
	"os"
	"syscall"

	"github.com/gofrs/flock"
)

// openFlags keep an open from following a symbolic link.
const openFlags = syscall.FILE_FLAG_OPEN_REPARSE_POINT

// errSharingViolation is ERROR_SHARING_VIOLATION, which syscall does not name.
const errSharingViolation syscall.Errno = 32

// isBusy reports whether an open failed only for the moment: a file that is
// being deleted refuses to be opened until the deletion is complete.
func isBusy(err error) bool {
	return errors.Is(err, errSharingViolation) || errors.Is(err, syscall.ERROR_ACCESS_DENIED)
}

// release unlocks before it removes: Windows refuses to delete a file that
// anybody has open without sharing deletion, this process included, and no
// holder shares it. So the removal succeeds only if nobody waits or holds, and
// otherwise the last of them removes the file.
func release(lock *flock.Flock, path string) {
	_ = lock.Unlock()
	_ = os.Remove(path)
}
