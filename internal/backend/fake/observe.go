package fake

import (
	"context"
	"fmt"
	"io"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// Wait blocks until the container does not run.
func (b *Backend) Wait(ctx context.Context, id string) (_ backend.Exit, err error) {
	end, err := b.begin(ctx, Call{Method: Wait, Target: id})
	if err != nil {
		return backend.Exit{}, err
	}
	defer end(&err)

	b.mu.Lock()
	c, err := b.need(id, "wait for")
	if err != nil {
		b.mu.Unlock()
		return backend.Exit{}, err
	}
	process, exit := c.process, c.exit
	b.mu.Unlock()
	if process == nil {
		return exit, nil
	}
	select {
	case <-process.done:
	case <-ctx.Done():
		return backend.Exit{}, ctx.Err()
	}
	return process.exit, nil
}

// WaitHealthy blocks until the program says that it is healthy.
func (b *Backend) WaitHealthy(ctx context.Context, id string) (err error) {
	end, err := b.begin(ctx, Call{Method: WaitHealthy, Target: id})
	if err != nil {
		return err
	}
	defer end(&err)

	b.mu.Lock()
	defer b.mu.Unlock()
	c, err := b.need(id, "wait for the health of")
	if err != nil {
		return err
	}
	tried := b.tried("wait for the health of container %s", c.name)
	if !c.config.healthCheck {
		return &backend.Error{
			Kind: backend.ErrUnsupported, Tried: tried, Cause: fmt.Errorf("its image declares no health check"),
			Remedy: "Wait for a port or for a line of its log.",
		}
	}
	for !c.healthy {
		if !c.running() {
			return &backend.Error{Tried: tried, Cause: fmt.Errorf("%w: it is %s with exit code %d", errNotRunning, c.state, c.exit.Code)}
		}
		if err := b.awaitChange(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// awaitChange gives the lock away until something about c changes. The caller
// holds b.mu, and holds it again afterwards.
func (b *Backend) awaitChange(ctx context.Context, c *container) error {
	changed := c.changed
	b.mu.Unlock()
	defer b.mu.Lock()
	select {
	case <-changed:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Logs returns what the container's processes wrote.
func (b *Backend) Logs(ctx context.Context, id string, opts backend.LogOptions) (_ io.ReadCloser, err error) {
	end, err := b.begin(ctx, Call{Method: Logs, Target: id, Logs: opts})
	if err != nil {
		return nil, err
	}
	defer end(&err)

	b.mu.Lock()
	defer b.mu.Unlock()
	c, err := b.need(id, "read the log of")
	if err != nil {
		return nil, err
	}
	return c.journal.open(ctx, opts), nil
}
