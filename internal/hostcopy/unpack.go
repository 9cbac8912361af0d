package hostcopy

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// maxMembers bounds what is kept in memory of an archive: its names.
const maxMembers = 1 << 20

// The modes of what is written. What a container holds is nobody else's
// business, and none of its special bits means anything here.
const (
	fileMode = 0o600
	dirMode  = 0o700
	ownerRun = 0o100
)

// unpacker writes one archive.
type unpacker struct {
	to    *os.Root
	limit int64
	// name is what the first member becomes, and all others are below.
	name string
	// first is the name of the first member.
	first string
	// seen are the members so far, by their path below the first one.
	seen map[string]fs.FileMode
}

// Unpack writes an archive's first member, a file or a directory with what is
// below it, to name in the directory. The members are as a container's engine
// writes them; one that no tree of files explains is an error: a name that leads
// elsewhere, one that is there twice or whose directory is not, a link that
// leads out of the tree, a device, or more than limit bytes.
//
// Files are their owner's to read and write, and to run if they were so in the
// container.
func Unpack(to *os.Root, name string, archive io.Reader, limit int64) error {
	u := &unpacker{to: to, limit: limit, name: name, seen: make(map[string]fs.FileMode)}
	// Headers count as well: they can be as long as their author likes.
	budget := &io.LimitedReader{R: archive, N: limit + 1}
	members := tar.NewReader(budget)
	for {
		header, err := members.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = u.write(header, members, budget.N)
		}
		if budget.N <= 0 {
			return &TooLargeError{Limit: limit}
		}
		if err != nil {
			return err
		}
	}
	if u.first == "" {
		return errors.New("the archive is empty")
	}
	return nil
}

// TooLargeError is an archive that holds more than it may.
type TooLargeError struct{ Limit int64 }

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("it is larger than %d bytes", e.Limit)
}

// MemberError is a member of an archive that is not written.
type MemberError struct {
	Name string
	Err  error
}

func (e *MemberError) Error() string { return fmt.Sprintf("%q: %v", e.Name, e.Err) }

func (e *MemberError) Unwrap() error { return e.Err }

// write writes one member. left is how many bytes the archive may still have.
func (u *unpacker) write(header *tar.Header, content io.Reader, left int64) error {
	if header.Typeflag == tar.TypeXGlobalHeader {
		return nil
	}
	below, err := u.below(header.Name)
	if err == nil {
		err = u.admit(below)
	}
	if err != nil {
		return &MemberError{Name: header.Name, Err: err}
	}
	target := u.target(below)
	mode := fs.FileMode(0)
	switch header.Typeflag {
	case tar.TypeReg:
		// A sparse member has few bytes in the archive and as many as it says on
		// the disk.
		if header.Size > left {
			return &TooLargeError{Limit: u.limit}
		}
		err = u.writeFile(target, header, content)
	case tar.TypeDir:
		mode = fs.ModeDir
		err = u.to.Mkdir(target, dirMode)
	case tar.TypeSymlink:
		mode = fs.ModeSymlink
		if err = staysWithin(below, header.Linkname); err == nil {
			err = u.to.Symlink(filepath.FromSlash(header.Linkname), target)
		}
	case tar.TypeLink:
		err = u.link(target, header.Linkname)
	default:
		err = errors.New("it is neither a file, a directory nor a link")
	}
	if err != nil {
		return &MemberError{Name: header.Name, Err: err}
	}
	u.seen[below] = mode
	return nil
}

// below returns where a member is below the first one, which is ".".
func (u *unpacker) below(member string) (string, error) {
	name := path.Clean(member)
	// What the platform reserves counts as well, such as a drive.
	if !filepath.IsLocal(filepath.FromSlash(name)) || strings.Contains(name, "\x00") {
		return "", errors.New("its name leads elsewhere")
	}
	if u.first == "" {
		u.first = name
	}
	if name == u.first {
		return ".", nil
	}
	below, ok := strings.CutPrefix(name, u.first+"/")
	if !ok {
		return "", fmt.Errorf("it is not below %q, with which the archive begins", u.first)
	}
	return below, nil
}

// admit refuses a member whose place is taken, or that is in no directory of the
// archive: through a link, it would be somewhere else.
func (u *unpacker) admit(below string) error {
	if len(u.seen) >= maxMembers {
		return fmt.Errorf("it is one of more than %d", maxMembers)
	}
	if _, taken := u.seen[below]; taken {
		return errors.New("it is there twice")
	}
	if below == "." {
		return nil
	}
	if parent, ok := u.seen[path.Dir(below)]; !ok || !parent.IsDir() {
		return errors.New("it is in no directory of the archive")
	}
	return nil
}

func (u *unpacker) target(below string) string {
	return filepath.Join(u.name, filepath.FromSlash(below))
}

func (u *unpacker) writeFile(target string, header *tar.Header, content io.Reader) error {
	mode := fs.FileMode(fileMode)
	if header.Mode&ownerRun != 0 {
		mode |= ownerRun
	}
	file, err := u.to.OpenFile(target, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	if _, err := io.Copy(file, content); err != nil {
		_ = file.Close()
		return err
	}
	return file.Close()
}

// link makes a second name of a file that was written before.
func (u *unpacker) link(target, linked string) error {
	below, err := u.below(linked)
	if err != nil {
		return err
	}
	if mode, ok := u.seen[below]; !ok || !mode.IsRegular() {
		return fmt.Errorf("it is a link to %q, which is no file of the archive", linked)
	}
	return u.to.Link(u.target(below), target)
}

// staysWithin refuses the target of a symbolic link that could lead out of the
// tree. Steps up are allowed at its beginning alone, where they go through
// directories: behind another link they would go through who knows what.
func staysWithin(below, target string) error {
	clean := path.Clean(target)
	inside := below != "." && target != "" && !strings.ContainsAny(target, "\\\x00") &&
		!path.IsAbs(target) && clean == strings.TrimSuffix(target, "/") &&
		filepath.IsLocal(filepath.FromSlash(path.Join(path.Dir(below), clean)))
	if !inside {
		return fmt.Errorf("it is a symbolic link that leads out of what is copied, to %q", target)
	}
	return nil
}
