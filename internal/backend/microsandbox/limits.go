package microsandbox

import (
	"context"
	"errors"

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
	if err := checkSpec(backend.Spec{Name: rec.Name, Limits: limits}); err != nil {
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
	status, err := b.status(ctx, rec.Name)
	if err != nil {
		return b.fail(tried, err)
	}
	running := status == msb.Running && rec.alive()
	if running && rec.Given.TmpfsRootMB > 0 {
		return &backend.Error{
			Kind: backend.ErrUnsupported, Tried: tried,
			Cause:  errors.New("its microVM would have to stop for it, and all that it holds is in memory"),
			Remedy: "Change reset_trigger as well: the container is then made again, with the new limits.",
			Field:  backend.FieldLimits,
		}
	}
	if err := b.stop(ctx, rec.Name, backend.DefaultStopTimeout); err != nil {
		return err
	}
	if err := client.SetResources(ctx, rec.Name, limits.MemoryMB, wholeCPUs(limits.CPUs)); err != nil {
		return b.fail(tried, err)
	}
	rec.Given.Limits = limits
	if err := rec.save(); err != nil {
		return b.fail(tried, err)
	}
	if !running {
		return nil
	}
	return b.start(ctx, rec.Name, nil)
}
