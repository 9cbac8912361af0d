package fake

import (
	"archive/tar"
	"bytes"
	"context"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// CopyFrom returns the archive of a file or a directory of a container.
func (b *Backend) CopyFrom(ctx context.Context, id, name string) (_ io.ReadCloser, err error) {
	end, err := b.begin(ctx, Call{Method: CopyFrom, Target: id, Path: name})
	if err != nil {
		return nil, err
	}
	defer end(&err)

	b.mu.Lock()
	c, err := b.need(id, "copy "+name+" out of")
	b.mu.Unlock()
	if err != nil {
		return nil, err
	}
	archive, found, err := c.files.archive(name)
	if err == nil && !found {
		err = &backend.Error{
			Kind: backend.ErrNotFound, Tried: b.tried("copy %s out of container %s", name, c.name),
			Remedy: "Check the path.", Field: backend.FieldPath,
		}
	}
	if err != nil {
		return nil, err
	}
	return io.NopCloser(archive), nil
}

// archive writes what is at a path as an engine does.
func (f *Filesystem) archive(name string) (archive io.Reader, found bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	root := f.resolve(name)
	if _, ok := f.entries[root]; !ok {
		return nil, false, nil
	}
	var content bytes.Buffer
	w := tar.NewWriter(&content)
	for _, member := range slices.Sorted(maps.Keys(f.entries)) {
		if member != root && !isBelow(member, root) {
			continue
		}
		entry := f.entries[member]
		header := &tar.Header{
			Typeflag: tar.TypeReg,
			Name:     strings.TrimPrefix(member, strings.TrimSuffix(path.Dir(root), "/")+"/"),
			Mode:     int64(entry.Mode.Perm()), Uid: entry.UID, Gid: entry.GID,
			Size: int64(len(entry.Content)),
		}
		switch {
		case entry.Mode.IsDir():
			header.Typeflag, header.Name = tar.TypeDir, header.Name+"/"
		case entry.Mode&fs.ModeSymlink != 0:
			header.Typeflag, header.Linkname = tar.TypeSymlink, entry.Target
		}
		if err := w.WriteHeader(header); err != nil {
			return nil, false, err
		}
		if _, err := w.Write(entry.Content); err != nil {
			return nil, false, err
		}
	}
	return &content, true, w.Close()
}
