package msb

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync/atomic"
	"time"
)

// maxOutput bounds what is read of an answer. A list of thousands of sandboxes
// is far below it.
const maxOutput = 32 << 20

// patience is how msb is ended.
type patience struct {
	// settle is how old msb must be before it is told to end. Nearly every
	// command (0.6.18) locks all of msb's state for the moment in which it opens
	// it; an msb that ends in that moment leaves it locked for half an hour,
	// with ErrLocked for every call. On an idle machine the moment is within 30
	// ms of the start, on a busy or emulated one within hundreds.
	settle time.Duration
	// kill is how long msb may then take to end by itself.
	kill time.Duration
}

var defaultPatience = patience{settle: 3 * time.Second, kill: 3 * time.Second}

// process is a run of msb.
type process struct {
	cmd       *exec.Cmd
	args      arguments
	stderr    tail
	ended     context.Context
	cancelled atomic.Bool
	reaped    atomic.Bool
}

// streams are the standard streams of a call. What is nil is the null device,
// except for standard error, of which the end is always kept.
type streams struct {
	stdin          io.Reader
	stdout, stderr io.Writer
}

// start runs msb in the root directory, since a VM keeps the working directory
// of the msb that booted it for as long as it runs, and in a process group of
// its own, so that an interrupt at the terminal reaches the provider alone,
// which then decides. When ctx ends the whole group is told to end, and killed
// if it does not.
func (c *Client) start(ctx context.Context, args arguments, std streams) (*process, error) {
	if err := ctx.Err(); err != nil {
		return nil, interrupted(args, err)
	}
	p := &process{args: args, ended: ctx}
	p.cmd = exec.CommandContext(ctx, c.config.Path, args.argv...)
	p.cmd.Env = c.environment(args.env)
	p.cmd.SysProcAttr = ownGroup()
	p.cmd.Dir = workingDir
	p.cmd.Stdout = std.stdout
	p.cmd.Stderr = &p.stderr
	if std.stderr != nil {
		p.cmd.Stderr = io.MultiWriter(&p.stderr, std.stderr)
	}
	settle := c.patience.settle
	if args.lockFree {
		settle = 0
	}
	started := time.Now()
	p.cmd.Cancel = func() error {
		p.cancelled.Store(true)
		time.AfterFunc(settle-time.Since(started), func() {
			if !p.reaped.Load() {
				_ = terminateGroup(p.cmd.Process)
			}
		})
		return nil
	}
	// Then msb is killed, and its streams are closed, whoever still holds them.
	p.cmd.WaitDelay = settle + c.patience.kill

	var stdin io.WriteCloser
	if std.stdin != nil {
		var err error
		if stdin, err = p.cmd.StdinPipe(); err != nil {
			return nil, notRun(args, err)
		}
	}
	if err := p.cmd.Start(); err != nil {
		return nil, notRun(args, err)
	}
	if stdin != nil {
		// Nobody waits for this: a reader that never ends must not keep a call
		// from returning whose command has ended. Wait closes the pipe.
		go func() {
			_, _ = io.Copy(stdin, std.stdin)
			_ = stdin.Close()
		}()
	}
	return p, nil
}

// wait returns msb's exit code. Any other outcome than an exit by itself is an
// error.
func (p *process) wait() (int, error) {
	err := p.cmd.Wait()
	p.reaped.Store(true)
	if p.cancelled.Load() && p.ended.Err() != nil {
		// What msb has started and not detached goes with it.
		_ = killGroup(p.cmd.Process)
		if err != nil {
			return -1, interrupted(p.args, p.ended.Err())
		}
	}
	var exit *exec.ExitError
	switch {
	case err == nil, errors.Is(err, exec.ErrWaitDelay):
		// The latter is msb's success with a stream still held by what it left
		// running.
		return 0, nil
	case errors.As(err, &exit) && exit.Exited():
		return exit.ExitCode(), nil
	case errors.As(err, &exit):
		e := classify(p.args, signalledExit(exit.ProcessState), p.stderr.String())
		if e.Kind == nil {
			e.Message = fmt.Sprintf("msb was ended by a signal (%s): %s", exit.ProcessState, e.Message)
		}
		return -1, e
	default:
		return -1, fmt.Errorf("%s: %w", (&Error{Args: p.args.shown, Exit: -1}).Error(), err)
	}
}

// run runs msb to its end and returns what it wrote.
func (c *Client) run(ctx context.Context, args arguments) (stdout []byte, stderr string, err error) {
	var out limitedBuffer
	p, err := c.start(ctx, args, streams{stdout: &out})
	if err != nil {
		return nil, "", err
	}
	exit, err := p.wait()
	if err != nil {
		return nil, "", err
	}
	if exit != 0 {
		return out.Bytes(), p.stderr.String(), classify(args, exit, p.stderr.String())
	}
	return out.Bytes(), p.stderr.String(), nil
}

// output is run for calls whose standard error says nothing when they succeed.
func (c *Client) output(ctx context.Context, args arguments) ([]byte, error) {
	out, _, err := c.run(ctx, args)
	return out, err
}

// interrupted is the error of a call that ctx ended.
func interrupted(args arguments, cause error) error {
	return fmt.Errorf("%s: interrupted: %w", (&Error{Args: args.shown, Exit: -1}).Error(), cause)
}

// notRun is the error of a call that did not even begin.
func notRun(args arguments, cause error) error {
	return fmt.Errorf("run %s: %w", (&Error{Args: args.shown, Exit: -1}).Error(), cause)
}

// refused is the error of a call that was not made, since msb would refuse it
// or, worse, take it for something else.
func refused(command string, kind, cause error) *Error {
	return &Error{Args: []string{command}, Exit: -1, Message: cause.Error(), Kind: kind}
}

// limitedBuffer is a buffer that refuses to hold an endless answer.
type limitedBuffer struct {
	bytes.Buffer
}

func (b *limitedBuffer) Write(p []byte) (int, error) {
	if b.Len()+len(p) > maxOutput {
		return 0, fmt.Errorf("msb wrote more than %d bytes", maxOutput)
	}
	return b.Buffer.Write(p)
}
