package msb

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Snapshot says what to capture, and where to.
type Snapshot struct {
	// Name must be unique among all snapshots: msb's index knows only names.
	Name    string
	Sandbox string
	// Dir is the absolute path of the directory that gets one named Name.
	Dir    string
	Labels map[string]string
	// Integrity records checksums of the disk, for VerifySnapshot.
	Integrity bool
	// Memory asks for the memory and the processes of a sandbox that runs, too.
	Memory bool
}

// Snapshot captures the root disk of a sandbox, and returns what msb calls the
// snapshot, see [Manifest.Is], and the directory that holds it. That is the one
// named s.Name, or in it. When it fails or is cancelled it leaves nothing behind.
//
// Where msb has no [Features.Live] the caller makes sure that the sandbox is
// Stopped or Crashed: msb captures one that is Starting in the middle of its
// writes, and says nothing.
func (c *Client) Snapshot(ctx context.Context, s Snapshot) (identity, path string, err error) {
	if err := checkName(s.Sandbox); err != nil {
		return "", "", refused("snapshot create", ErrNotFound, err)
	}
	if err := checkName(s.Name); err != nil {
		return "", "", refused("snapshot create", ErrInvalid, fmt.Errorf("snapshot: %w", err))
	}
	if !filepath.IsAbs(s.Dir) {
		// msb would report a path that is relative to its working directory.
		return "", "", refused("snapshot create", ErrInvalid, fmt.Errorf("the directory of a snapshot, %q, is not absolute", s.Dir))
	}
	args, err := c.dialect.snapshotArguments(s)
	if err != nil {
		return "", "", refused("snapshot create", ErrInvalid, err)
	}
	if _, err := os.Lstat(filepath.Join(s.Dir, s.Name)); !errors.Is(err, fs.ErrNotExist) {
		// What was there before must not be taken for what this call leaves.
		return "", "", refused("snapshot create", ErrSnapshotExists, fmt.Errorf("%s exists", filepath.Join(s.Dir, s.Name)))
	}
	out, err := c.output(ctx, args)
	if err == nil {
		return parseSnapshot(out)
	}
	if !errors.Is(err, ErrSnapshotExists) {
		err = errors.Join(err, c.discard(ctx, s))
	}
	return "", "", err
}

// discard removes what a snapshot that failed or was cancelled leaves: the copy
// of the disk that msb had begun, or even a whole snapshot that nobody will ask
// for.
func (c *Client) discard(ctx context.Context, s Snapshot) error {
	root, err := os.OpenRoot(s.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("remove what is left of snapshot %s: %w", s.Name, err)
	}
	defer root.Close()
	// Its row in msb's index goes too. What fails here fails below again.
	cleanup, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTimeout)
	defer cancel()
	for _, path := range SnapshotsIn(filepath.Join(s.Dir, s.Name)) {
		_ = c.ForgetSnapshot(cleanup, path)
	}
	return errors.Join(root.RemoveAll("."+s.Name+".staging"), root.RemoveAll(s.Name))
}

// identityPattern is what msb calls a snapshot: a digest of its manifest (0.6), or
// a name of its making (0.7).
var identityPattern = regexp.MustCompile(`^(sha256:[0-9a-f]{64}|snap_[0-9a-f]{32})$`)

// parseSnapshot reads the two lines that msb answers.
func parseSnapshot(out []byte) (identity, path string, err error) {
	identity, path, _ = strings.Cut(strings.TrimRight(string(out), "\n"), "\n")
	if !identityPattern.MatchString(identity) || !filepath.IsAbs(path) || strings.Contains(path, "\n") {
		return "", "", unreadable("snapshot create", fmt.Errorf("%q does not name a snapshot and its path", excerpt(string(out))))
	}
	return identity, path, nil
}

// SnapshotsIn returns the directories of snapshots in dir: itself, or the members
// of the group that it is, or of those in it.
func SnapshotsIn(dir string) []string {
	if _, err := os.Lstat(filepath.Join(dir, manifestFile)); err == nil {
		return []string{dir}
	}
	if members := membersOf(dir); len(members) > 0 {
		return members
	}
	var paths []string
	for _, group := range directories(dir) {
		paths = append(paths, membersOf(group)...)
	}
	return paths
}

// membersOf returns the whole snapshots in the directory of a group.
func membersOf(group string) []string {
	return slices.DeleteFunc(directories(group), func(path string) bool {
		if !strings.HasPrefix(filepath.Base(path), snapshotIDPrefix) {
			return true
		}
		_, err := os.Lstat(filepath.Join(path, manifestFile))
		return err != nil
	})
}

// directories returns what is a directory in dir, and no link to one. Names with a
// dot before are msb's, of what is not finished.
func directories(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var paths []string
	for _, entry := range entries {
		if entry.IsDir() && !strings.HasPrefix(entry.Name(), ".") {
			paths = append(paths, filepath.Join(dir, entry.Name()))
		}
	}
	return paths
}

// ForgetSnapshot has msb remove a snapshot with its row in msb's index, if it has
// one. Its files may still be there afterwards.
func (c *Client) ForgetSnapshot(ctx context.Context, path string) error {
	return c.dialect.forget(ctx, c, path)
}

// VerifySnapshot compares a snapshot with the checksums that it has. One
// without is no error.
func (c *Client) VerifySnapshot(ctx context.Context, path string) error {
	if !filepath.IsAbs(path) {
		return refused("snapshot verify", ErrInvalid, fmt.Errorf("%q is not an absolute path", path))
	}
	_, err := c.output(ctx, plain("snapshot", "verify", path))
	return err
}
