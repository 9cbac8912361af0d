package faults

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"testing"
	"time"
)

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

// An interrupt that comes while the engine commits leaves nothing that only the
// next capture would find: here there is none.
func TestInterruptInCommit(t *testing.T) {
	onEachEngine(t, func(t *testing.T, e engine) {
		t.Parallel()
		s := newSeededStack(t, e)
		s.setVersion(1)
		s.proxy.arm(fault{commit, 1, withhold})
		s.interrupted("commit", s.proxy.isWithholding, "apply", "-auto-approve", "-no-color", "-input=false")
		if !s.proxy.disarm() {
			t.Fatal("there was no commit")
		}
		s.nothingLeft()
	})
}

// interruptedAt runs Terraform with a provider that hangs at the step, and
// interrupts it there.
func (s *stack) interruptedAt(point string, command []string) {
	s.t.Helper()
	faulty, reached := s.faulty("RIGHTSIZE_FAULT_HANG", point)
	faulty.interrupted(point, func() bool {
		_, err := os.Stat(reached)
		return err == nil
	}, command...)
}

// interrupted runs Terraform and interrupts it when it has reached a step.
func (s *stack) interrupted(step string, reached func() bool, command ...string) {
	s.t.Helper()
	s.interruptedBy(func(cmd *exec.Cmd) error { return cmd.Process.Signal(os.Interrupt) }, step, reached, command...)
}

func (s *stack) interruptedBy(interrupt func(*exec.Cmd) error, step string, reached func() bool, command ...string) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), s.kind.limit())
	defer cancel()
	cmd := s.command(ctx, command...)
	ofTerminal(cmd)
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
		s.t.Fatalf("the step %q is not reached:\n%s", step, output.String())
	}
	if err := interrupt(cmd); err != nil {
		s.t.Fatal(err)
	}
	select {
	case <-ended:
		stepsInterrupted.Add(1)
	case <-time.After(s.kind.patience()):
		cancel()
		<-ended
		s.t.Fatalf("Terraform goes on for %s after an interrupt at %q:\n%s", s.kind.patience(), step, output.String())
	}
}

// await waits until something has happened; it returns false if the command
// ended before.
func await(happened func() bool, ended <-chan struct{}) bool {
	for !happened() {
		select {
		case <-ended:
			return happened()
		case <-time.After(10 * time.Millisecond):
		}
	}
	return true
}
