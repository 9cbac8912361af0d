package docker

import (
	"archive/tar"
	"context"
	"fmt"
	"io"
	"io/fs"

	cerrdefs "github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/filetar"
)

const (
	// maxAccountsSize bounds what is read of a file that the container's image
	// controls.
	maxAccountsSize = 4 << 20
	// maxSymlinks is as in Linux.
	maxSymlinks = 40
)

// copyFiles streams files into a container as one archive.
func (b *Backend) copyFiles(ctx context.Context, id string, files []backend.File) error {
	if len(files) == 0 {
		return nil
	}
	api, err := b.api(ctx)
	if err != nil {
		return err
	}
	plan, err := filetar.NewPlan(filesystem{ctx, b, id}, files)
	if err != nil {
		return err
	}
	send := func(r io.Reader) error {
		return api.CopyToContainer(ctx, id, "/", r, container.CopyToContainerOptions{})
	}
	return b.fail("copy files into container "+id, filetar.Pipe(plan.Write, send))
}

// filesystem answers questions about one container's files, for the length of
// one operation.
type filesystem struct {
	ctx context.Context
	b   *Backend
	id  string
}

// ReadFile returns the content of a small file in the container, or
// fs.ErrNotExist.
func (f filesystem) ReadFile(name string) ([]byte, error) {
	api, err := f.b.api(f.ctx)
	if err != nil {
		return nil, err
	}
	for range maxSymlinks {
		archive, stat, err := api.CopyFromContainer(f.ctx, f.id, name)
		if cerrdefs.IsNotFound(err) {
			return nil, fs.ErrNotExist
		}
		if err != nil {
			return nil, f.b.fail("read "+name+" of container "+f.id, err)
		}
		if stat.Mode&fs.ModeSymlink != 0 {
			_ = archive.Close()
			name = stat.LinkTarget
			continue
		}
		content, err := onlyFile(archive)
		_ = archive.Close()
		return content, f.b.fail("read "+name+" of container "+f.id, err)
	}
	return nil, fs.ErrNotExist
}

// onlyFile returns the content of the single file of an archive.
func onlyFile(archive io.Reader) ([]byte, error) {
	r := tar.NewReader(archive)
	header, err := r.Next()
	if err != nil {
		return nil, err
	}
	if header.Typeflag != tar.TypeReg || header.Size > maxAccountsSize {
		return nil, fmt.Errorf("not a regular file of at most %d bytes", maxAccountsSize)
	}
	return io.ReadAll(r)
}

// Stat returns the type of a file in the container.
func (f filesystem) Stat(name string) (mode fs.FileMode, found bool, err error) {
	api, err := f.b.api(f.ctx)
	if err != nil {
		return 0, false, err
	}
	stat, err := api.ContainerStatPath(f.ctx, f.id, name)
	if cerrdefs.IsNotFound(err) {
		return 0, false, nil
	}
	return stat.Mode, err == nil, f.b.fail("look for "+name+" in container "+f.id, err)
}
