package readiness

import "context"

// Completed waits until the process has ended with code 0, as a job does. In a
// [Plan] it turns such an end from a failure into a success.
type Completed struct{}

func (Completed) String() string { return "completion" }

// Wait implements [Strategy].
func (Completed) Wait(ctx context.Context, target Target) error {
	exit, err := target.Wait(ctx)
	switch {
	case err != nil && ctx.Err() != nil:
		return &unmetError{observed: "process still running", cause: ctx.Err()}
	case err != nil:
		return err
	case exit.Code != 0:
		return &ExitedError{Exit: exit}
	}
	return nil
}
