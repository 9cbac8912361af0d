package safefile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// ErrNotRegular is what lies in the place of a file and is none.
var ErrNotRegular = errors.New("it is not a regular file")

// Read reads a regular file whole, or one byte more than limit.
//
// It looks before it opens, because opening a device can have an effect, and
// looks again at what it opened, because that may be something else by then: a
// link that appears in between leads nowhere outside root, and O_NONBLOCK keeps
// a FIFO from waiting for a writer.
func Read(root *os.Root, name string, limit int64) ([]byte, error) {
	info, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, ErrNotRegular
	}
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, ErrNotRegular
	}
	return io.ReadAll(io.LimitReader(f, limit+1))
}

// Write makes a new file for the owner alone. It leaves a durable file or none;
// its name becomes durable with [Sync].
func Write(root *os.Root, name string, data []byte) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		_ = root.Remove(name)
	}
	return err
}

// Remove removes a file, or a link itself, and reports whether there was one. A
// directory in its place is an error, even if it is empty.
func Remove(root *os.Root, name string) (existed bool, err error) {
	info, err := root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if info.IsDir() {
		return false, fmt.Errorf("%s is a directory, not an entry", name)
	}
	err = root.Remove(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, Sync(root)
}
