package docker

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/docker/docker/api/types/container"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

const (
	defaultFileMode = 0o644
	parentMode      = 0o755
)

// checkSources finds the files that cannot be copied, before anything is pulled
// or created for their sake.
func checkSources(files []backend.File) error {
	for i, f := range files {
		if !path.IsAbs(f.Path) {
			return fileError(i, f, errors.New("the path in the container must be absolute"))
		}
		if f.Source == "" {
			continue
		}
		if _, err := os.Stat(f.Source); err != nil {
			return fileError(i, f, err)
		}
	}
	return nil
}

// copyFiles streams files into a container as one archive.
func (b *Backend) copyFiles(ctx context.Context, id string, files []backend.File) error {
	if len(files) == 0 {
		return nil
	}
	api, err := b.api(ctx)
	if err != nil {
		return err
	}
	// All questions come first: the engine answers none about a container while
	// it unpacks an archive into it.
	plans, err := b.planFiles(ctx, id, files)
	if err != nil {
		return err
	}
	write := func(w io.Writer) error { return writeFiles(tar.NewWriter(w), plans) }
	send := func(r io.Reader) error {
		return api.CopyToContainer(ctx, id, "/", r, container.CopyToContainerOptions{})
	}
	return b.fail("copy files into container "+id, pipe(write, send))
}

// pipe connects what writes a stream to what sends it, and returns the error of
// the one that failed first.
func pipe(write func(io.Writer) error, send func(io.Reader) error) error {
	r, w := io.Pipe()
	written := make(chan error, 1)
	go func() {
		err := write(w)
		w.CloseWithError(err)
		written <- err
	}()
	sendErr := send(r)
	// Lets a writer go whose stream was not read to its end.
	_ = r.Close()
	if err := <-written; err != nil && !errors.Is(err, io.ErrClosedPipe) {
		return err
	}
	return sendErr
}

// filePlan is a file with all that has to be known before it is written.
type filePlan struct {
	backend.File
	index int
	owner owner
	// parents are the directories to make above it, outermost first.
	parents []string
	// kept are the directories of a tree that the container has already. They
	// are not written: that would reset their mode and owner.
	kept map[string]bool
}

func (b *Backend) planFiles(ctx context.Context, id string, files []backend.File) ([]filePlan, error) {
	accounts := accounts{read: func(name string) ([]byte, error) { return b.readFile(ctx, id, name) }}
	directories := directories{
		known: map[string]bool{"/": true},
		stat:  func(name string) (fs.FileMode, bool, error) { return b.statPath(ctx, id, name) },
	}
	plans := make([]filePlan, len(files))
	for i, f := range files {
		f.Path = path.Clean(f.Path)
		plan := filePlan{File: f, index: i, kept: make(map[string]bool)}
		var err error
		if plan.owner, err = accounts.resolve(f.Owner); err != nil {
			return nil, fileError(i, f, err)
		}
		if plan.parents, err = directories.claim(path.Dir(f.Path)); err != nil {
			return nil, fileError(i, f, err)
		}
		if err := plan.resolveSource(directories); err != nil {
			return nil, fileError(i, f, err)
		}
		plans[i] = plan
	}
	return plans, nil
}

// resolveSource follows a source that is a symbolic link, and finds out which
// directories of a tree are there.
func (p *filePlan) resolveSource(directories directories) error {
	if p.Source == "" {
		return nil
	}
	source, err := filepath.EvalSymlinks(p.Source)
	if err != nil {
		return err
	}
	p.Source = source
	return filepath.WalkDir(source, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		target, err := p.target(name)
		if err != nil {
			return err
		}
		missing, err := directories.claim(target)
		if err != nil {
			return err
		}
		p.kept[target] = len(missing) == 0
		return nil
	})
}

// target returns where a file below the source goes.
func (p *filePlan) target(name string) (string, error) {
	relative, err := filepath.Rel(p.Source, name)
	if err != nil {
		return "", err
	}
	return path.Join(p.Path, filepath.ToSlash(relative)), nil
}

// directories knows which directories a container has.
type directories struct {
	known map[string]bool
	stat  func(name string) (mode fs.FileMode, found bool, err error)
}

// claim returns the directories that must be made for dir to exist, outermost
// first, and counts them as existing from then on.
func (d directories) claim(dir string) ([]string, error) {
	exists, err := d.exists(dir)
	if exists || err != nil {
		return nil, err
	}
	missing, err := d.claim(path.Dir(dir))
	if err != nil {
		return nil, err
	}
	d.known[dir] = true
	return append(missing, dir), nil
}

