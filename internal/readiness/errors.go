package readiness

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// ExitedError is a process that ended before the plan was met, or other than
// the plan intended.
type ExitedError struct {
	Exit Exit
	// Pending describes each strategy that was not met, with what it saw last.
	Pending []string
	// Log is the end of the container's log, safe to print. It is not part of
	// Error's text.
	Log []string
}

func (e *ExitedError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "process exited with code %d", e.Exit.Code)
	if e.Exit.OOMKilled {
		b.WriteString(" (out of memory)")
	}
	if len(e.Pending) > 0 {
		b.WriteString(" while waiting for " + strings.Join(e.Pending, "; "))
	}
	return b.String()
}

// TimeoutError is a plan that was not met before its deadline. It matches
// [context.DeadlineExceeded].
type TimeoutError struct {
	// Timeout is how long was waited.
	Timeout time.Duration
	// Pending describes each strategy that was not met, with what it saw last.
	Pending []string
	// Log is the end of the container's log, safe to print. It is not part of
	// Error's text.
	Log []string
}

func (e *TimeoutError) Error() string {
	return fmt.Sprintf("not ready after %s, still waiting for %s",
		e.Timeout.Round(time.Millisecond), strings.Join(e.Pending, "; "))
}

func (e *TimeoutError) Unwrap() error { return context.DeadlineExceeded }
