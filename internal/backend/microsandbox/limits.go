package microsandbox

import (
	"context"
	"errors"
	"fmt"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/msb"
)

// Update changes the VM's memory and processors. msb does that to one that is
// stopped: a workload that runs is stopped for it and started again.
func (b *Backend) Update(ctx context.Context, id string, limits backend.Limits) error {
	tried := "change the limits of container " + id
	client, err := b.msb(ctx)
	if err != nil {
		return err
	}
	rec, err := b.managed(ctx, tried, id)
	if err != nil {
		return err
	}
	if err := checkLimits(tried, limits); err != nil {
		return err
	}
	unlock, err := b.lock(ctx, rec.Name)
	if err != nil {
		return err
	}
	defer unlock()
	if rec, err = b.managed(ctx, tried, rec.Name); err != nil {
		return err
	}
	details, err := b.details(ctx, tried, rec)
	if err != nil {
		return err
	}
	running := details.Status == msb.Running && rec.alive()
	if running && rec.Given.TmpfsRootMB > 0 {
		return &backend.Error{
			Kind: backend.ErrUnsupported, Tried: tried,
			Cause:  errors.New("its microVM would have to stop for it, and all that it holds is in memory"),
			Remedy: "Change reset_trigger as well: the container is then made again, with the new limits.",
			Field:  backend.FieldLimits,
		}
	}
	if err := b.stopFrom(ctx, rec.Name, details.Status, backend.DefaultStopTimeout); err != nil {
		if running {
			err = errors.Join(err, b.restart(ctx, rec.Name))
		}
		return err
	}
	err = client.SetResources(ctx, rec.Name, limits.MemoryMB, wholeCPUs(limits.CPUs))
	if err == nil {
		rec.Given.Limits = limits
		err = rec.save()
	}
	err = b.fail(tried, err)
	if !running {
		return err
	}
	// It runs again whatever became of the change, or of ctx.
	back, cancel := context.WithTimeout(context.WithoutCancel(ctx), resumeTimeout)
	defer cancel()
	return errors.Join(err, b.startFrom(back, rec, msb.Stopped, nil))
}

// minMemoryMB is what the guest's kernel and agent need to come up: 32 MiB
// aborts, 48 MiB boots (msb 0.6.18).
const minMemoryMB = 48

// checkLimits refuses limits with which no VM boots.
func checkLimits(tried string, limits backend.Limits) error {
	if memory := limits.MemoryMB; memory > 0 && memory < minMemoryMB {
		return &backend.Error{
			Kind: backend.ErrUnsupported, Tried: tried,
			Cause:  fmt.Errorf("a microVM does not boot with %d MiB of memory", memory),
			Remedy: fmt.Sprintf("Give it %d MiB or more.", minMemoryMB),
			Field:  backend.FieldLimits,
		}
	}
	return nil
}
