package msb

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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
}

// Snapshot captures the root disk of a stopped sandbox, and returns the digest
// of the snapshot's manifest and the directory that holds it. The caller makes
// sure that the sandbox is Stopped or Crashed: msb captures one that is Starting
// in the middle of its writes, and says nothing. When it fails or is cancelled
// it leaves nothing behind.
func (c *Client) Snapshot(ctx context.Context, s Snapshot) (digest, path string, err error) {
	if err := checkName(s.Sandbox); err != nil {
		return "", "", refused("snapshot create", ErrNotFound, err)
	}
	args, err := snapshotArguments(s)
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
	if manifest, err := ReadManifest(filepath.Join(s.Dir, s.Name)); err == nil {
		// Its row in msb's index goes too. What fails here fails below again.
		cleanup, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTimeout)
		defer cancel()
		_ = c.RemoveSnapshot(cleanup, manifest.Digest)
	}
	return errors.Join(root.RemoveAll("."+s.Name+".staging"), root.RemoveAll(s.Name))
}

// parseSnapshot reads the two lines that msb answers.
func parseSnapshot(out []byte) (digest, path string, err error) {
	digest, path, _ = strings.Cut(strings.TrimRight(string(out), "\n"), "\n")
	if !digestPattern.MatchString(digest) || !filepath.IsAbs(path) || strings.Contains(path, "\n") {
		return "", "", unreadable("snapshot create", fmt.Errorf("%q is not a digest and a path", excerpt(string(out))))
	}
	return digest, path, nil
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

// SnapshotPaths returns the directories in which msb's index has snapshots with
// this digest. An entry may be out of date, and was made by whoever made the
// snapshot: it may be a path of any kind.
func (c *Client) SnapshotPaths(ctx context.Context, digest string) ([]string, error) {
	out, err := c.output(ctx, plain("snapshot", "list", "--format=json"))
	if err != nil {
		return nil, err
	}
	return parseSnapshotPaths(out, digest)
}

func parseSnapshotPaths(out []byte, digest string) ([]string, error) {
	var rows []struct {
		Digest string `json:"digest"`
		Path   string `json:"artifact_path"`
	}
	if err := json.Unmarshal(out, &rows); err != nil {
		return nil, unreadable("snapshot list", err)
	}
	var paths []string
	for _, row := range rows {
		if row.Digest == digest {
			paths = append(paths, row.Path)
		}
	}
	return paths, nil
}

// RemoveSnapshot deletes a snapshot, wherever it is, and its row in msb's index,
// also if somebody has deleted the snapshot already. A missing one is no error.
//
// It takes the digest since names are not unique: a second snapshot of the same
// name takes over the row of the first.
func (c *Client) RemoveSnapshot(ctx context.Context, digest string) error {
	if !digestPattern.MatchString(digest) {
		return refused("snapshot remove", ErrInvalid, fmt.Errorf("%q is not the digest of a snapshot", digest))
	}
	_, err := c.output(ctx, plain("snapshot", "remove", digest))
	if errors.Is(err, ErrSnapshotNotFound) {
		return nil
	}
	return err
}
