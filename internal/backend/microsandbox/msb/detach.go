package msb

import (
	"os"
	"os/exec"
)

// Detach runs a command in a sandbox and does not wait for it: it outlives this
// process, and its output is found in the sandbox's log. The program that runs
// it must live as long as the command, which ends with it. It inherits alive,
// unless that is nil: a lock on that file is held until the command has ended.
func (c *Client) Detach(name string, cmd Exec, alive *os.File) error {
	if err := checkName(name); err != nil {
		return refused("exec", ErrNotFound, err)
	}
	args, err := execArguments(name, cmd)
	if err != nil {
		return refused("exec "+name, ErrInvalid, err)
	}
	detached := exec.Command(c.config.Path, args.argv...) //nolint:noctx // It outlives every context.
	detached.Env = c.environment(args.env)
	detached.SysProcAttr = ownSession()
	detached.Dir = workingDir
	if alive != nil {
		detached.ExtraFiles = []*os.File{alive}
	}
	if err := detached.Start(); err != nil {
		return notRun(args, err)
	}
	// No zombie stays while this process lives.
	go func() { _ = detached.Wait() }()
	return nil
}
