package msb

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// orphan returns the directory msb keeps a sandbox in, if there is one. It is
// an orphan when msb knows no sandbox of that name: then it is all that is left
// of a boot that failed before msb recorded it, or during which the host
// crashed, and nothing can be created under the name while it is there.
func (c *Client) orphan(name string) (string, bool) {
	if c.config.Home == "" || checkName(name) != nil {
		return "", false
	}
	dir := filepath.Join(c.config.Home, "sandboxes", name)
	info, err := os.Lstat(dir)
	return dir, err == nil && info.IsDir()
}

// clearOrphan removes what msb keeps of a sandbox that it no longer knows. A
// link is left alone, and nothing is followed out of the home.
func (c *Client) clearOrphan(name string) error {
	dir, ok := c.orphan(name)
	if !ok {
		return nil
	}
	root, err := os.OpenRoot(filepath.Dir(dir))
	if err == nil {
		err = root.RemoveAll(name)
		_ = root.Close()
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove what msb left of sandbox %s: %w", name, err)
	}
	return nil
}
