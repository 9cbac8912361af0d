package microsandbox

import (
	"context"
	"errors"
	"io/fs"
	"maps"

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
	rec, err := b.records.find(id)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, b.absent(tried, id, err)
	}
	call := msb.Exec{
		Command: cmd.Command, Env: cmd.Env, User: cmd.User, WorkingDir: cmd.WorkingDir,
		Stdin: cmd.Stdin, Stdout: cmd.Stdout, Stderr: cmd.Stderr,
	}
	name := id
	if rec != nil {
		name, call = rec.Name, rec.Workload.defaults(call)
	}
	// Where the workload is alive there is nothing to ask msb for.
	if rec == nil || !rec.alive() {
		c, err := b.Inspect(ctx, id)
		if err != nil {
			return 0, err
		}
		if c.State != backend.StateRunning {
			return 0, &backend.Error{
				Tried: tried, Cause: errors.New("it is not running: it is " + string(c.State)), Remedy: "Start it first.",
			}
		}
	}
	code, err := client.Exec(ctx, name, call)
	return code, b.fail(tried, err)
}

// defaults gives a command the user, the directory and the environment of the
// workload, as Docker does. msb keeps an environment for those sandboxes alone
// that were made from an image (0.7).
func (w workload) defaults(call msb.Exec) msb.Exec {
	if call.User == "" {
		call.User = w.User
	}
	if call.WorkingDir == "" {
		call.WorkingDir = w.WorkingDir
	}
	env := make(map[string]string, len(w.Env)+len(call.Env))
	maps.Copy(env, w.Env)
	maps.Copy(env, call.Env)
	call.Env = env
	return call
}
