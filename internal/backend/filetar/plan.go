package filetar

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// Check finds the files that cannot be copied, before anything is pulled
// or created for their sake.
func Check(files []backend.File) error {
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

// Filesystem is what has to be known about a container before files go into it.
type Filesystem interface {
	// ReadFile returns the content of a small file, or fs.ErrNotExist.
	ReadFile(name string) ([]byte, error)
	// Stat returns the type of a file without following a link.
	Stat(name string) (mode fs.FileMode, found bool, err error)
}

// Plan is the archive of files for one container, with everything known that
// depends on the container. It is written after all questions are answered: an
// engine may answer none about a container while it unpacks an archive into it.
type Plan []filePlan

// NewPlan asks the container what the archive of files depends on: who their
// owners are, and which directories are there.
func NewPlan(container Filesystem, files []backend.File) (Plan, error) {
	accounts := accounts{read: container.ReadFile}
	directories := NewDirectories(container.Stat)
	plans := make(Plan, len(files))
	for i, f := range files {
		f.Path = path.Clean(f.Path)
		plan := filePlan{File: f, index: i, kept: make(map[string]bool)}
		var err error
		if plan.owner, err = accounts.resolve(f.Owner); err != nil {
			return nil, fileError(i, f, err)
		}
		if plan.parents, err = directories.Claim(path.Dir(f.Path)); err != nil {
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
func (p *filePlan) resolveSource(directories Directories) error {
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
		missing, err := directories.Claim(target)
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

// Write writes the archive, to be unpacked at the container's root.
func (p Plan) Write(to io.Writer) error {
	w := tar.NewWriter(to)
	for _, plan := range p {
		if err := plan.write(w); err != nil {
			if errors.Is(err, io.ErrClosedPipe) {
				return err
			}
			return fileError(plan.index, plan.File, err)
		}
	}
	return w.Close()
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
