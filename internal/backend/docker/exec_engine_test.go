package docker

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// TestExecEndsTheCommand looks in the container for what a command that was given
// up has left: neither its processes nor another command's end may be missed.
func TestExecEndsTheCommand(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, b *Backend) {
		c := start(t, b, sleeper())
		run := func(ctx context.Context, seconds string) (started <-chan error, ended <-chan error) {
			output, w := io.Pipe()
			failed, first := make(chan error, 1), make(chan error, 1)
			go func() {
				_, err := b.Exec(ctx, c.ID, backend.Exec{
					// The shell has a child, which has to end as well.
					Command: []string{"sh", "-c", "echo started; sleep " + seconds + "; echo on"},
					User:    "65534", Stdout: w,
				})
				w.CloseWithError(io.EOF)
				failed <- err
			}()
			go func() {
				_, err := io.ReadFull(output, make([]byte, len("started")))
				first <- err
				_, _ = io.Copy(io.Discard, output)
			}()
			return first, failed
		}
		ctx, cancel := context.WithCancel(t.Context())
		others, end := context.WithCancel(t.Context())
		defer end()
		started, ended := run(ctx, "4711")
		otherStarted, otherEnded := run(others, "4712")
		for _, started := range []<-chan error{started, otherStarted} {
			if err := <-started; err != nil {
				t.Fatal(err)
			}
		}
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("the error is %v", err)
		}
		// Whoever was told to end needs a moment for that.
		processes := shell(t, b, c.ID, `i=0; while [ $i -lt 100 ] && ps -o args | grep -q '[s]leep 4711'; do i=$((i+1)); sleep 0.1; done; ps -o args`)
		if strings.Contains(processes, "sleep 4711") || !strings.Contains(processes, "sleep 4712") {
			t.Errorf("in the container run:\n%s", processes)
		}
		end()
		if err := <-otherEnded; !errors.Is(err, context.Canceled) {
			t.Errorf("the error of the other one is %v", err)
		}
	})
}
