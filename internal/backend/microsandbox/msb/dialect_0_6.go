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
	"time"
)

// dialect06 is msb 0.6, from 0.6.8 on. It was measured with 0.6.18.
type dialect06 struct{}

func (dialect06) features() Features { return Features{MemoryTmp: true, Line: "0.6"} }

// restoreArguments boots a snapshot. Create cannot do that, and run needs a
// startup command: without one it would run the image's.
func (dialect06) restoreArguments(boot Boot) (arguments, error) {
	if err := checkRestore(boot); err != nil {
		return arguments{}, err
	}
	if boot.Memory {
		return arguments{}, fmt.Errorf("msb 0.6 cannot go on with the memory of a snapshot")
	}
	if len(boot.Idle) == 0 || boot.Idle[0] == "" {
		return arguments{}, fmt.Errorf("a restore needs an idle command")
	}
	a := plain("run", "--detach", "--pull=never", "--from-snapshot="+boot.Snapshot)
	if err := a.boot(boot); err != nil {
		return arguments{}, err
	}
	// msb takes one program here, and does not split it.
	a.add("--entrypoint=" + boot.Idle[0])
	a.argv = append(append(a.argv, "--"), boot.Idle[1:]...)
	a.shown = append(a.shown, "--", hidden)
	return a, checkText("the idle command", strings.Join(boot.Idle, " "))
}

func (dialect06) restore(ctx context.Context, c *Client, boot Boot, args arguments) error {
	_, stderr, err := c.run(ctx, args)
	if err == nil {
		err = reused(args, boot.Name, stderr)
		if err == nil {
			err = c.awaitIdle(ctx, boot)
		}
		return err
	}
	return c.bootAgain(ctx, boot.Name, err)
}

// reused recognises that run has found a sandbox of the same name and used
// that, which is not an error to it.
func reused(args arguments, name, stderr string) error {
	if !strings.Contains(stderr, "warn: sandbox '"+name+"' already exists") {
		return nil
	}
	return &Error{Args: args.shown, Message: fmt.Sprintf("sandbox %q %s", name, ErrExists), Kind: ErrExists}
}

const (
	// idlePatience is how long the idle command may take to begin in a VM that
	// is up.
	idlePatience   = time.Minute
	firstIdlePause = 5 * time.Millisecond
	lastIdlePause  = time.Second
)

// awaitIdle waits until the idle command runs. msb reports success when the
// guest answers, and may in the same moment give the VM up, because the command
// was not reached in time.
func (c *Client) awaitIdle(ctx context.Context, boot Boot) error {
	if boot.IdleRuns == nil {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, idlePatience, errors.New("the idle command of the VM did not begin"))
	defer cancel()
	for pause := firstIdlePause; !boot.IdleRuns(); pause = min(2*pause, lastIdlePause) {
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if pause < lastIdlePause {
			continue
		}
		details, err := c.Inspect(ctx, boot.Name)
		if err != nil {
			return err
		}
		if details.Status == Stopped || details.Status == Crashed {
			return c.Start(ctx, boot.Name)
		}
	}
	return nil
}

func (dialect06) snapshotArguments(s Snapshot) (arguments, error) {
	if s.Memory {
		return arguments{}, fmt.Errorf("msb 0.6 cannot capture memory")
	}
	a := plain("snapshot", "create", "--from="+s.Sandbox, "--dest-dir="+s.Dir)
	if s.Integrity {
		a.add("--integrity")
	}
	if err := a.labels(s.Labels); err != nil {
		return arguments{}, err
	}
	a.add(s.Name)
	return a, checkText("an argument", strings.Join(a.argv, " "))
}

// forget goes by the digest, since there is one row for each name, whatever the
// directory. But msb deletes what the row names, and anybody can copy a manifest
// here: it is asked only if that is this directory.
func (dialect06) forget(ctx context.Context, c *Client, path string) error {
	info, err := os.Lstat(path)
	if err != nil || !info.IsDir() {
		return nil //nolint:nilerr // There is nothing to forget.
	}
	manifest, err := ReadManifest(path)
	if err != nil {
		return nil //nolint:nilerr // msb does not know it either.
	}
	indexed, err := c.snapshotPaths(ctx, manifest.Digest)
	if err != nil {
		return err
	}
	for _, row := range indexed {
		if !filepath.IsAbs(row) {
			return nil
		}
		there, err := os.Lstat(row)
		if errors.Is(err, fs.ErrNotExist) {
			continue // Somebody has moved it here: only the row is left.
		}
		if err != nil || !os.SameFile(info, there) {
			return nil //nolint:nilerr // It is not known to be this one.
		}
	}
	if len(indexed) == 0 {
		return nil
	}
	_, err = c.output(ctx, plain("snapshot", "remove", manifest.Digest))
	if errors.Is(err, ErrSnapshotNotFound) {
		return nil
	}
	return err
}

// snapshotPaths returns the directories in which msb's index has snapshots with
// this digest. An entry may be out of date, and was made by whoever made the
// snapshot: it may be a path of any kind.
func (c *Client) snapshotPaths(ctx context.Context, digest string) ([]string, error) {
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
