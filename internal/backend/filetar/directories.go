package filetar

import (
	"archive/tar"
	"fmt"
	"io"
	"io/fs"
	"path"
	"time"
)

// parentMode is the mode of directories that are made above a file.
const parentMode = 0o755

// Directories knows which directories a container has.
type Directories struct {
	known map[string]bool
	stat  func(name string) (mode fs.FileMode, found bool, err error)
}

// NewDirectories returns what is known before stat is asked: the root is there.
func NewDirectories(stat func(name string) (mode fs.FileMode, found bool, err error)) Directories {
	return Directories{known: map[string]bool{"/": true}, stat: stat}
}

// Claim returns the directories that must be made for dir to exist, outermost
// first, and counts them as existing from then on.
func (d Directories) Claim(dir string) ([]string, error) {
	exists, err := d.exists(dir)
	if exists || err != nil {
		return nil, err
	}
	missing, err := d.Claim(path.Dir(dir))
	if err != nil {
		return nil, err
	}
	d.known[dir] = true
	return append(missing, dir), nil
}

func (d Directories) exists(dir string) (bool, error) {
	if exists, known := d.known[dir]; known {
		return exists, nil
	}
	// Nothing is below a directory that is not there.
	if exists, err := d.exists(path.Dir(dir)); !exists || err != nil {
		return false, err
	}
	mode, found, err := d.stat(dir)
	if err != nil {
		return false, err
	}
	// What a symbolic link leads to is for the engine to find out.
	if found && !mode.IsDir() && mode&fs.ModeSymlink == 0 {
		return false, fmt.Errorf("%s is not a directory in the container", dir)
	}
	d.known[dir] = found
	return found, nil
}

// WriteDirectories writes an archive of new directories, outermost first.
func WriteDirectories(to io.Writer, names []string) error {
	w := tar.NewWriter(to)
	for _, name := range names {
		if err := w.WriteHeader(directoryHeader(name)); err != nil {
			return err
		}
	}
	return w.Close()
}

func directoryHeader(dir string) *tar.Header {
	return &tar.Header{
		Typeflag: tar.TypeDir,
		Name:     archiveName(dir) + "/",
		Mode:     parentMode,
		ModTime:  time.Now(),
	}
}
