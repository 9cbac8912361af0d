package microsandbox

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// foreignPause is the pause between two questions about a sandbox of which
// nothing but msb knows.
const foreignPause = time.Second

// Wait blocks until the workload has ended.
func (b *Backend) Wait(ctx context.Context, id string) (backend.Exit, error) {
	tried := "wait for container " + id + " to end"
	rec, err := b.records.find(id)
	switch {
	case err == nil && rec.alive():
		// How it ends is found in the record, which nobody has to ask msb for.
		if err := rec.awaitEnd(ctx, 0); err != nil {
			return backend.Exit{}, b.fail(tried, err)
		}
		return rec.exit(), nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return backend.Exit{}, b.absent(tried, id, err)
	}
	c, err := b.Inspect(ctx, id)
	if err != nil {
		return backend.Exit{}, err
	}
	if !c.Managed {
		return b.waitForeign(ctx, c)
	}
	return c.Exit, nil
}

func (b *Backend) waitForeign(ctx context.Context, c backend.Container) (backend.Exit, error) {
	for c.State == backend.StateRunning {
		select {
		case <-time.After(foreignPause):
		case <-ctx.Done():
			return backend.Exit{}, b.fail("wait for container "+c.Name+" to end", ctx.Err())
		}
		var err error
		if c, err = b.Inspect(ctx, c.ID); err != nil {
			return backend.Exit{}, err
		}
	}
	return c.Exit, nil
}

// WaitHealthy fails: msb runs no health checks.
func (b *Backend) WaitHealthy(ctx context.Context, id string) error {
	if _, err := b.Inspect(ctx, id); err != nil {
		return err
	}
	return &backend.Error{
		Kind:   backend.ErrUnsupported,
		Tried:  "wait for container " + id + " to become healthy",
		Cause:  errors.New("microsandbox runs no health checks of images"),
		Remedy: "Wait for a port, a request, a log line or a command instead.",
	}
}
