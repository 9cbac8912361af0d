package msb

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
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
	// Memory says that the snapshot holds memory: Restore then goes on with it, and
	// MemoryMB and CPUs are what was captured.
	Memory bool

	Env        map[string]string
	Ports      []backend.PortBinding
	MemoryMB   int64
	CPUs       int
	WorkingDir string
	User       string
	Labels     map[string]string
	// Mounts are directories of the host; their Type is not looked at.
	Mounts []Mount
	// DiskMB and TmpfsRootMB bound the root of a sandbox from an image; at most
	// one of them is set.
	DiskMB      int64
	TmpfsRootMB int64
	NoNetwork   bool
	// Idle is the command that keeps a sandbox up that 0.6 restores: its program,
	// then arguments. All else boots idle without one.
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
		return c.bootAgain(ctx, boot.Name, err)
	})
}

const (
	// boots bounds how often a VM is booted that ended before its guest answered,
	// and bootPause is how long msb takes to be done with one.
	boots     = 3
	bootPause = 2 * time.Second
)

// bootAgain boots a sandbox whose boot has failed with err in a way in which the
// next one may not. Its disk is there.
func (c *Client) bootAgain(ctx context.Context, name string, err error) error {
	for attempt := 1; attempt < boots; attempt++ {
		switch {
		case endedByItself(err):
		case unanswered(err):
			// The VM hangs, and keeps the name.
			if killErr := c.Kill(ctx, name); killErr != nil {
				return errors.Join(err, killErr)
			}
		default:
			return err
		}
		if attempt > 1 {
			select {
			case <-time.After(bootPause):
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		err = c.bootOnce(ctx, name)
	}
	return err
}

// unanswered recognises a VM whose guest has not answered in a minute. One in a
// hundred does not where a processor is emulated.
func unanswered(err error) bool {
	var failure *Error
	return errors.As(err, &failure) && strings.HasPrefix(failure.Message, relayTimeout)
}

// relayTimeout begins what msb says of such a one.
const relayTimeout = "runtime error: timed out waiting for agent relay"

// tooBusy recognises a boot that did not begin, since this host was too busy for
// msb to ask its own runtime in time (0.7.2).
func tooBusy(err error) bool {
	var failure *Error
	return errors.As(err, &failure) && strings.HasPrefix(failure.Message, "runtime error: runtime version probe timed out")
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

// Restore boots a snapshot, with its ports open. Nothing of the user's runs in
// it, unless the snapshot holds memory: then its processes go on. When it fails or
// is cancelled it leaves nothing behind.
func (c *Client) Restore(ctx context.Context, boot Boot) error {
	args, err := c.dialect.restoreArguments(boot)
	if err != nil {
		return refused("restore", ErrInvalid, err)
	}
	return c.boot(ctx, boot, func() error { return c.dialect.restore(ctx, c, boot, args) })
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
	for attempt := 1; attempt < boots && tooBusy(err); attempt++ {
		if left := c.removeOwn(ctx, boot); left != nil {
			return errors.Join(err, left)
		}
		err = run()
	}
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

// removeOwn removes a sandbox unless somebody else has made it under the same
// name in the meantime.
func (c *Client) removeOwn(ctx context.Context, boot Boot) error {
	if details, err := c.Inspect(ctx, boot.Name); err == nil && !made(details, boot) {
		return nil
	}
	return c.Remove(ctx, boot.Name)
}

// made says whether a sandbox is the one of this boot. What is mounted into it
// tells, if anything is, since no other has that: labels are the same in many, and
// a restore by 0.7 gives them only when the sandbox is up.
func made(details Details, boot Boot) bool {
	for _, mount := range boot.Mounts {
		mounted := func(m Mount) bool { return m.Guest == mount.Guest && resolved(m.Host) == resolved(mount.Host) }
		if !slices.ContainsFunc(details.Mounts, mounted) {
			return false
		}
	}
	if len(boot.Mounts) > 0 {
		return true
	}
	for key, value := range boot.Labels {
		if found, ok := details.Labels[key]; !ok || found != value {
			return false
		}
	}
	return true
}

// resolved is a path without links, as msb may name it.
func resolved(path string) string {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	return path
}

// relayMissed is what msb says of a VM that ended before its guest answered. A
// restore gives the guest ten seconds for its startup command, and ends the VM
// with it; create and start wait for a minute. Machines that emulate a CPU take
// longer than that.
const relayMissed = "before agent relay became available"
