package lifetime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rightsize/terraform-provider-rightsize/internal/filelock"
	"github.com/rightsize/terraform-provider-rightsize/internal/safefile"
)

// Beside a record there may be its lock, and what is to become the record.
const (
	hidden     = "."
	lockSuffix = ".lock"
	tempSuffix = ".tmp"
)

// abandoned is the age from which a file that was to become a record is one of a
// process that was killed: writing takes milliseconds.
const abandoned = time.Hour

// Registry is the directory of the records. Other processes work in it at the
// same time: a record is replaced as a whole, and reading changes nothing.
type Registry struct {
	dir string
}

// Open returns the registry below a cache directory. It does no I/O: a directory
// that does not exist is an empty registry.
func Open(cacheDir string) *Registry {
	return &Registry{dir: filepath.Join(cacheDir, "lifetimes")}
}

// Dir is the directory that holds the records.
func (r *Registry) Dir() string { return r.dir }

// Lock waits until nobody else holds the object's lock and takes it. Whoever
// removes an object because of its record, or changes the record of one that
// exists, holds it meanwhile. Of a checkpoint its name's lock does the same.
func (r *Registry) Lock(ctx context.Context, object Object) (unlock func(), err error) {
	return filelock.Lock(ctx, r.path(hidden+object.file()+lockSuffix))
}

// TryLock is [Registry.Lock] without waiting; held is false if somebody else
// holds the lock.
func (r *Registry) TryLock(object Object) (unlock func(), held bool, err error) {
	return filelock.TryLock(r.path(hidden + object.file() + lockSuffix))
}

func (r *Registry) path(file string) string { return filepath.Join(r.dir, file) }

// Put writes a record in place of an earlier one of the object. Once it returns
// the record survives a crash of the machine; if it fails the earlier one is as
// it was, except when only making it durable failed.
func (r *Registry) Put(record Record) error {
	record.ExpiresAt = record.ExpiresAt.UTC()
	err := record.validate()
	if err == nil {
		err = r.put(record)
	}
	if err != nil {
		return fmt.Errorf("record in %s until when %s %s is wanted: %w", r.dir, record.Kind, record.Name, err)
	}
	return nil
}

func (r *Registry) put(record Record) error {
	data, err := json.Marshal(record)
	if err != nil {
		return err
	}
	root, err := safefile.Make(r.dir)
	if err != nil {
		return err
	}
	defer root.Close()
	file := record.file()
	temp := hidden + file + tempSuffix
	// One of a process that was killed.
	if _, err := safefile.Remove(root, temp); err != nil {
		return err
	}
	if err := safefile.Write(root, temp, data); err != nil {
		return err
	}
	if err := root.Rename(temp, file); err != nil {
		_ = root.Remove(temp)
		return err
	}
	return safefile.Sync(root)
}

// Empty says that nothing has a lifetime, as where nobody uses them: who only
// looks need not even find out which engine it works with. A registry that cannot
// be read is not empty.
func (r *Registry) Empty() bool {
	root, err := safefile.Open(r.dir)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	defer root.Close()
	files, err := safefile.Names(root)
	return err == nil && len(files) == 0
}

// Get returns the record of an object; known is false if there is none, or
// something that is none in its place.
func (r *Registry) Get(object Object) (record Record, known bool, err error) {
	root, err := safefile.Open(r.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return Record{}, false, nil
	}
	if err != nil {
		return Record{}, false, fmt.Errorf("open the registry of lifetimes: %w", err)
	}
	defer root.Close()
	record, err = r.read(root, object.file())
	if _, damaged := errors.AsType[*damagedError](err); damaged || errors.Is(err, fs.ErrNotExist) {
		return Record{}, false, nil
	}
	if err != nil {
		return Record{}, false, fmt.Errorf("read until when %s %s is wanted: %w", object.Kind, object.ID, err)
	}
	return record, true, nil
}

// Delete removes the record of an object. One that is not there is no error.
func (r *Registry) Delete(object Object) error {
	root, err := safefile.Open(r.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("open the registry of lifetimes: %w", err)
	}
	defer root.Close()
	for _, file := range []string{hidden + object.file() + tempSuffix, object.file()} {
		if _, err := safefile.Remove(root, file); err != nil {
			return fmt.Errorf("remove the record of %s %s from %s: %w", object.Kind, object.ID, r.dir, err)
		}
	}
	return nil
}

// List returns all records, checkpoints first, then by name. Of what is none, and
// lies in the place of one, it says why.
func (r *Registry) List() (records []Record, damaged []string, err error) {
	root, err := safefile.Open(r.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("open the registry of lifetimes: %w", err)
	}
	defer root.Close()
	files, err := safefile.Names(root)
	if err != nil {
		return nil, nil, fmt.Errorf("list the registry of lifetimes %s: %w", r.dir, err)
	}
	slices.Sort(files)
	for _, file := range files {
		if strings.HasPrefix(file, hidden) || !strings.HasSuffix(file, fileSuffix) {
			continue
		}
		record, err := r.read(root, file)
		switch {
		case err == nil:
			records = append(records, record)
		case !errors.Is(err, fs.ErrNotExist): // removed since the directory was read
			damaged = append(damaged, err.Error())
		}
	}
	slices.SortFunc(records, compare)
	return records, damaged, nil
}

// damagedError is something in the place of a record that is none.
type damagedError struct{ path, reason string }

func (e *damagedError) Error() string { return e.path + ": " + e.reason }

func (r *Registry) read(root *os.Root, file string) (Record, error) {
	data, err := safefile.Read(root, file, maxRecordSize)
	switch {
	case errors.Is(err, safefile.ErrNotRegular):
		return Record{}, &damagedError{r.path(file), err.Error()}
	case err != nil:
		return Record{}, err
	}
	record, err := decode(data)
	// A copy under another name speaks of an object that has a record of its own.
	if err == nil && record.file() != file {
		err = fmt.Errorf("it is the record of %s %s", record.Kind, record.ID)
	}
	if err != nil {
		return Record{}, &damagedError{r.path(file), err.Error()}
	}
	return record, nil
}

// Tidy removes what processes have left that were killed: locks that nobody
// holds, and files that were to become records.
func (r *Registry) Tidy() error {
	root, err := safefile.Open(r.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer root.Close()
	files, err := safefile.Names(root)
	if err != nil {
		return err
	}
	for _, file := range files {
		switch {
		case !strings.HasPrefix(file, hidden):
		case strings.HasSuffix(file, lockSuffix):
			if unlock, held, err := filelock.TryLock(r.path(file)); err == nil && held {
				unlock()
			}
		case strings.HasSuffix(file, tempSuffix):
			if info, err := root.Lstat(file); err == nil && time.Since(info.ModTime()) > abandoned {
				_ = root.Remove(file)
			}
		}
	}
	return nil
}
