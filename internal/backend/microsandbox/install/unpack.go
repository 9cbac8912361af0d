package install

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

const (
	// maxUnpacked bounds what an archive expands to; a release has 60 MB.
	maxUnpacked = 512 << 20
	// maxMembers bounds the time spent on members that are not wanted.
	maxMembers = 1000

	binaryName = "msb"
)

// libraryPattern is the kernel that msb boots, under the name that it looks for:
// libkrunfw.so.5.6.1 on Linux, libkrunfw.5.dylib on macOS.
var libraryPattern = regexp.MustCompile(`^libkrunfw(\.so(\.[0-9]+)+|(\.[0-9]+)*\.dylib)$`)

// unpack writes msb and its libraries from an archive into dir, and returns the
// names of the libraries. An archive is taken as hostile, whatever its digest:
// nothing but these files is written, under no other name, and any member that
// a release has no reason to contain is an error.
func unpack(archive, dir string) (libraries []string, err error) {
	file, err := os.Open(archive)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		return nil, err
	}
	defer unzipped.Close()

	// Headers count as well: they can be as long as their author likes.
	budget := &io.LimitedReader{R: unzipped, N: maxUnpacked}
	members := tar.NewReader(budget)
	found, size := false, int64(0)
	for n := 0; ; n++ {
		header, err := members.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, tooMuch(budget, err)
		}
		if n >= maxMembers {
			return nil, fmt.Errorf("it has more than %d members", maxMembers)
		}
		name, err := memberName(header)
		if err != nil {
			return nil, err
		}
		switch {
		case name == binaryName:
			found = true
		case libraryPattern.MatchString(name):
			libraries = append(libraries, name)
		default:
			continue
		}
		// A sparse member has few bytes in the archive and as many as it says on
		// the disk.
		if size += header.Size; size > maxUnpacked {
			return nil, errTooMuch
		}
		if err := writeMember(filepath.Join(dir, name), members, header.Size); err != nil {
			return nil, tooMuch(budget, fmt.Errorf("%s: %w", name, err))
		}
	}
	if !found || len(libraries) == 0 {
		return nil, fmt.Errorf("it does not contain both %s and libkrunfw", binaryName)
	}
	return libraries, nil
}

// memberName returns the cleaned name of a member; empty for a directory.
func memberName(header *tar.Header) (string, error) {
	switch header.Typeflag {
	case tar.TypeReg, tar.TypeDir, tar.TypeXGlobalHeader:
	default:
		return "", fmt.Errorf("member %q is neither a regular file nor a directory", header.Name)
	}
	name := header.Name
	if path.IsAbs(name) || strings.ContainsAny(name, "\\\x00") {
		return "", fmt.Errorf("member %q has a name that is not relative", name)
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == ".." {
			return "", fmt.Errorf("member %q leads out of the archive", name)
		}
	}
	if header.Typeflag != tar.TypeReg {
		return "", nil
	}
	return path.Clean(name), nil
}

// writeMember writes one member to a file that must not exist yet: a member that
// is there twice is an error.
func writeMember(to string, from io.Reader, size int64) error {
	if size == 0 {
		return errors.New("it is empty")
	}
	file, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := io.CopyN(file, from, size); err != nil {
		return err
	}
	// The name must not become visible before the content, whatever happens to
	// the machine.
	if err := file.Sync(); err != nil {
		return err
	}
	return file.Close()
}

var errTooMuch = fmt.Errorf("it expands to more than %d bytes", int64(maxUnpacked))

// tooMuch explains an archive that ended because its budget did.
func tooMuch(budget *io.LimitedReader, err error) error {
	if budget.N <= 0 {
		return errTooMuch
	}
	return err
}
