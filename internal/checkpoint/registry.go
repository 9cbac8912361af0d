package checkpoint

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/rightsize/terraform-provider-rightsize/internal/faultpoint"
	"github.com/rightsize/terraform-provider-rightsize/internal/filelock"
	"github.com/rightsize/terraform-provider-rightsize/internal/safefile"
)

// tempSuffix ends the name of a file that is to become an entry.
const tempSuffix = ".tmp"

// ErrNotFound is a checkpoint that the registry does not know.
var ErrNotFound = errors.New("not found")

// Registry is the directory that holds the entries. Other processes, the
// rightsize libraries among them, read and write it at the same time: an entry
// is replaced as a whole, and reading never changes anything.
type Registry struct {
	dir string
}

// Open returns the registry below a cache directory; see [CacheDir]. It does no
// I/O: a directory that does not exist is an empty registry.
func Open(cacheDir string) *Registry {
	return &Registry{dir: filepath.Join(cacheDir, "checkpoints")}
}

// Dir is the directory that holds the entries.
func (r *Registry) Dir() string { return r.dir }

// Lock waits until nobody else holds the name's lock and takes it; unlock may
// be called more than once. Whoever replaces or removes an artifact and its
// entry holds it meanwhile, and finds nothing half-written there: what an
// earlier holder left that was killed is removed. The methods of Registry do
// not take the lock, and the rightsize libraries do not know it.
func (r *Registry) Lock(ctx context.Context, name string) (unlock func(), err error) {
	if err := ValidateName(name); err != nil {
		return nil, err
	}
	unlock, err = filelock.Lock(ctx, r.lockPath(name))
	if err != nil {
		return nil, fmt.Errorf("lock checkpoint %q: %w", name, err)
	}
	return r.cleared(name, unlock)
}

// TryLock is [Registry.Lock] without waiting; held is false if somebody else
// holds the lock.
func (r *Registry) TryLock(name string) (unlock func(), held bool, err error) {
	if err := ValidateName(name); err != nil {
		return nil, false, err
	}
	unlock, held, err = filelock.TryLock(r.lockPath(name))
	if err != nil {
		return nil, false, fmt.Errorf("lock checkpoint %q: %w", name, err)
	}
	if held {
		unlock, err = r.cleared(name, unlock)
	}
	return unlock, held && err == nil, err
}

// lockPath is the file of a name's lock. One that ended in .json would be taken
// for an entry by the libraries, and the one for TypeScript then fails to list
// any.
func (r *Registry) lockPath(name string) string { return filepath.Join(r.dir, "."+name+".lock") }

// cleared removes what an earlier holder of the lock left that was killed.
func (r *Registry) cleared(name string, unlock func()) (func(), error) {
	if err := r.removeTemps(name); err != nil {
		unlock()
		return nil, fmt.Errorf("remove what an interrupted write of checkpoint %q left in %s: %w", name, r.dir, err)
	}
	return unlock, nil
}

// removeTemps removes the temporary files of writes that never ended.
func (r *Registry) removeTemps(name string) error {
	root, err := safefile.Open(r.dir)
	if err != nil {
		return err
	}
	defer root.Close()
	files, err := safefile.Names(root)
	if err != nil {
		return err
	}
	for _, file := range files {
		// A name has no dots, so that these are no other name's.
		if !strings.HasPrefix(file, "."+name+".") || !strings.HasSuffix(file, tempSuffix) {
			continue
		}
		if err := root.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// CheckPut reports why Put could not put an entry of that name in its place,
// whatever it holds, or nil if nothing is known to be in the way.
func (r *Registry) CheckPut(name string) error {
	file, err := fileName(name)
	if err != nil {
		return err
	}
	info, err := os.Lstat(filepath.Join(r.dir, file))
	if err == nil && info.IsDir() {
		return fmt.Errorf("checkpoint %q cannot be registered: %s is a directory; move it away", name, filepath.Join(r.dir, file))
	}
	return nil
}

// Put writes an entry, in place of an earlier one of the same name. Once it
// returns the entry survives a crash of the machine. If it fails the earlier
// entry is as it was, except when only making it durable failed.
func (r *Registry) Put(entry Entry) error {
	file, err := fileName(entry.Name)
	if err != nil {
		return err
	}
	if err := r.put(file, entry); err != nil {
		return fmt.Errorf("write entry of checkpoint %q in %s: %w", entry.Name, r.dir, err)
	}
	return nil
}

func (r *Registry) put(file string, entry Entry) error {
	data, err := Encode(entry)
	if err != nil {
		return err
	}
	root, err := safefile.Make(r.dir)
	if err != nil {
		return err
	}
	defer root.Close()

	temp := "." + entry.Name + "." + rand.Text() + tempSuffix
	if err := safefile.Write(root, temp, data); err != nil {
		return err
	}
	faultpoint.Reach(context.Background(), faultpoint.EntryWritten)
	if err := root.Rename(temp, file); err != nil {
		_ = root.Remove(temp)
		return err
	}
	faultpoint.Reach(context.Background(), faultpoint.EntryRenamed)
	return safefile.Sync(root)
}

// Delete removes an entry, corrupt or not, and reports whether there was one.
// The artifact it names is untouched.
func (r *Registry) Delete(name string) (existed bool, err error) {
	file, err := fileName(name)
	if err != nil {
		return false, err
	}
	existed, err = r.remove(file)
	if err != nil {
		return existed, fmt.Errorf("delete entry of checkpoint %q in %s: %w", name, r.dir, err)
	}
	return existed, nil
}

func (r *Registry) remove(file string) (existed bool, err error) {
	root, err := safefile.Open(r.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer root.Close()
	return safefile.Remove(root, file)
}
