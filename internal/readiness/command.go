package readiness

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

var commandPace = pace{first: 50 * time.Millisecond, longest: time.Second}

// Command waits until a command in the container exits with code 0. It is run
// again and again, never twice at a time.
type Command struct {
	Command []string
}

// String names the program only: arguments may hold a password.
func (c Command) String() string {
	if len(c.Command) == 0 {
		return "command"
	}
	return fmt.Sprintf("command %q", c.Command[0])
}

// Validate implements [Validator].
func (c Command) Validate() error {
	if len(c.Command) == 0 || c.Command[0] == "" {
		return errors.New("the command is empty")
	}
	return nil
}

// Wait implements [Strategy].
func (c Command) Wait(ctx context.Context, target Target) error {
	return poll(ctx, commandPace, func(ctx context.Context) error {
		code, output, err := target.Exec(ctx, c.Command)
		if err != nil {
			return fmt.Errorf("run %s in the container: %w", c, err)
		}
		if code == 0 {
			return nil
		}
		observed := fmt.Sprintf("command exited with %d", code)
		if tail := lastLines(bytes.NewReader(output), 3, 512); len(tail) > 0 {
			observed += ": " + strings.Join(tail, " / ")
		}
		return unmetf("%s", observed)
	})
}
