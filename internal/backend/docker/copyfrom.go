package docker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"

	cerrdefs "github.com/containerd/errdefs"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// CopyFrom returns the archive of a file or a directory of a container.
func (b *Backend) CopyFrom(ctx context.Context, id, name string) (io.ReadCloser, error) {
	api, err := b.api(ctx)
	if err != nil {
		return nil, err
	}
	tried := "copy " + name + " out of container " + id
	// With a slash or a dot at its end the engine takes it for something else.
	source := path.Clean(name)
	for range maxSymlinks {
		archive, stat, err := api.CopyFromContainer(ctx, id, source)
		if cerrdefs.IsNotFound(err) {
			return nil, b.notThere(ctx, tried, id, source, err)
		}
		if err != nil {
			return nil, b.fail(tried, err)
		}
		if stat.Mode&fs.ModeSymlink == 0 {
			return archive, nil
		}
		_ = archive.Close()
		source = path.Clean(stat.LinkTarget)
	}
	return nil, &backend.Error{
		Kind: backend.ErrNotFound, Tried: tried, Field: backend.FieldPath,
		Cause: fmt.Errorf("more than %d symbolic links lead on from it", maxSymlinks), Remedy: "Give the path of the file itself.",
	}
}

// notThere tells a path that is missing from a container that is: the engine
// answers both in the same way.
func (b *Backend) notThere(ctx context.Context, tried, id, source string, cause error) error {
	_, err := b.Inspect(ctx, id)
	if err != nil && !errors.Is(err, backend.ErrNotFound) {
		return err
	}
	failed := b.fail(tried, cause)
	if failure, ok := errors.AsType[*backend.Error](failed); ok && err == nil {
		failure.Cause = fmt.Errorf("the container has no %s", source)
		failure.Field = backend.FieldPath
		failure.Remedy = "Check the path, and that what makes it has run before."
	}
	return failed
}
