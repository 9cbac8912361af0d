package readiness

import (
	"context"
	"errors"
	"time"
)

// pace is the pause between two probes: it doubles from first up to longest.
type pace struct {
	first, longest time.Duration
}

// attemptTimeout bounds one network probe, so that a connection that hangs
// while the service starts does not use up the whole deadline.
const attemptTimeout = 5 * time.Second

// poll probes at once and then again after each pause, until the probe holds
// or fails with anything but an unmetError. If ctx ends first, it returns what
// the last complete probe saw: the one that ctx cut short saw nothing.
func poll(ctx context.Context, p pace, probe func(context.Context) error) error {
	observed := "no answer yet"
	for pause := p.first; ; pause = min(2*pause, p.longest) {
		err := probe(ctx)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return &unmetError{observed: observed, cause: ctx.Err()}
		}
		unmet, ok := errors.AsType[*unmetError](err)
		if !ok {
			return err
		}
		observed = unmet.observed
		select {
		case <-ctx.Done():
			return &unmetError{observed: observed, cause: ctx.Err()}
		case <-time.After(pause):
		}
	}
}
