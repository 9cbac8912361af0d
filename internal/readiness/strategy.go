package readiness

import (
	"context"
	"errors"
	"fmt"
)

// Strategy is one condition that a container has to meet. The strategies of
// this package are plain values.
type Strategy interface {
	// String describes the condition, without anything that may be secret.
	fmt.Stringer
	// Wait returns nil as soon as the condition is met. If ctx ends first, it
	// returns an error that says what it saw last; any error before that means
	// that the condition can no longer be met.
	Wait(ctx context.Context, target Target) error
}

// Validator is an optional interface of a Strategy that not every value makes
// sense for. Validate contacts nothing, so that a mistake can be reported
// while planning.
type Validator interface {
	Validate() error
}

// outlivesProcess says whether a strategy can still be met after the process
// has ended, by what it left behind.
func outlivesProcess(s Strategy) bool {
	switch s.(type) {
	case Log, Completed:
		return true
	}
	return false
}

// unmetError is a condition that does not hold yet: the result of one probe,
// and the result of a strategy that ran out of time.
type unmetError struct {
	// observed is what was seen instead, such as "connection refused"; it may
	// be empty.
	observed string
	// cause is why the strategy stopped trying; nil for a single probe.
	cause error
}

func (e *unmetError) Error() string {
	switch {
	case e.observed != "":
		return e.observed
	case e.cause != nil:
		return e.cause.Error()
	}
	return "not met"
}

func (e *unmetError) Unwrap() error { return e.cause }

func unmetf(format string, args ...any) error {
	return &unmetError{observed: fmt.Sprintf(format, args...)}
}

// describePending says what a strategy waits for and what it saw last.
func describePending(s Strategy, err error) string {
	var observed string
	if unmet, ok := errors.AsType[*unmetError](err); ok {
		observed = unmet.observed
	} else if !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		observed = err.Error()
	}
	if observed == "" {
		return s.String()
	}
	return s.String() + ": " + observed
}
