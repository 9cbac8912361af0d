package fake

import (
	"bufio"
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// copyIn puts the spec's files into a new container.
func (f *Filesystem) copyIn(files []backend.File) error {
	for i, file := range files {
		if err := f.copyFile(file); err != nil {
			return &backend.Error{
				Tried:  fmt.Sprintf("copy a file to %s", file.Path),
				Cause:  err,
				Remedy: "Check that the source can be read and that the owner exists in the container.",
				Field:  backend.FieldFiles,
				Index:  i,
			}
		}
	}
	return nil
}

func (f *Filesystem) copyFile(file backend.File) error {
	if !path.IsAbs(file.Path) {
		return fmt.Errorf("%q is not an absolute path", file.Path)
	}
	uid, gid, err := f.owner(file.Owner)
	if err != nil {
		return err
	}
	if file.Source == "" {
		mode := fs.FileMode(0o644)
		if file.Mode != nil {
			mode = file.Mode.Perm()
		}
		f.add(path.Clean(file.Path), Entry{Content: bytes.Clone(file.Content), Mode: mode, UID: uid, GID: gid})
		return nil
	}
	return filepath.WalkDir(file.Source, func(source string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		below, err := filepath.Rel(file.Source, source)
		if err != nil {
			return err
		}
		entry, err := readEntry(source)
		if err != nil {
			return err
		}
		entry.UID, entry.GID = uid, gid
		if file.Mode != nil && entry.Mode.IsRegular() {
			entry.Mode = file.Mode.Perm()
		}
		f.add(path.Join(file.Path, filepath.ToSlash(below)), entry)
		return nil
	})
}

func (f *Filesystem) add(name string, entry Entry) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.put(name, entry)
}

func readEntry(source string) (Entry, error) {
	info, err := os.Lstat(source)
	if err != nil {
		return Entry{}, err
	}
	entry := Entry{Mode: info.Mode()}
	switch {
	case info.IsDir():
	case info.Mode()&fs.ModeSymlink != 0:
		entry.Target, err = os.Readlink(source)
	case info.Mode().IsRegular():
		entry.Content, err = os.ReadFile(source)
	default:
		err = fmt.Errorf("%s is neither a file, a directory nor a symbolic link", source)
	}
	return entry, err
}

// owner reads an owner as chown does: a user alone leaves the group as it is,
// which is root's for a new file.
func (f *Filesystem) owner(owner string) (uid, gid int, err error) {
	if owner == "" {
		return 0, 0, nil
	}
	user, group, hasGroup := strings.Cut(owner, ":")
	uid, err = f.uid(user)
	if err != nil || !hasGroup {
		return uid, 0, err
	}
	if gid, err = strconv.Atoi(group); err == nil {
		return uid, gid, nil
	}
	fields, err := f.lookUp("/etc/group", group)
	if err != nil {
		return 0, 0, err
	}
	gid, err = strconv.Atoi(fields[2])
	return uid, gid, err
}

// uid returns the id of a user given by name or number.
func (f *Filesystem) uid(user string) (int, error) {
	if uid, err := strconv.Atoi(user); err == nil {
		return uid, nil
	}
	fields, err := f.lookUp("/etc/passwd", user)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(fields[2])
}

// lookUp returns the line of a user or group database that begins with name.
func (f *Filesystem) lookUp(database, name string) ([]string, error) {
	content, err := f.ReadFile(database)
	if err != nil {
		return nil, err
	}
	for scanner := bufio.NewScanner(bytes.NewReader(content)); scanner.Scan(); {
		if fields := strings.Split(scanner.Text(), ":"); len(fields) >= 3 && fields[0] == name {
			return fields, nil
		}
	}
	return nil, fmt.Errorf("%s has no entry for %q", database, name)
}
