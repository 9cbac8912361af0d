package faults

import (
	"bytes"
	"context"
	"os"
	"testing"
	"time"
)

// patience is how long a user who pressed Ctrl-C once waits at most.
const patience = 10 * time.Second

// An interrupt ends Terraform soon, at whichever step it comes, and costs one
// more apply.
func TestInterrupt(t *testing.T) {
	onEachEngine(t, func(t *testing.T, e engine) {
		eachInterruption(t, e, func(_ *testing.T, s *stack, sc scenario, point string) {
			command := []string{"apply", "-auto-approve", "-no-color", "-input=false"}
			if sc.destroys {
				command[0] = "destroy"
			}
			s.interruptedAt(point, command)
			sc.converges(s)
		})
	})
}

// interruptedAt runs Terraform with a provider that hangs at the step, and
// interrupts it there.
func (s *stack) interruptedAt(point string, command []string) {
	s.t.Helper()
	faulty, reached := s.faulty("RIGHTSIZE_FAULT_HANG", point)
	ctx, cancel := context.WithTimeout(context.Background(), commandTimeout)
	defer cancel()
	cmd := faulty.command(ctx, command...)
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // An interrupted Terraform fails; how, is in its output.
	}()
	if !await(reached, ended) {
		s.t.Fatalf("the step %q is not reached:\n%s", point, output.String())
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		s.t.Fatal(err)
	}
	select {
	case <-ended:
		stepsInterrupted.Add(1)
	case <-time.After(patience):
		cancel()
		<-ended
		s.t.Fatalf("Terraform goes on for %s after an interrupt at %q:\n%s", patience, point, output.String())
	}
}

// await waits until there is a file; it returns false if the command ended
// before.
func await(path string, ended <-chan struct{}) bool {
	for {
		if _, err := os.Stat(path); err == nil {
			return true
		}
		select {
		case <-ended:
			return false
		case <-time.After(10 * time.Millisecond):
		}
	}
}
