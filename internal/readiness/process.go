package readiness

import (
	"context"
	"fmt"
)

// process is a target whose end is watched by one engine call, however many
// strategies ask for it.
type process struct {
	Target
	// ended is closed when exit and err are final. It stays open if the watch
	// was called off first.
	ended chan struct{}
	exit  Exit
	// err says that the engine could not tell how the process ended.
	err error
	// left is closed when the watch has returned, whatever it learned.
	left chan struct{}
}

func watch(ctx context.Context, target Target) *process {
	p := &process{Target: target, ended: make(chan struct{}), left: make(chan struct{})}
	go func() {
		defer close(p.left)
		exit, err := target.Wait(ctx)
		if err != nil && ctx.Err() != nil {
			return
		}
		if err != nil {
			err = fmt.Errorf("watch the container's process: %w", err)
		}
		p.exit, p.err = exit, err
		close(p.ended)
	}()
	return p
}

func (p *process) Wait(ctx context.Context) (Exit, error) {
	select {
	case <-p.ended:
		return p.exit, p.err
	case <-ctx.Done():
		// The end of the process may be why ctx has ended.
		if p.hasEnded() {
			return p.exit, p.err
		}
		return Exit{}, ctx.Err()
	}
}

func (p *process) hasEnded() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}
