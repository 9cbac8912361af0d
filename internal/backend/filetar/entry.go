package filetar

import (
	"archive/tar"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const defaultFileMode = 0o644

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
