package docker

import (
	"context"
	"errors"
	"fmt"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/events"
	"github.com/docker/docker/api/types/filters"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// Wait blocks until the container's process has ended.
func (b *Backend) Wait(ctx context.Context, id string) (backend.Exit, error) {
	api, err := b.api(ctx)
	if err != nil {
		return backend.Exit{}, err
	}
	ended, failed := api.ContainerWait(ctx, id, container.WaitConditionNotRunning)
	// The client ends the wait when ctx is done. Not waiting for that would
	// leave a goroutine behind if the exit came at the same moment.
	select {
	case <-ended:
	case err := <-failed:
		return backend.Exit{}, b.fail("wait for container "+id+" to end", err)
	}
	info, err := b.inspect(ctx, id)
	if err != nil {
		return backend.Exit{}, err
	}
	return exitOf(info.State), nil
}

// WaitHealthy blocks until the engine's health check of the container passes. A
// check that fails is waited out: the engine goes on checking, and the caller
// has a deadline.
func (b *Backend) WaitHealthy(ctx context.Context, id string) error {
	api, err := b.api(ctx)
	if err != nil {
		return err
	}
	tried := "wait for container " + id + " to become healthy"
	info, err := b.inspect(ctx, id)
	if err != nil {
		return err
	}
	if healthy, err := health(tried, info.State); healthy || err != nil {
		return b.fail(tried, err)
	}

	ctx, stop := context.WithCancel(ctx)
	defer stop()
	changes, failed := api.Events(ctx, events.ListOptions{
		// The engine answers a moment before it listens (20.10). It remembers
		// its latest events, so that none of those is missed, by its own clock.
		Since: info.State.StartedAt,
		Filters: filters.NewArgs(
			filters.Arg("type", string(events.ContainerEventType)),
			filters.Arg("container", info.ID),
			filters.Arg("event", string(events.ActionHealthStatus)),
			filters.Arg("event", string(events.ActionDie)),
			filters.Arg("event", string(events.ActionDestroy)),
		),
	})
	for {
		// An event only says that it is time to look: those that were remembered
		// may be out of date.
		info, err := b.inspect(ctx, info.ID)
		if err != nil {
			return err
		}
		if healthy, err := health(tried, info.State); healthy || err != nil {
			return b.fail(tried, err)
		}
		select {
		case <-changes:
		case err := <-failed:
			return b.fail(tried, err)
		}
	}
}

// health reports whether the check passes, or why it never will. tried is for
// the error.
func health(tried string, state *container.State) (bool, error) {
	switch {
	case !state.Running:
		return false, fmt.Errorf("it is not running: it is %s, with exit code %d (out of memory: %t)",
			state.Status, state.ExitCode, state.OOMKilled)
	case state.Health == nil || state.Health.Status == container.NoHealthcheck:
		return false, &backend.Error{
			Kind:   backend.ErrUnsupported,
			Tried:  tried,
			Cause:  errors.New("neither the container nor its image declares a health check"),
			Remedy: "Wait for a port, a request or a log line instead.",
		}
	default:
		return state.Health.Status == container.Healthy, nil
	}
}
