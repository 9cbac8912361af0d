package msb

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// Boot is what a sandbox is booted from. A zero field is msb's own default, or
// the image's.
type Boot struct {
	Name string
	// Image is a reference to an image that msb has, for Create.
	Image string
	// Snapshot is the absolute path of a snapshot's directory, for Restore.
	Snapshot string

	Env        map[string]string
	Ports      []backend.PortBinding
	MemoryMB   int64
	CPUs       int
	WorkingDir string
	User       string
	Labels     map[string]string
	// Mounts are directories of the host; their Type is not looked at.
	Mounts []Mount
	// Scripts maps the name of a command in the guest to a file on the host
	// that holds it.
	Scripts map[string]string
	// DiskMB and TmpfsRootMB bound the root of a sandbox from an image; at most
	// one of them is set.
	DiskMB      int64
	TmpfsRootMB int64
	NoNetwork   bool
	// Idle is the command that keeps a restored sandbox up: its program, then
	// arguments. Create boots idle without one.
	Idle []string
	// IdleRuns says whether that command has begun, which it shows in a mounted
	// directory. Nil means that nobody can tell.
	IdleRuns func() bool
}

// cleanupTimeout bounds the removal of what a failed or cancelled boot left. On
// a slow machine a VM takes seconds to be killed.
const cleanupTimeout = time.Minute

// Create boots an image, with its ports open and nothing running. When it fails
// or is cancelled it leaves nothing behind.
func (c *Client) Create(ctx context.Context, boot Boot) error {
	if err := checkReference(boot.Image); err != nil {
		return refused("create", ErrImageReference, err)
	}
	args, err := createArguments(boot)
	if err != nil {
		return refused("create", ErrInvalid, err)
	}
	return c.boot(ctx, boot, func() error {
		_, err := c.output(ctx, args)
		if !endedByItself(err) {
			return err
		}
		return c.startLate(ctx, boot.Name)
	})
}

// endedByItself recognises a VM that went down in good order before its guest
// had answered: one whose idle command was not reached in time, and any now and
// then where a processor is emulated. Its disk is there. A host that cannot boot
// VMs ends them with another status.
func endedByItself(err error) bool {
	var failure *Error
	return errors.As(err, &failure) && errors.Is(err, ErrBoot) &&
		strings.Contains(failure.Message, "(exit status: 0) "+relayMissed)
}

// Restore boots a snapshot, with its ports open and nothing but the idle
// command running. When it fails or is cancelled it leaves nothing behind.
func (c *Client) Restore(ctx context.Context, boot Boot) error {
	args, err := restoreArguments(boot)
	if err != nil {
		return refused("run", ErrInvalid, err)
	}
	return c.boot(ctx, boot, func() error {
		_, stderr, err := c.run(ctx, args)
		if err == nil {
			err = reused(args, boot.Name, stderr)
			if err == nil {
				err = c.awaitIdle(ctx, boot)
			}
			return err
		}
		if !endedByItself(err) {
			return err
		}
		return c.startLate(ctx, boot.Name)
	})
}

const (
	// idlePatience is how long the idle command may take to begin in a VM that
	// is up.
	idlePatience   = time.Minute
	firstIdlePause = 5 * time.Millisecond
	lastIdlePause  = time.Second
	// lateStarts bounds how often a VM is started that ended while it was given
	// up, and latePause is how long msb takes for that.
	lateStarts = 3
	latePause  = 2 * time.Second
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
			return c.startLate(ctx, boot.Name)
		}
	}
	return nil
}

// startLate boots what a restore has left stopped because its idle command was
// too late: the disk is there, and start waits longer. It may come upon the end
// of the VM that was given up.
func (c *Client) startLate(ctx context.Context, name string) error {
	for attempt := 1; ; attempt++ {
		err := c.Start(ctx, name)
		if !endedByItself(err) || attempt == lateStarts {
			return err
		}
		select {
		case <-time.After(latePause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// boot runs what boots a sandbox, and removes what a failure leaves.
func (c *Client) boot(ctx context.Context, boot Boot, run func() error) error {
	// run reuses a sandbox of the same name, and a cancelled create does not
	// say whether it found one. What is there before is never ours to remove.
	switch _, err := c.Inspect(ctx, boot.Name); {
	case err == nil:
		return refused("create "+boot.Name, ErrExists, fmt.Errorf("sandbox %q %w", boot.Name, ErrExists))
	case !errors.Is(err, ErrNotFound):
		return err
	}
	if dir, ok := c.orphan(boot.Name); ok {
		return refused("create "+boot.Name, ErrOrphaned,
			fmt.Errorf("%s is left of a sandbox that msb does not know, or belongs to one that is just being created", dir))
	}

	err := run()
	if err == nil || errors.Is(err, ErrExists) {
		return err
	}
	// msb keeps the name, and a live VM if it was killed during the boot.
	cleanup, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTimeout)
	defer cancel()
	if left := c.removeOwn(cleanup, boot); left != nil {
		return errors.Join(err, fmt.Errorf("sandbox %s: %w: %w", boot.Name, ErrLeft, left))
	}
	return err
}

// removeOwn removes a sandbox unless its labels say that somebody else has made
// it under the same name in the meantime.
func (c *Client) removeOwn(ctx context.Context, boot Boot) error {
	details, err := c.Inspect(ctx, boot.Name)
	if err == nil {
		for key, value := range boot.Labels {
			if found, ok := details.Labels[key]; !ok || found != value {
				return nil
			}
		}
	}
	return c.Remove(ctx, boot.Name)
}

// reused recognises that run has found a sandbox of the same name and used
// that, which is not an error to it.
func reused(args arguments, name, stderr string) error {
	if !strings.Contains(stderr, "warn: sandbox '"+name+"' already exists") {
		return nil
	}
	return &Error{Args: args.shown, Message: fmt.Sprintf("sandbox %q %s", name, ErrExists), Kind: ErrExists}
}

// relayMissed is what msb says of a VM that ended before its guest answered. A
// restore gives the guest ten seconds for its startup command, and ends the VM
// with it; create and start wait for a minute. Machines that emulate a CPU take
// longer than that.
const relayMissed = "before agent relay became available"
