package fake

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"sync"
)

// Entry is one file, directory or symbolic link of a [Filesystem].
type Entry struct {
	Content []byte
	// Mode holds the type as well: a directory or a symbolic link.
	Mode     fs.FileMode
	UID, GID int
	// Target is where a symbolic link points.
	Target string
}

// Filesystem is the files of a container, by absolute path. It is safe for
// concurrent use.
type Filesystem struct {
	mu      sync.Mutex
	entries map[string]Entry
}

func newFilesystem(files map[string]string) *Filesystem {
	f := &Filesystem{entries: map[string]Entry{"/": {Mode: fs.ModeDir | 0o755}}}
	f.put("/etc/passwd", Entry{Content: []byte("root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/nonexistent:/bin/false\n"), Mode: 0o644})
	f.put("/etc/group", Entry{Content: []byte("root:x:0:\nnogroup:x:65534:\n"), Mode: 0o644})
	for name, content := range files {
		f.put(path.Clean(name), Entry{Content: []byte(content), Mode: 0o644})
	}
	return f
}

// clone copies the tree. Contents are shared, which is safe because no write
// changes one: it puts another in its place.
func (f *Filesystem) clone() *Filesystem {
	f.mu.Lock()
	defer f.mu.Unlock()
	return &Filesystem{entries: maps.Clone(f.entries)}
}

// put adds an entry and its missing parents. The caller holds f.mu, or is the
// only one to know f.
func (f *Filesystem) put(name string, entry Entry) {
	for parent := path.Dir(name); ; parent = path.Dir(parent) {
		if _, ok := f.entries[parent]; ok {
			break
		}
		f.entries[parent] = Entry{Mode: fs.ModeDir | 0o755}
	}
	f.entries[name] = entry
}

// Stat returns the entry at a path without following a symbolic link there.
func (f *Filesystem) Stat(name string) (Entry, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	entry, ok := f.entries[path.Clean(name)]
	if !ok {
		return Entry{}, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
	}
	entry.Content = slices.Clone(entry.Content)
	return entry, nil
}

// ReadFile returns the content of a file, through a symbolic link if it is one.
func (f *Filesystem) ReadFile(name string) ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	entry, ok := f.entries[f.resolve(name)]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	if !entry.Mode.IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrInvalid}
	}
	return slices.Clone(entry.Content), nil
}

// WriteFile replaces the content of a file and keeps its mode and owner, or
// makes a new one with mode 0644 and its missing parents.
func (f *Filesystem) WriteFile(name string, content []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	name = f.resolve(name)
	entry, ok := f.entries[name]
	if !ok {
		entry = Entry{Mode: 0o644}
	}
	if !entry.Mode.IsRegular() {
		return &fs.PathError{Op: "write", Path: name, Err: fs.ErrInvalid}
	}
	entry.Content = slices.Clone(content)
	f.put(name, entry)
	return nil
}

// Remove deletes a file or a directory with all below it. A missing one is no
// error.
func (f *Filesystem) Remove(name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	name = path.Clean(name)
	for other := range f.entries {
		if other == name || isBelow(other, name) {
			delete(f.entries, other)
		}
	}
}

// Paths returns every path in order.
func (f *Filesystem) Paths() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Sorted(maps.Keys(f.entries))
}

// resolve follows the symbolic links at the end of a path.
func (f *Filesystem) resolve(name string) string {
	name = path.Clean(name)
	// As many as Linux follows before it gives up with ELOOP.
	for range 40 {
		entry, ok := f.entries[name]
		if !ok || entry.Mode&fs.ModeSymlink == 0 {
			break
		}
		if path.IsAbs(entry.Target) {
			name = path.Clean(entry.Target)
		} else {
			name = path.Join(path.Dir(name), entry.Target)
		}
	}
	return name
}

func (f *Filesystem) size() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	var size int64
	for _, entry := range f.entries {
		size += int64(len(entry.Content))
	}
	return size
}

// fingerprint writes out everything there is, for a digest.
func (f *Filesystem) fingerprint() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []byte
	for _, name := range slices.Sorted(maps.Keys(f.entries)) {
		all = fmt.Appendf(all, "%q %+v\n", name, f.entries[name])
	}
	return string(all)
}

func isBelow(name, dir string) bool {
	for ; name != "/" && name != "."; name = path.Dir(name) {
		if path.Dir(name) == dir {
			return true
		}
	}
	return false
}
