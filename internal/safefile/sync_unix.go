//go:build unix

package safefile

import (
	"errors"
	"os"
	"syscall"
)

// Sync makes the names in a directory durable.
func Sync(root *os.Root) error {
	dir, err := root.Open(".")
	if err != nil {
		return err
	}
	defer dir.Close()
	err = dir.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return nil // some network and FUSE file systems have no such operation
	}
	return err
}
