package msb

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Doctor asks msb whether this host can run microVMs. Nil is yes; otherwise the
// error says what is missing.
func (c *Client) Doctor(ctx context.Context) error {
	args := plain("doctor")
	_, stderr, err := c.run(ctx, args)
	var failure *Error
	if !errors.As(err, &failure) || failure.Kind != nil {
		return err
	}
	failure.Message = strings.Join(append(failedChecks(stderr), failure.Message), "; ")
	return failure
}

// failedChecks returns the rows that msb doctor marks as failed.
func failedChecks(report string) []string {
	var failed []string
	for line := range strings.Lines(clean(report)) {
		if row, ok := strings.CutPrefix(strings.TrimSpace(line), "✗ "); ok {
			check, found, _ := strings.Cut(row, "  ")
			failed = append(failed, fmt.Sprintf("%s: %s", strings.TrimSpace(check), strings.TrimSpace(found)))
		}
	}
	return failed
}
