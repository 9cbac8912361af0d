package fake

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// Exec runs a command in a running container.
func (b *Backend) Exec(ctx context.Context, id string, cmd backend.Exec) (_ int, err error) {
	recorded := cmd
	recorded.Stdin, recorded.Stdout, recorded.Stderr = nil, nil, nil
	end, err := b.begin(ctx, Call{Method: Exec, Target: id, Exec: recorded})
	if err != nil {
		return 0, err
	}
	defer end(&err)

	process, main, err := b.execIn(id, cmd)
	if err != nil {
		return 0, err
	}
	program, ok := b.commands[cmd.Command[0]]
	if !ok {
		// What shells, and engines, answer for a command that is not there.
		fmt.Fprintf(process.Stderr, "executable %q not found\n", cmd.Command[0])
		return 127, nil
	}

	running, stop := context.WithCancel(main.ctx)
	defer stop()
	defer context.AfterFunc(ctx, stop)()
	if cmd.Stdin != nil {
		input, feed := io.Pipe()
		process.Stdin = input
		defer input.Close()
		defer context.AfterFunc(running, func() { input.CloseWithError(context.Canceled) })()
		// It outlives the command if the caller's reader blocks.
		go func() {
			_, err := io.Copy(feed, cmd.Stdin)
			feed.CloseWithError(err)
		}()
	}
	exit := program(running, process)
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if main.ctx.Err() != nil {
		return killed.Code, nil
	}
	return exit.Code, nil
}

// execIn makes the process of a command without running it.
func (b *Backend) execIn(id string, cmd backend.Exec) (*Process, *mainProcess, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	c, err := b.need(id, "run a command in")
	if err != nil {
		return nil, nil, err
	}
	tried := b.tried("run a command in container %s", c.name)
	if len(cmd.Command) == 0 {
		return nil, nil, &backend.Error{Tried: tried, Cause: fmt.Errorf("the command is empty"), Remedy: "Give a command."}
	}
	if c.state != backend.StateRunning {
		return nil, nil, &backend.Error{
			Tried: tried, Cause: fmt.Errorf("the container is %s", c.state), Remedy: "Start the container first.",
		}
	}

	p := c.newProcess(cmd.Command)
	p.dial = b.dialer(c)
	maps.Copy(p.Env, cmd.Env)
	if cmd.WorkingDir != "" {
		p.WorkingDir = cmd.WorkingDir
	}
	if cmd.User != "" {
		p.User = cmd.User
	}
	p.Stdin, p.Stdout, p.Stderr = eofReader{}, orDiscard(cmd.Stdout), orDiscard(cmd.Stderr)
	main := c.process
	p.Terminate = main.terminate
	p.listen = func(backend.Port) (net.Listener, error) { return nil, errNotInExec }
	p.setHealthy = func(healthy bool) { b.setHealthy(c, main, healthy) }
	return p, main, nil
}

func orDiscard(w io.Writer) io.Writer {
	if w == nil {
		return io.Discard
	}
	return w
}
