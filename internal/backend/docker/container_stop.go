package docker

import (
	"context"
	"errors"
	"math"
	"time"

	cerrdefs "github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/client"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/faultpoint"
)

// Stop ends the container's process, gracefully within grace.
func (b *Backend) Stop(ctx context.Context, id string, grace time.Duration) error {
	api, err := b.api(ctx)
	if err != nil {
		return err
	}
	info, err := b.inspect(ctx, id)
	if err != nil {
		return err
	}
	if info.State.Paused {
		// A process that is frozen cannot handle the signal: the engine would
		// wait for the whole of grace and then kill it.
		if err := api.ContainerUnpause(ctx, id); err != nil {
			return b.fail("resume container "+id+" to stop it", err)
		}
	}
	seconds := graceSeconds(grace)
	err = againErr(ctx, func() error {
		return api.ContainerStop(ctx, id, container.StopOptions{Timeout: &seconds})
	})
	return b.fail("stop container "+id, err)
}

// graceSeconds rounds up, because a grace below one second would mean none. To
// the engine a negative one means to wait for ever.
func graceSeconds(grace time.Duration) int {
	return max(0, int((grace+time.Second-1)/time.Second))
}

// Remove deletes the container, its anonymous volumes and, with the last
// container that ran from it, the image that was kept for them only.
func (b *Backend) Remove(ctx context.Context, id string) error {
	api, err := b.api(ctx)
	if err != nil {
		return err
	}
	info, err := b.inspect(ctx, id)
	if errors.Is(err, backend.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	err = againErr(ctx, func() error {
		return api.ContainerRemove(ctx, info.ID, container.RemoveOptions{Force: true, RemoveVolumes: true})
	})
	if cerrdefs.IsConflict(err) {
		// Somebody else is removing it. It is gone when they are done.
		err = awaitRemoval(ctx, api, info.ID)
	}
	if err != nil && !cerrdefs.IsNotFound(err) {
		return b.fail("remove container "+id, err)
	}
	faultpoint.Reach(ctx, faultpoint.Removed)
	b.dropUnused(ctx, info.Image)
	return nil
}

// dropUnused removes what a container ran from if it was there for containers
// like this one only and nothing else uses it: a copy of the user's image, or
// the artifact of a checkpoint that has been captured again since.
func (b *Backend) dropUnused(ctx context.Context, id string) {
	img, err := b.inspectImage(ctx, id)
	if err != nil {
		return
	}
	superseded := img.Config.Labels[labelCheckpoint] != "" && len(img.RepoTags) == 0
	if superseded {
		if api, err := b.api(ctx); err == nil {
			b.untag(ctx, api, img.ID)
		}
		return
	}
	b.dropBaseImage(ctx, img)
}

func awaitRemoval(ctx context.Context, api *client.Client, id string) error {
	removed, failed := api.ContainerWait(ctx, id, container.WaitConditionRemoved)
	select {
	case <-removed:
		return nil
	case err := <-failed:
		return err
	}
}

// Update applies new limits to the container in place.
func (b *Backend) Update(ctx context.Context, id string, limits backend.Limits) error {
	api, err := b.api(ctx)
	if err != nil {
		return err
	}
	current, err := b.inspect(ctx, id)
	if err != nil {
		return err
	}
	host, err := api.Info(ctx)
	if err != nil {
		return b.fail("count the processors of the engine", err)
	}
	update := container.UpdateConfig{Resources: updatedResources(current.HostConfig.Resources, limits, host.NCPU)}
	_, err = api.ContainerUpdate(ctx, current.ID, update)
	return failLimits(b.fail("update the limits of container "+id, err))
}

// failLimits says that the limits are at fault if the engine refused them.
func failLimits(err error) error {
	var failure *backend.Error
	if errors.As(err, &failure) && cerrdefs.IsInvalidArgument(failure.Cause) {
		failure.Field = backend.FieldLimits
	}
	return err
}

const (
	mebibyte = 1 << 20
	nanoCPU  = 1e9
	// unboundedMemory stands for no bound. The engine takes zero in an update
	// for "as it was" and refuses -1 (20.10), so that a bound once set can only
	// be raised: to a pebibyte, which no host has.
	unboundedMemory = 1 << 50
	// unboundedCPUs, as the remainder of a number of whole CPUs, stands for no
	// bound. The engine takes zero in an update for "as it was", and refuses
	// more than the host has: a bound once set is raised to all CPUs but this,
	// which nobody asks for, to tell it from a bound of all CPUs.
	unboundedCPUs = 1
)

func resourcesOf(limits backend.Limits) container.Resources {
	return container.Resources{
		Memory:   limits.MemoryMB * mebibyte,
		NanoCPUs: int64(math.Round(limits.CPUs * nanoCPU)),
	}
}

// updatedResources returns the change that turns the current bounds into limits.
func updatedResources(current container.Resources, limits backend.Limits, hostCPUs int) container.Resources {
	wanted := resourcesOf(limits)
	if wanted.Memory == 0 && current.Memory != 0 {
		wanted.Memory = unboundedMemory
	}
	if wanted.NanoCPUs == 0 && current.NanoCPUs != 0 {
		wanted.NanoCPUs = int64(hostCPUs)*nanoCPU - unboundedCPUs
	}
	// What the engine gives a container that is created with a bound on its
	// memory alone. Here it asks for both: the bound on memory and swap together
	// must never be the lower one.
	wanted.MemorySwap = 2 * wanted.Memory
	return wanted
}

// limitsOf is the reverse of resourcesOf.
func limitsOf(resources container.Resources) backend.Limits {
	limits := backend.Limits{
		MemoryMB: resources.Memory / mebibyte,
		CPUs:     float64(resources.NanoCPUs) / nanoCPU,
	}
	if resources.Memory >= unboundedMemory {
		limits.MemoryMB = 0
	}
	if (resources.NanoCPUs+unboundedCPUs)%nanoCPU == 0 {
		limits.CPUs = 0
	}
	return limits
}
