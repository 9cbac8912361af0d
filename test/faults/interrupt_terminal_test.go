package faults

import (
	"os/exec"
	"syscall"
	"testing"
)

// An interrupt ends the wait for an ephemeral container also while Terraform
// plans what it is about to apply. It tells no provider of it then, but the
// terminal does.
func TestInterruptOfAnOpening(t *testing.T) {
	onEachEngine(t, func(t *testing.T, e engine) {
		t.Parallel()
		requireEphemeral(t)
		s := newStack(t, e)
		s.write(s.trialConfig("never"))
		s.interruptedBy(interruptByTerminal, "waiting", func() bool { return len(s.copies()) > 0 }, "apply", "-auto-approve", "-no-color", "-input=false")
		s.nothingLeft()
	})
}

// ofTerminal makes a command the first process of a group, as a shell does.
func ofTerminal(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// interruptByTerminal does what a terminal does on Ctrl-C.
func interruptByTerminal(cmd *exec.Cmd) error {
	return syscall.Kill(-cmd.Process.Pid, syscall.SIGINT)
}
