package msb

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// dialect07 is msb 0.7. It was measured with 0.7.2.
type dialect07 struct{}

func (dialect07) features() Features { return Features{Live: true, Memory: true, Line: "0.7"} }

// restoreArguments boots a snapshot. Of what create is given, restore takes no
// environment, labels, working directory and command; it boots idle.
func (dialect07) restoreArguments(boot Boot) (arguments, error) {
	if err := checkRestore(boot); err != nil {
		return arguments{}, err
	}
	a := plain("restore", "--name="+boot.Name)
	if boot.Memory {
		// What goes on with its memory goes on with its processors, too. Its kernel
		// knows files of the source's mounts, which these do not have: msb would
		// refuse it for them, though nothing has them open.
		a.add("--external-mount-policy=relaxed")
	} else {
		a.machine(boot)
	}
	a.reach(boot)
	if err := a.mounts("--volume=", boot.Mounts); err != nil {
		return arguments{}, err
	}
	a.add(boot.Snapshot)
	return a, checkText("an argument", strings.Join(a.argv, " "))
}

func (d dialect07) restore(ctx context.Context, c *Client, boot Boot, args arguments) error {
	_, err := c.output(ctx, args)
	if boot.Memory {
		err = d.resumeAgain(ctx, c, boot, args, err)
	} else {
		err = c.bootAgain(ctx, boot.Name, err)
	}
	if err != nil || len(boot.Labels) == 0 {
		return err
	}
	return d.label(ctx, c, boot)
}

// resumeAgain restores a snapshot with memory once more whose VM has failed in a way
// in which the next one may not. What is left of it cannot be started: its memory
// is gone.
func (dialect07) resumeAgain(ctx context.Context, c *Client, boot Boot, args arguments, err error) error {
	for attempt := 1; attempt < boots && (endedByItself(err) || unanswered(err)); attempt++ {
		if removeErr := c.Remove(ctx, boot.Name); removeErr != nil {
			return errors.Join(err, removeErr)
		}
		_, err = c.output(ctx, args)
	}
	return err
}

// label gives a sandbox that was restored its labels. Those of the image it has.
func (dialect07) label(ctx context.Context, c *Client, boot Boot) error {
	a := plain("modify", "--next-start", "--format=json")
	if err := a.labels(boot.Labels); err != nil {
		return refused("modify", ErrInvalid, err)
	}
	a.add(boot.Name)
	return c.modify(ctx, a)
}

// snapshotMember is the name of the one snapshot in each group: a group stands
// for an artifact, since its name is what can be chosen.
const snapshotMember = "checkpoint"

func (dialect07) snapshotArguments(s Snapshot) (arguments, error) {
	// In a directory of its own, since msb leaves files beside the group.
	a := plain("snapshot", "create", "--from-sandbox="+s.Sandbox, "--group="+s.Name, "--dest-dir="+filepath.Join(s.Dir, s.Name))
	if s.Memory {
		// By itself it does not flush here, and the disk alone would lack what the
		// guest had not written yet.
		a.add("--full", "--guest-flush=required")
	}
	if s.Integrity {
		a.add("--integrity")
	}
	if err := a.labels(s.Labels); err != nil {
		return arguments{}, err
	}
	a.add(snapshotMember)
	return a, checkText("an argument", strings.Join(a.argv, " "))
}

// forget goes by the path: it is the one address of a snapshot outside of msb's
// own directory, and of each that 0.6 made. Later captures of the same sandbox
// count as children, and keep all that they need.
func (dialect07) forget(ctx context.Context, c *Client, path string) error {
	if !filepath.IsAbs(path) {
		return refused("snapshot remove", ErrInvalid, fmt.Errorf("%q is not an absolute path", path))
	}
	if _, err := ReadManifest(path); err != nil {
		return nil //nolint:nilerr // msb cannot read it either.
	}
	_, err := c.output(ctx, plain("snapshot", "remove", "--force", path))
	if errors.Is(err, ErrSnapshotNotFound) || errors.Is(err, ErrIntegrity) {
		return nil
	}
	return err
}

// captureTiming is a line of the system's log for each capture of a sandbox that
// ran, with how long it stood still: of a disk, and of memory too.
var captureTiming = regexp.MustCompile(` timing operation="capture(?:_disk)?" .*\b(?:pause_us|workload_unavailable_us)=(\d{1,15})\b`)

// CapturePause returns how long a sandbox has stood still for its latest capture,
// of the records of its system log; zero if none of them tells.
func CapturePause(records []LogRecord) time.Duration {
	var pause time.Duration
	for _, record := range records {
		if m := captureTiming.FindStringSubmatch(record.Text); m != nil {
			us, _ := strconv.ParseInt(m[1], 10, 64) // The pattern lets nothing else pass.
			pause = time.Duration(us) * time.Microsecond
		}
	}
	return pause
}

// Compact merges the layers that captures have added to a sandbox's disk, while
// it runs. It writes what they hold anew.
func (c *Client) Compact(ctx context.Context, name string) error {
	return c.command(ctx, name, "modify", "--compact")
}
