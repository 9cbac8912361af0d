package readiness

import (
	"context"
	"fmt"
)

// Health waits for the health check that the image declares.
type Health struct{}

func (Health) String() string { return "health check" }

// Wait implements [Strategy].
func (Health) Wait(ctx context.Context, target Target) error {
	err := target.WaitHealthy(ctx)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return &unmetError{observed: "not healthy yet", cause: ctx.Err()}
	}
	return fmt.Errorf("wait for the container's health check: %w", err)
}
