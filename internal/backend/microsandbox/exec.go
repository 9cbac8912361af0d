package microsandbox

import (
	"context"
	"errors"
	"io/fs"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/msb"
)

// Exec runs a command in a container that runs. msb would boot one that does
// not, for the length of the command.
func (b *Backend) Exec(ctx context.Context, id string, cmd backend.Exec) (int, error) {
	tried := "run a command in container " + id
	client, err := b.msb(ctx)
	if err != nil {
		return 0, err
	}
	c, err := b.Inspect(ctx, id)
	if err != nil {
		return 0, err
	}
	if c.State != backend.StateRunning {
		return 0, &backend.Error{Tried: tried, Cause: errors.New("it is not running: it is " + string(c.State))}
	}
	call := msb.Exec{
		Command: cmd.Command, Env: cmd.Env, User: cmd.User, WorkingDir: cmd.WorkingDir,
		Stdin: cmd.Stdin, Stdout: cmd.Stdout, Stderr: cmd.Stderr,
	}
	rec, err := b.records.load(c.Name)
	switch {
	case err == nil:
		call = rec.Workload.defaults(call)
	case !errors.Is(err, fs.ErrNotExist):
		return 0, b.fail(tried, err)
	}
	code, err := client.Exec(ctx, c.Name, call)
	return code, b.fail(tried, err)
}

// defaults gives a command the user and the directory of the workload, as
// Docker does.
func (w workload) defaults(call msb.Exec) msb.Exec {
	if call.User == "" {
		call.User = w.User
	}
	if call.WorkingDir == "" {
		call.WorkingDir = w.WorkingDir
	}
	return call
}
