package readiness

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
)

const (
	// DefaultTimeout is the deadline of a plan that sets none. The rightsize
	// libraries have the same.
	DefaultTimeout = 120 * time.Second
	// minTimeout is what every plan gets, so that each strategy has probed once
	// before the deadline, however short it is: a container that is ready
	// already is never reported as late.
	minTimeout = time.Second
	// deathGrace is how long a failed strategy waits for news of the process.
	// When a container dies, calls such as exec may fail before the engine
	// reports the exit, and the exit code says more than their errors.
	deathGrace = 500 * time.Millisecond
)

// Plan is what has to hold before a container counts as ready. A plan without
// strategies holds at once.
type Plan struct {
	Strategies []Strategy
	// Timeout is the one deadline for all of them; zero means DefaultTimeout,
	// and less than a second means a second. The deadline of the context that
	// Wait is given counts too, if it is earlier.
	Timeout time.Duration
}

// Validate reports every strategy that cannot be waited for as it is written,
// such as a port that is no number. It contacts nothing.
func (p Plan) Validate() error {
	var errs []error
	for _, s := range p.Strategies {
		if v, ok := s.(Validator); ok {
			if err := v.Validate(); err != nil {
				errs = append(errs, fmt.Errorf("wait for %s: %w", s, err))
			}
		}
	}
	return errors.Join(errs...)
}

// Wait blocks until every strategy is met. Otherwise it fails as soon as that
// is certain:
//
//   - with an [*ExitedError] when the process has ended. If the plan holds
//     [Completed], exit code 0 is a success, and a failure only for the
//     strategies that are not met by then;
//   - with the strategy's own error when one can no longer be met;
//   - with the engine's error when it can no longer tell whether the process
//     runs;
//   - with a [*TimeoutError] when the deadline has passed;
//   - with [context.Canceled], as it is, when ctx is cancelled.
//
// No goroutine or stream outlives the call.
func (p Plan) Wait(ctx context.Context, target Target) error {
	if err := p.Validate(); err != nil {
		return err
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		return ctx.Err()
	}
	timeout := p.timeout(ctx)
	limited, cancel := limit(ctx, timeout)
	proc := watch(limited, target)
	defer func() {
		cancel()
		<-proc.left
	}()

	pending, failure := p.run(limited, proc)

	if failure != nil {
		select {
		case <-proc.ended:
		case <-time.After(deathGrace):
		case <-limited.Done():
		}
	}
	met := len(pending) == 0 && failure == nil
	switch {
	case !met && errors.Is(ctx.Err(), context.Canceled):
		return ctx.Err()
	case proc.hasEnded() && proc.err != nil:
		return proc.err
	case proc.hasEnded() && (!met || !p.endsWell(proc.exit)):
		return &ExitedError{Exit: proc.exit, Pending: pending, Log: lastLog(ctx, target)}
	case met:
		return nil
	case failure != nil:
		return failure
	}
	return &TimeoutError{Timeout: timeout, Pending: pending, Log: lastLog(ctx, target)}
}

// run waits for all strategies to return. It says which of them are not met,
// and the first error that one of them failed with for good.
func (p Plan) run(ctx context.Context, proc *process) (pending []string, failure error) {
	type outcome struct {
		index int
		err   error
		unmet bool
	}
	// Strategies that need a running process are called off when it has ended
	// as intended; those that read what it left go on.
	all, stopAll := context.WithCancel(ctx)
	defer stopAll()
	running, stopRunning := context.WithCancel(all)
	defer stopRunning()

	outcomes := make(chan outcome)
	for i, s := range p.Strategies {
		strategyCtx := running
		if outlivesProcess(s) {
			strategyCtx = all
		}
		go func() {
			err := s.Wait(strategyCtx, proc)
			// Engine clients do not always wrap the context's error: whatever
			// comes out of a context that has ended is no verdict.
			_, unmet := errors.AsType[*unmetError](err)
			unmet = unmet || strategyCtx.Err() != nil
			outcomes <- outcome{index: i, err: err, unmet: unmet}
		}()
	}

	unmet := make(map[int]error)
	ended := proc.ended
	for left := len(p.Strategies); left > 0; {
		select {
		case o := <-outcomes:
			left--
			if o.err == nil {
				continue
			}
			unmet[o.index] = o.err
			if !o.unmet {
				if failure == nil {
					failure = o.err
				}
				stopAll()
			}
		case <-ended:
			ended = nil
			if proc.err == nil && p.endsWell(proc.exit) {
				stopRunning()
			} else {
				stopAll()
			}
		}
	}
	for _, i := range slices.Sorted(maps.Keys(unmet)) {
		// That the process has ended is the news itself, not what it kept from
		// happening.
		if _, exited := errors.AsType[*ExitedError](unmet[i]); !exited {
			pending = append(pending, describePending(p.Strategies[i], unmet[i]))
		}
	}
	return pending, failure
}

// endsWell says whether the plan waits for the process to end like this.
func (p Plan) endsWell(exit Exit) bool {
	return exit.Code == 0 && slices.ContainsFunc(p.Strategies, func(s Strategy) bool {
		_, ok := s.(Completed)
		return ok
	})
}

func (p Plan) timeout(ctx context.Context) time.Duration {
	timeout := p.Timeout
	if timeout == 0 {
		timeout = DefaultTimeout
	}
	timeout = max(timeout, minTimeout)
	if deadline, ok := ctx.Deadline(); ok {
		timeout = min(timeout, max(0, time.Until(deadline)))
	}
	return timeout
}

// limit returns a context that ends with ctx or after timeout, but shows no
// deadline. The network code of Go, and engine clients with it, compare a
// deadline with the clock by themselves and may fail an instant before the
// context reports its end: the deadline would pass for what a probe saw, or for
// a failure of the engine.
func limit(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	limited, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, cancel)
	timer := time.AfterFunc(timeout, cancel)
	return limited, func() {
		stop()
		timer.Stop()
		cancel()
	}
}
