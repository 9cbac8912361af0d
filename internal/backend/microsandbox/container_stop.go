package microsandbox

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/msb"
	"github.com/rightsize/terraform-provider-rightsize/internal/faultpoint"
)

// vmGrace is how long the guest may take to go down when nothing of the user's
// runs in it any more.
const vmGrace = 10 * time.Second

// Stop ends the workload and then the VM. msb alone would tear the guest down
// under the workload, without a signal to it.
func (b *Backend) Stop(ctx context.Context, id string, grace time.Duration) error {
	tried := "stop container " + id
	name, err := b.nameOf(ctx, tried, id)
	if err != nil {
		return err
	}
	unlock, err := b.lock(ctx, name)
	if err != nil {
		return err
	}
	defer unlock()
	return b.stop(ctx, name, grace)
}

// stop is Stop for whoever holds the lock.
func (b *Backend) stop(ctx context.Context, name string, grace time.Duration) error {
	status, err := b.status(ctx, name)
	if err != nil {
		return b.fail("stop container "+name, err)
	}
	return b.stopFrom(ctx, name, status, grace)
}

// stopFrom is stop for whoever knows the state of the VM.
func (b *Backend) stopFrom(ctx context.Context, name string, status msb.Status, grace time.Duration) error {
	tried := "stop container " + name
	client, err := b.msb(ctx)
	if err != nil {
		return err
	}
	if status == msb.Stopped || status == msb.Crashed {
		return nil
	}
	if status == msb.Paused {
		// It can neither be asked to end nor write its disks out.
		if err := client.Resume(ctx, name); err != nil {
			return b.fail(tried, err)
		}
		status = msb.Running
	}
	rec, err := b.records.load(name)
	if err == nil && status == msb.Running {
		if err := b.halt(ctx, rec, grace); err != nil {
			return b.fail(tried, err)
		}
	}
	return b.fail(tried, client.Stop(ctx, name, vmGrace))
}

// Remove deletes the VM with its disk, and then the record.
func (b *Backend) Remove(ctx context.Context, id string) error {
	name, err := b.nameOf(ctx, "remove container "+id, id)
	if errors.Is(err, backend.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	unlock, err := b.lock(ctx, name)
	if err != nil {
		return err
	}
	defer unlock()
	return b.remove(ctx, name)
}

// remove is Remove for whoever holds the lock.
func (b *Backend) remove(ctx context.Context, name string) error {
	tried := "remove container " + name
	client, err := b.msb(ctx)
	if err != nil {
		return err
	}
	if err := client.Remove(ctx, name); err != nil {
		return b.fail(tried, err)
	}
	faultpoint.Reach(ctx, faultpoint.Removed)
	return b.fail(tried, b.records.remove(name))
}

// nameOf returns the name of a container, ours or not.
func (b *Backend) nameOf(ctx context.Context, tried, id string) (string, error) {
	rec, err := b.records.find(id)
	if err == nil {
		return rec.Name, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", b.absent(tried, id, err)
	}
	if !validName.MatchString(id) {
		return "", missing(tried, id)
	}
	if _, err := b.status(ctx, id); err != nil {
		return "", b.fail(tried, err)
	}
	return id, nil
}

// absent is the error for a record that could not be read.
func (b *Backend) absent(tried, id string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return missing(tried, id)
	}
	return &backend.Error{Tried: tried, Cause: err, Remedy: "Remove the container with msb, and that directory."}
}
