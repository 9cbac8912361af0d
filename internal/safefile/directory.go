package safefile

import (
	"fmt"
	"os"
)

// Open opens a directory. A FIFO in its place would block os.OpenRoot until
// somebody writes to it.
func Open(dir string) (*os.Root, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s is not a directory", dir)
	}
	return os.OpenRoot(dir)
}

// Make is [Open] of a directory that need not be there: it is then made, for the
// owner alone.
func Make(dir string) (*os.Root, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return Open(dir)
}

// Names returns the names of all the files in the directory.
func Names(root *os.Root) ([]string, error) {
	dir, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return dir.Readdirnames(-1)
}
