package checkpoint

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// Get returns the entry of a checkpoint, ErrNotFound, or a [*CorruptError] if
// there is something else in its place.
func (r *Registry) Get(name string) (Entry, error) {
	if err := ValidateName(name); err != nil {
		return Entry{}, err
	}
	root, err := openRoot(r.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return Entry{}, r.notFound(name)
	}
	if err != nil {
		return Entry{}, fmt.Errorf("open checkpoint registry: %w", err)
	}
	defer root.Close()
	return r.read(root, name)
}

// List returns all entries by name, and apart from them what lies in the place
// of an entry and is none. It does not ask whether their artifacts exist.
func (r *Registry) List() ([]Entry, []*CorruptError, error) {
	root, err := openRoot(r.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("open checkpoint registry: %w", err)
	}
	defer root.Close()

	names, err := entryNames(root)
	if err != nil {
		return nil, nil, fmt.Errorf("list checkpoint registry %s: %w", r.dir, err)
	}
	var entries []Entry
	var corrupt []*CorruptError
	for _, name := range names {
		entry, err := r.read(root, name)
		if err == nil {
			entries = append(entries, entry)
			continue
		}
		if errors.Is(err, ErrNotFound) {
			continue // removed since the directory was read
		}
		bad, ok := errors.AsType[*CorruptError](err)
		if !ok {
			return nil, nil, err
		}
		corrupt = append(corrupt, bad)
	}
	return entries, corrupt, nil
}

// entryNames returns the names of the checkpoints in the directory, in order.
func entryNames(root *os.Root) ([]string, error) {
	files, err := fileNames(root)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, file := range files {
		if name, ok := entryName(file); ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// fileNames returns the names of all the files in the directory.
func fileNames(root *os.Root) ([]string, error) {
	dir, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return dir.Readdirnames(-1)
}

// read returns the entry of a valid name.
func (r *Registry) read(root *os.Root, name string) (Entry, error) {
	file := name + entrySuffix
	data, err := readRegular(root, file)
	if errors.Is(err, fs.ErrNotExist) {
		return Entry{}, r.notFound(name)
	}
	if errors.Is(err, errNotRegular) {
		return Entry{}, r.corrupt(file, err.Error())
	}
	if err != nil {
		return Entry{}, fmt.Errorf("read entry of checkpoint %q in %s: %w", name, r.dir, err)
	}
	entry, err := decodeEntry(data)
	if err != nil {
		return Entry{}, r.corrupt(file, err.Error())
	}
	if entry.Name != name {
		return Entry{}, r.corrupt(file, fmt.Sprintf("it is the entry of %q", entry.Name))
	}
	return entry, nil
}

func (r *Registry) notFound(name string) error {
	return fmt.Errorf("checkpoint %q in %s: %w", name, r.dir, ErrNotFound)
}

func (r *Registry) corrupt(file, reason string) *CorruptError {
	return &CorruptError{Path: filepath.Join(r.dir, file), Reason: reason}
}

var errNotRegular = errors.New("it is not a regular file")

// readRegular reads a file whole, or one byte more than an entry may have.
//
// It looks before it opens, because opening a device can have an effect, and
// looks again at what it opened, because that may be something else by then: a
// link that appears in between leads nowhere outside root, and O_NONBLOCK keeps
// a FIFO from waiting for a writer.
func readRegular(root *os.Root, name string) ([]byte, error) {
	info, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errNotRegular
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
		return nil, errNotRegular
	}
	return io.ReadAll(io.LimitReader(f, MaxEntrySize+1))
}
