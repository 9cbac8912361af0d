package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/rightsize/terraform-provider-rightsize/internal/safefile"
)

// Get returns the entry of a checkpoint, ErrNotFound, or a [*CorruptError] if
// there is something else in its place.
func (r *Registry) Get(name string) (Entry, error) {
	if err := ValidateName(name); err != nil {
		return Entry{}, err
	}
	root, err := safefile.Open(r.dir)
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
	root, err := safefile.Open(r.dir)
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
	files, err := safefile.Names(root)
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

// read returns the entry of a valid name.
func (r *Registry) read(root *os.Root, name string) (Entry, error) {
	file := name + entrySuffix
	data, err := safefile.Read(root, file, MaxEntrySize)
	if errors.Is(err, fs.ErrNotExist) {
		return Entry{}, r.notFound(name)
	}
	if errors.Is(err, safefile.ErrNotRegular) {
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
