package microsandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"syscall"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/msb"
)

const (
	// archivePrefix begins the names of archives in a container's shareDir.
	archivePrefix = "copy-"
	// exitNoPath is how archiveScript ends if there is no such path.
	exitNoPath = 66
)

// archiveScript archives a path into a file. What is archived has a dot before
// its name, since a name may begin with a hyphen.
const archiveScript = `[ -e "$0" ] || exit 66
target=$(readlink -f "$0") || exit
exec tar -c -f "$1" -C "${target%/*}/" "./${target##*/}"`

// CopyFrom returns the archive of a file or a directory of a container.
//
// The guest writes it into the directory that it shares with this host. msb (0.6)
// would log every byte of it if it went through the output of a command, and its
// own copy would write whatever a guest names into a directory of this host. A
// VM that is down is booted by msb for the length of the command.
func (b *Backend) CopyFrom(ctx context.Context, id, name string) (io.ReadCloser, error) {
	tried := "copy " + name + " out of container " + id
	rec, err := b.managed(ctx, tried, id)
	if err != nil {
		return nil, err
	}
	unlock, err := b.lock(ctx, rec.Name)
	if err != nil {
		return nil, err
	}
	defer unlock()
	details, err := b.details(ctx, tried, rec)
	if err != nil {
		return nil, err
	}
	if details.Status != msb.Running && rec.Given.TmpfsRootMB > 0 {
		return nil, &backend.Error{
			Kind: backend.ErrUnsupported, Tried: tried,
			Cause:  errors.New("all that it held was in memory, and went when it stopped"),
			Remedy: "Copy while the container runs, or unset tmpfs_root_mb.",
		}
	}
	share := filepath.Join(rec.dir, shareDir)
	if err := dropArchives(share); err != nil {
		return nil, b.fail(tried, err)
	}
	archive := archivePrefix + randomID()
	code, _, stderr, err := guest{ctx, b, rec.Name}.run(nil,
		guestShell, "-c", archiveScript, path.Clean(name), guestShare+"/"+archive)
	if err == nil {
		err = archived(tried, name, code, stderr)
	}
	if err != nil {
		_ = dropArchives(share)
		return nil, b.fail(tried, err)
	}
	stream, err := takeArchive(share, archive)
	return stream, b.fail(tried, err)
}

// archived says what the end of archiveScript means.
func archived(tried, name string, code int, stderr string) error {
	switch code {
	case 0:
		return nil
	case exitNoPath:
		return &backend.Error{
			Kind: backend.ErrNotFound, Tried: tried, Field: backend.FieldPath,
			Cause:  fmt.Errorf("the container has no %s", name),
			Remedy: "Check the path, and that what makes it has run before.",
		}
	default:
		return &backend.Error{
			Tried:  tried,
			Cause:  fmt.Errorf("tar ended with exit code %d in the guest: %s", code, summarised(stderr)),
			Remedy: "The image needs a shell, readlink and tar for this.",
		}
	}
}

// takeArchive opens an archive and takes its name away, so that nothing is left
// whatever becomes of this process. A guest may have put something else there.
func takeArchive(share, name string) (io.ReadCloser, error) {
	dir, err := os.OpenRoot(share)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	file, err := dir.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("the guest has left %s in place of an archive", info.Mode())
	}
	if err == nil {
		err = dir.Remove(name)
	}
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	return file, nil
}

// dropArchives removes what a copy that was interrupted has left.
func dropArchives(share string) error {
	dir, err := os.OpenRoot(share)
	if err != nil {
		return err
	}
	defer dir.Close()
	left, err := filepath.Glob(filepath.Join(share, archivePrefix+"*"))
	for _, name := range left {
		err = errors.Join(err, dir.RemoveAll(filepath.Base(name)))
	}
	return err
}
