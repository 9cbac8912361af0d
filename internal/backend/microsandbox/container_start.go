package microsandbox

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/msb"
)

// Start runs the container's workload. The record knows what that is; of spec,
// the files are needed if those that were put in place are gone.
func (b *Backend) Start(ctx context.Context, id string, spec backend.Spec) error {
	rec, err := b.managed(ctx, "start container "+id, id)
	if err != nil {
		return err
	}
	unlock, err := b.lock(ctx, rec.Name)
	if err != nil {
		return err
	}
	defer unlock()
	return b.start(ctx, rec.Name, spec.Files)
}

// start is Start for whoever holds the lock.
func (b *Backend) start(ctx context.Context, name string, files []backend.File) error {
	tried := "start container " + name
	// Again, since only now nobody else changes it.
	rec, err := b.managed(ctx, tried, name)
	if err != nil {
		return err
	}
	status, err := b.status(ctx, name)
	if err != nil {
		return b.fail(tried, err)
	}
	if status == msb.Running && rec.alive() {
		return nil
	}
	if status != msb.Running || rec.Run != nil {
		if err := b.reboot(ctx, rec, status); err != nil {
			return err
		}
		// A root in memory begins as the image again.
		if rec.Given.TmpfsRootMB > 0 {
			if err := b.furnish(ctx, rec, files); err != nil {
				return err
			}
		}
	}
	return b.begin(ctx, rec)
}

// reboot brings the VM up afresh: what an earlier run has left running there
// would be in the way of the next one.
func (b *Backend) reboot(ctx context.Context, rec *record, status msb.Status) error {
	tried := "start container " + rec.Name
	client, err := b.msb(ctx)
	if err != nil {
		return err
	}
	if status != msb.Stopped && status != msb.Crashed && status != msb.Created {
		if err := client.Stop(ctx, rec.Name, vmGrace); err != nil {
			return b.fail(tried, err)
		}
	}
	if err := checkPorts(ctx, tried, rec.Ports); err != nil {
		return err
	}
	since := time.Now()
	if err := client.Start(ctx, rec.Name); err != nil {
		return b.fail(tried, err)
	}
	if err := b.checkPublished(ctx, rec, since); err != nil {
		// Its ports are somebody else's: it must not look as if it ran.
		stopped, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTimeout)
		defer cancel()
		_ = client.Kill(stopped, rec.Name)
		return err
	}
	return nil
}

// managed returns the record of a container of our making.
func (b *Backend) managed(ctx context.Context, tried, id string) (*record, error) {
	rec, err := b.records.find(id)
	if err == nil {
		return rec, nil
	}
	if !errors.Is(err, fs.ErrNotExist) || !validName.MatchString(id) {
		return nil, b.absent(tried, id, err)
	}
	if _, err := b.status(ctx, id); err != nil {
		return nil, b.fail(tried, err)
	}
	return nil, &backend.Error{
		Kind: backend.ErrUnsupported, Tried: tried,
		Cause:  errors.New("it was not made by this provider, and msb does not tell what is to be run in it"),
		Remedy: "Capture it as a checkpoint, and make a container from that.",
	}
}

// status returns the state of a container's VM.
func (b *Backend) status(ctx context.Context, name string) (msb.Status, error) {
	client, err := b.msb(ctx)
	if err != nil {
		return "", err
	}
	details, err := client.Inspect(ctx, name)
	return details.Status, err
}
