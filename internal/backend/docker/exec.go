package docker

import (
	"context"
	"io"

	"github.com/docker/docker/api/types"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/events"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/client"
	"github.com/docker/docker/pkg/stdcopy"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// Exec runs a command in a running container. A command that cannot be executed
// ends with 126 or 127, and says why on its standard output: that is how the
// engine reports it. When ctx ends, the command is told to end as well.
func (b *Backend) Exec(ctx context.Context, id string, cmd backend.Exec) (int, error) {
	api, err := b.api(ctx)
	if err != nil {
		return 0, err
	}
	tried := "run a command in container " + id
	mark := newMark()
	// What is created here does not run yet.
	created, err := again(ctx, func() (container.ExecCreateResponse, error) {
		return api.ContainerExecCreate(ctx, id, container.ExecOptions{
			Cmd:          cmd.Command,
			Env:          append(envList(cmd.Env), mark.variable()),
			User:         cmd.User,
			WorkingDir:   cmd.WorkingDir,
			AttachStdin:  cmd.Stdin != nil,
			AttachStdout: true,
			AttachStderr: true,
		})
	})
	if err != nil {
		return 0, b.fail(tried, err)
	}
	stream, err := attach(ctx, api, created.ID)
	if err == nil {
		err = converse(ctx, stream, cmd)
	}
	if err != nil {
		if ctx.Err() != nil {
			mark.terminate(ctx, api, id, cmd.User)
		}
		return 0, b.fail(tried, err)
	}
	code, err := execExit(ctx, api, created.ID)
	return code, b.fail("learn how a command in container "+id+" ended", err)
}

// attach runs the command and returns its streams. The client (28.5) does not
// heed ctx while it waits for the engine to let go of HTTP, so that an engine
// that stalls there would outlast every timeout and interrupt.
func attach(ctx context.Context, api *client.Client, execID string) (types.HijackedResponse, error) {
	type answer struct {
		stream types.HijackedResponse
		err    error
	}
	answers := make(chan answer, 1)
	go func() {
		stream, err := api.ContainerExecAttach(ctx, execID, container.ExecAttachOptions{})
		answers <- answer{stream, err}
	}()
	select {
	case a := <-answers:
		return a.stream, a.err
	case <-ctx.Done():
		go func() {
			if a := <-answers; a.err == nil {
				a.stream.Close()
			}
		}()
		return types.HijackedResponse{}, ctx.Err()
	}
}

// converse carries the command's streams until the command has ended or ctx is
// done.
func converse(ctx context.Context, stream types.HijackedResponse, cmd backend.Exec) error {
	defer stream.Close()
	// The connection left HTTP behind, and with it the request's context.
	defer context.AfterFunc(ctx, stream.Close)()

	if cmd.Stdin != nil {
		// Not waited for: the command may end without reading all of its input,
		// and the reader may have nothing to give.
		go func() {
			_, _ = io.Copy(stream.Conn, cmd.Stdin)
			_ = stream.CloseWrite()
		}()
	}
	stdout, stderr := cmd.Stdout, cmd.Stderr
	if stdout == nil {
		stdout = io.Discard
	}
	if stderr == nil {
		stderr = io.Discard
	}
	_, err := stdcopy.StdCopy(stdout, stderr, stream.Reader)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// execExit returns the exit code of a command whose output has ended. The
// engine may record the exit a moment after it closes the streams.
func execExit(ctx context.Context, api *client.Client, execID string) (int, error) {
	inspect := func() (container.ExecInspect, error) { return api.ContainerExecInspect(ctx, execID) }
	exec, err := again(ctx, inspect)
	if err != nil || !exec.Running {
		return exec.ExitCode, err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	ended, failed := api.Events(ctx, events.ListOptions{Filters: filters.NewArgs(
		filters.Arg("type", string(events.ContainerEventType)),
		filters.Arg("container", exec.ContainerID),
		filters.Arg("event", string(events.ActionExecDie)),
		filters.Arg("event", string(events.ActionDie)),
	)})
	for {
		// Again, now that no exit can be missed.
		exec, err = again(ctx, inspect)
		if err != nil || !exec.Running {
			return exec.ExitCode, err
		}
		select {
		case <-ended:
		case err := <-failed:
			return 0, err
		}
	}
}
