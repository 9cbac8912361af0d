package hostcopy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/rightsize/terraform-provider-rightsize/internal/faultpoint"
)

const (
	// partialSuffix ends the name of the directory, beside the destination, in
	// which a copy becomes whole. It is the same each time, so that what was
	// interrupted is cleared away by the next copy to the destination.
	partialSuffix = ".rightsize-partial"
	newName       = "new"
	oldName       = "old"
)

// OccupiedError is a destination that holds something else than a copy that is
// known.
type OccupiedError struct{ Destination string }

func (e *OccupiedError) Error() string {
	return fmt.Sprintf("%s is there already, and holds something else", e.Destination)
}

// Place makes a destination hold what the archive holds. If something is there,
// it must have one of the digests in replaces, or hold the very same. Until the
// copy is whole the destination stays as it is. The caller keeps others from
// placing something there at the same time.
func Place(ctx context.Context, destination string, archive io.Reader, limit int64, replaces ...string) (Content, error) {
	parent, base := filepath.Split(destination)
	// Whoever may look into directories that were there is not for us to say.
	if err := os.MkdirAll(parent, dirMode); err != nil {
		return Content{}, err
	}
	root, err := os.OpenRoot(parent)
	if err != nil {
		return Content{}, err
	}
	defer root.Close()
	partial := partialOf(base)
	if err := errors.Join(root.RemoveAll(partial), root.Mkdir(partial, dirMode)); err != nil {
		return Content{}, err
	}
	content, err := place(ctx, root, partial, destination, archive, limit, replaces)
	return content, errors.Join(err, root.RemoveAll(partial))
}

func partialOf(base string) string { return "." + base + partialSuffix }

func place(ctx context.Context, root *os.Root, partial, destination string, archive io.Reader, limit int64, replaces []string) (Content, error) {
	inside, err := root.OpenRoot(partial)
	if err != nil {
		return Content{}, err
	}
	defer inside.Close()
	if err := Unpack(inside, newName, archive, limit); err != nil {
		return Content{}, err
	}
	faultpoint.Reach(ctx, faultpoint.Unpacked)
	if err := ctx.Err(); err != nil {
		return Content{}, err
	}
	content, err := Read(filepath.Join(root.Name(), partial, newName))
	if err != nil {
		return Content{}, err
	}
	there, err := Read(destination)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return Content{}, err
	case there.SHA256 == content.SHA256:
		return content, nil
	case !slices.Contains(replaces, there.SHA256):
		return Content{}, &OccupiedError{Destination: destination}
	}
	base := filepath.Base(destination)
	if err == nil {
		// A directory cannot be replaced in one step, nor a file by one.
		if err := root.Rename(base, filepath.Join(partial, oldName)); err != nil {
			return Content{}, err
		}
	}
	if err := root.Rename(filepath.Join(partial, newName), base); err != nil {
		return Content{}, errors.Join(err, restore(root, partial, base))
	}
	faultpoint.Reach(ctx, faultpoint.Placed)
	return content, nil
}

// restore puts back what the new copy was to replace.
func restore(root *os.Root, partial, base string) error {
	err := root.Rename(filepath.Join(partial, oldName), base)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Remove removes a copy if it still has this digest, and what a copy that was
// interrupted has left beside it. A destination that is not there is no error;
// kept says that it holds something else by now, and stays.
func Remove(destination, sha256 string) (kept bool, err error) {
	parent, base := filepath.Split(destination)
	root, err := os.OpenRoot(parent)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer root.Close()
	if err := root.RemoveAll(partialOf(base)); err != nil {
		return false, err
	}
	there, err := Read(destination)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if there.SHA256 != sha256 {
		return true, nil
	}
	return false, root.RemoveAll(base)
}
