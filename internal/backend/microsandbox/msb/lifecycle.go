package msb

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"
)

// Start boots a sandbox that is stopped or has crashed. It comes up idle: msb
// never runs its startup command again. One that runs is no error, one that is
// starting is ErrStarting.
func (c *Client) Start(ctx context.Context, name string) error {
	err := c.bootOnce(ctx, name)
	for attempt := 1; attempt < boots && tooBusy(err); attempt++ {
		err = c.bootOnce(ctx, name)
	}
	return c.bootAgain(ctx, name, err)
}

func (c *Client) bootOnce(ctx context.Context, name string) error {
	err := c.command(ctx, name, "start")
	if errors.Is(err, ErrStillRunning) {
		return nil
	}
	return err
}

// Stop ends a sandbox. msb sends no signal to its processes: it waits for grace
// until the guest has written its disks. Then the VM is killed, by msb itself
// (0.6) or not. One that does not run is no error.
func (c *Client) Stop(ctx context.Context, name string, grace time.Duration) error {
	err := c.command(ctx, name, "stop", "--timeout="+seconds(grace))
	if errors.Is(err, ErrNotKilled) {
		return c.Kill(ctx, name)
	}
	return err
}

// Resume lets a sandbox go on that is Paused. One that runs is no error.
func (c *Client) Resume(ctx context.Context, name string) error {
	return c.command(ctx, name, "resume")
}

// Kill ends a sandbox like a power cut.
func (c *Client) Kill(ctx context.Context, name string) error {
	return c.command(ctx, name, "stop", "--force")
}

// Remove deletes a sandbox, running or not, and the directory that a boot leaves
// when it fails before msb has recorded it. A missing one is no error.
func (c *Client) Remove(ctx context.Context, name string) error {
	if checkName(name) != nil {
		return nil //nolint:nilerr // Nothing has such a name.
	}
	if err := c.command(ctx, name, "remove", "--force"); err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	return c.clearOrphan(name)
}

// SetResources changes what a stopped sandbox gets when it is started next;
// zero is msb's default. One that runs is ErrNotStopped.
func (c *Client) SetResources(ctx context.Context, name string, memoryMB int64, cpus int) error {
	if err := checkName(name); err != nil {
		return refused("modify", ErrNotFound, err)
	}
	return c.modify(ctx, modifyArguments(name, memoryMB, cpus))
}

// modify changes a sandbox.
func (c *Client) modify(ctx context.Context, args arguments) error {
	out, err := c.output(ctx, args)
	// Whether it was applied is in the answer, with the reasons; standard error
	// says nothing.
	if reasons := refusedChanges(out); reasons != "" {
		return &Error{Args: args.shown, Exit: exitOf(err), Message: reasons, Kind: ErrNotStopped}
	}
	return err
}

// refusedChanges returns why msb did not change a sandbox; empty if it did.
func refusedChanges(out []byte) string {
	var answer struct {
		Applied *bool  `json:"applied"`
		Status  string `json:"status"`
		Changes []struct {
			Field       string `json:"field"`
			Disposition string `json:"disposition"`
			Reason      string `json:"reason"`
		} `json:"changes"`
	}
	if json.Unmarshal(out, &answer) != nil || answer.Applied == nil || *answer.Applied {
		return ""
	}
	reasons := []string{"nothing was changed, the sandbox is " + answer.Status}
	for _, change := range answer.Changes {
		reason := change.Field + " " + change.Disposition
		if change.Reason != "" {
			reason += ", " + change.Reason
		}
		reasons = append(reasons, reason)
	}
	return clean(strings.Join(reasons, "; "))
}

func exitOf(err error) int {
	var failure *Error
	if errors.As(err, &failure) {
		return failure.Exit
	}
	return 0
}

// command runs a command that takes the name of one sandbox and answers nothing.
// msb takes several at once and then tells less about each.
func (c *Client) command(ctx context.Context, name string, words ...string) error {
	if err := checkName(name); err != nil {
		return refused(words[0], ErrNotFound, err)
	}
	_, err := c.output(ctx, plain(append(words, name)...))
	return err
}
