package hostcopy

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Content describes what is at a path of this host.
type Content struct {
	// SHA256 is the digest of a file, as sha256sum prints it. That of a directory
	// is made of the names below it, of what they are, and of what the files hold;
	// modes, owners and times do not count.
	SHA256 string
	// Size is the size of all files together, in bytes.
	Size int64
}

// Read describes what is at a path, or fails with fs.ErrNotExist. A symbolic
// link there is taken for what it is.
func Read(name string) (Content, error) {
	info, err := os.Lstat(name)
	if err != nil {
		return Content{}, err
	}
	root, err := os.OpenRoot(filepath.Dir(name))
	if err != nil {
		return Content{}, err
	}
	defer root.Close()
	base := filepath.Base(name)
	switch {
	case info.Mode().IsRegular():
		sum, size, err := digestFile(root, base)
		return Content{SHA256: hex.EncodeToString(sum), Size: size}, err
	case info.IsDir():
		return readTree(root, base)
	default:
		// No copy is like that.
		return Content{SHA256: "none of " + info.Mode().Type().String()}, nil
	}
}

func readTree(root *os.Root, base string) (Content, error) {
	var content Content
	digest := sha256.New()
	// Each part has its length before it, so that no two trees read alike.
	add := func(parts ...string) {
		for _, part := range parts {
			fmt.Fprintf(digest, "%d:%s", len(part), part)
		}
	}
	// WalkDir visits in lexical order, which makes the digest stable.
	err := fs.WalkDir(root.FS(), filepath.ToSlash(base), func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		below, err := filepath.Rel(base, filepath.FromSlash(name))
		if err != nil {
			return err
		}
		add(filepath.ToSlash(below), entry.Type().String())
		switch {
		case entry.Type().IsRegular():
			sum, size, err := digestFile(root, name)
			if err != nil {
				return err
			}
			content.Size += size
			add(string(sum))
		case entry.Type()&fs.ModeSymlink != 0:
			target, err := root.Readlink(name)
			if err != nil {
				return err
			}
			add(filepath.ToSlash(target))
		}
		return nil
	})
	content.SHA256 = hex.EncodeToString(digest.Sum(nil))
	return content, err
}

func digestFile(root *os.Root, name string) (sum []byte, size int64, err error) {
	file, err := root.Open(name)
	if err != nil {
		return nil, 0, err
	}
	defer file.Close()
	digest := sha256.New()
	size, err = io.Copy(digest, file)
	return digest.Sum(nil), size, err
}