func (d directories) exists(dir string) (bool, error) {
	if exists, known := d.known[dir]; known {
		return exists, nil
	}
	// Nothing is below a directory that is not there.
	if exists, err := d.exists(path.Dir(dir)); !exists || err != nil {
		return false, err
	}
	mode, found, err := d.stat(dir)
	if err != nil {
		return false, err
	}
	// What a symbolic link leads to is for the engine to find out.
	if found && !mode.IsDir() && mode&fs.ModeSymlink == 0 {
		return false, fmt.Errorf("%s is not a directory in the container", dir)
	}
	d.known[dir] = found
	return found, nil
}

func writeFiles(w *tar.Writer, plans []filePlan) error {
	for _, plan := range plans {
		if err := plan.write(w); err != nil {
			if errors.Is(err, io.ErrClosedPipe) {
				return err
			}
			return fileError(plan.index, plan.File, err)
		}
	}
	return w.Close()
}

func (p *filePlan) write(w *tar.Writer) error {
	for _, dir := range p.parents {
		if err := w.WriteHeader(directoryHeader(dir)); err != nil {
			return err
		}
	}
	if p.Source == "" {
		header := p.header(p.Path, defaultFileMode)
		header.Size = int64(len(p.Content))
		if err := w.WriteHeader(header); err != nil {
			return err
		}
		_, err := w.Write(p.Content)
		return err
	}
	return filepath.WalkDir(p.Source, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		target, err := p.target(name)
		if err != nil {
			return err
		}
		return p.writeEntry(w, name, target, entry)
	})
}

// writeEntry writes one entry of the source's tree.
func (p *filePlan) writeEntry(w *tar.Writer, name, target string, entry fs.DirEntry) error {
	switch {
	case entry.Type().IsRegular():
		return p.writeRegular(w, name, target)
	case entry.IsDir():
		if p.kept[target] {
			return nil
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		header := directoryHeader(target)
		header.Mode = tarMode(info.Mode())
		header.Uid, header.Gid = p.owner.uid, p.owner.gid
		return w.WriteHeader(header)
	case entry.Type()&fs.ModeSymlink != 0:
		link, err := os.Readlink(name)
		if err != nil {
			return err
		}
		header := p.header(target, fs.ModePerm)
		header.Typeflag = tar.TypeSymlink
		header.Mode = int64(fs.ModePerm)
		header.Linkname = filepath.ToSlash(link)
		return w.WriteHeader(header)
	default:
		return fmt.Errorf("%s is neither a regular file, a directory nor a symbolic link (%s)", name, entry.Type())
	}
}

func (p *filePlan) writeRegular(w *tar.Writer, name, target string) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	header := p.header(target, info.Mode())
	header.Size = info.Size()
	header.ModTime = info.ModTime()
	if err := w.WriteHeader(header); err != nil {
		return err
	}
	// The archive says the size before the content. One byte more than that
	// would be cut off without a trace, so it is looked for.
	n, err := io.Copy(w, io.LimitReader(file, info.Size()))
	if err != nil {
		return err
	}
	if extra, _ := file.Read(make([]byte, 1)); n != info.Size() || extra > 0 {
		return fmt.Errorf("%s changed while it was read: it had %d bytes", name, info.Size())
	}
	return nil
}

// header returns the header of a regular file with the mode and owner that the
// user gave.
func (p *filePlan) header(target string, mode fs.FileMode) *tar.Header {
	if p.Mode != nil {
		mode = *p.Mode
	}
	return &tar.Header{
		Typeflag: tar.TypeReg,
		Name:     archiveName(target),
		Mode:     tarMode(mode),
		Uid:      p.owner.uid,
		Gid:      p.owner.gid,
		ModTime:  time.Now(),
	}
}

func directoryHeader(dir string) *tar.Header {
	return &tar.Header{
		Typeflag: tar.TypeDir,
		Name:     archiveName(dir) + "/",
		Mode:     parentMode,
		ModTime:  time.Now(),
	}
}

// archiveName makes a path relative to the root that archives are unpacked at.
func archiveName(target string) string { return strings.TrimPrefix(target, "/") }

// tarMode turns a mode into Unix bits. Callers may have set the special bits in
// Go's form or, as from an octal number, in that of Unix.
func tarMode(mode fs.FileMode) int64 {
	bits := int64(mode & 0o7777)
	for flag, bit := range map[fs.FileMode]int64{fs.ModeSetuid: 0o4000, fs.ModeSetgid: 0o2000, fs.ModeSticky: 0o1000} {
		if mode&flag != 0 {
			bits |= bit
		}
	}
	return bits
}

func fileError(index int, f backend.File, cause error) error {
	var known *backend.Error
	if errors.As(cause, &known) {
		// The engine's, when it was asked about the container.
		return cause
	}
	source := f.Source
	if source == "" {
		source = "its content"
	}
	return &backend.Error{
		Tried: fmt.Sprintf("copy %s to %s in the container", source, f.Path),
		Cause: cause,
		Field: backend.FieldFiles,
		Index: index,
	}
}
