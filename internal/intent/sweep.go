package intent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/rightsize/terraform-provider-rightsize/internal/filelock"
)

// ErrElsewhere is what undo answers for a record of another engine, which is
// then kept for who works there.
var ErrElsewhere = errors.New("made on another engine")

// ErrInUse is what undo answers for a record of something that another operation
// works on right now. It is kept for the next sweep.
var ErrInUse = errors.New("in use by another operation")

// sweepLock is the file whose lock a sweep holds. Whoever finds something to
// sweep waits for the others who do: the container that one of them removes may
// have the name that this one is about to use.
const sweepLock = "sweep"

// Sweep gives to undo each operation that ended with its process, and erases
// the record once undo has succeeded. It also removes the lock files of
// processes that were killed. Where there is nothing, it costs one look into the
// directory.
func (j *Journal) Sweep(ctx context.Context, undo func(token string, record Record) error) error {
	files, err := j.others()
	if err != nil || len(files) == 0 {
		return err
	}
	unlock, err := filelock.Lock(ctx, filepath.Join(j.dir, sweepLock))
	if err != nil {
		return err
	}
	defer unlock()

	if files, err = j.others(); err != nil {
		return err
	}
	var tokens []string
	for _, file := range files {
		token, isIntent := tokenOf(file)
		switch {
		case isIntent:
			tokens = append(tokens, token)
		case file != sweepLock:
			removeStale(filepath.Join(j.dir, file))
		}
	}
	slices.Sort(tokens)
	var errs []error
	for _, token := range slices.Compact(tokens) {
		if err := j.sweep(token, undo); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func (j *Journal) sweep(token string, undo func(string, Record) error) error {
	unlock, held, err := filelock.TryLock(j.path(token, lockSuffix))
	if err != nil || !held {
		return err // or under way
	}
	defer unlock()
	record, ok := j.read(token)
	if ok && record.Kept {
		return nil
	}
	if ok {
		err := undo(token, record)
		if errors.Is(err, ErrElsewhere) || errors.Is(err, ErrInUse) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("clear away what an interrupted operation left of %s: %w", cmp.Or(record.Network, record.Container), err)
		}
	}
	// One that never had its record written has made nothing.
	return j.erase(token)
}

// removeStale removes a lock's file unless somebody holds the lock.
func removeStale(path string) {
	if unlock, held, err := filelock.TryLock(path); err == nil && held {
		unlock()
	}
}

// Kept returns the tokens of the containers with this name that were left for
// their user.
func (j *Journal) Kept(record Record) ([]string, error) {
	files, err := j.others()
	if err != nil {
		return nil, err
	}
	record.Kept = true
	var tokens []string
	for _, file := range files {
		token, isIntent := tokenOf(file)
		if !isIntent || file != prefix+token+recordSuffix {
			continue
		}
		found, ok := j.read(token)
		found.Checkpoint = ""
		if ok && found == record {
			tokens = append(tokens, token)
		}
	}
	return tokens, nil
}

// Forget erases the record of a container that was kept and is gone now.
func (j *Journal) Forget(token string) error { return j.erase(token) }

// others returns the files in the directory, except those of the intents of
// this process.
func (j *Journal) others() ([]string, error) {
	dir, err := os.Open(j.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for interrupted operations: %w", err)
	}
	defer dir.Close()
	files, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, fmt.Errorf("look for interrupted operations: %w", err)
	}
	return slices.DeleteFunc(files, func(file string) bool {
		token, isIntent := tokenOf(file)
		return isIntent && j.owns(token)
	}), nil
}
