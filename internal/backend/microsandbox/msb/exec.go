package msb

import (
	"context"
	"io"
	"slices"
	"strings"
)

// Exec is a command to run in a sandbox. It must be running: msb boots one that
// is not, for the command alone.
type Exec struct {
	Command    []string
	Env        map[string]string
	User       string
	WorkingDir string
	// Stdin is sent to the command and then closed; nil means none.
	Stdin io.Reader
	// Stdout and Stderr receive the command's output; nil discards it. What msb
	// itself has to say about a command that cannot be run comes on Stderr too.
	Stdout, Stderr io.Writer
}

// Exit codes of a command that cannot be run, as in a shell.
const (
	exitNotExecutable = 126
	exitNotFound      = 127
)

// Exec runs a command and returns its exit code, whatever it is: 126 or 127 if
// it cannot be run, 255 if a signal ended it.
func (c *Client) Exec(ctx context.Context, name string, cmd Exec) (int, error) {
	if err := checkName(name); err != nil {
		return 0, refused("exec", ErrNotFound, err)
	}
	args, err := execArguments(name, cmd)
	if err != nil {
		return 0, refused("exec "+name, ErrInvalid, err)
	}
	p, err := c.start(ctx, args, streams{stdin: cmd.Stdin, stdout: notAFile(cmd.Stdout), stderr: cmd.Stderr})
	if err != nil {
		return 0, err
	}
	exit, err := p.wait()
	if err != nil {
		return 0, err
	}
	if code, unstarted := notStarted(exit, p.stderr.String()); unstarted {
		return code, nil
	}
	if message, own := ownFailure(exit, name, p.stderr.String()); own {
		return 0, classify(args, exit, message)
	}
	return exit, nil
}

// notAFile keeps a file from becoming the standard output of msb itself, which
// behaves differently on a terminal.
func notAFile(w io.Writer) io.Writer {
	if w == nil {
		return nil
	}
	return struct{ io.Writer }{w}
}

// notStarted returns the exit code of a command that the guest could not start.
// Streaming, msb ends with 1 for those, and says why in the words of its own
// program; else it ends with the code that a shell would.
func notStarted(exit int, stderr string) (code int, unstarted bool) {
	if exit != 1 {
		return 0, false
	}
	last := lastBlock(strings.TrimRight(stderr, "\n"))
	switch {
	case strings.HasPrefix(last, "error: "+execFailed+"ExecFailed { kind: NotFound,"):
		return exitNotFound, true
	case strings.HasPrefix(last, "error: "+execFailed+"ExecFailed { kind: PermissionDenied,"):
		return exitNotExecutable, true
	default:
		return 0, false
	}
}

// execFailed begins what msb says of a command that it streams and that could
// not be started.
const execFailed = "exec failed to start: "

// vmDied is what msb says when a VM ends during a command, even in the middle
// of a line of the command's.
const vmDied = "error: runtime error: exec session ended without exit event"

// ownFailure tells a failure of msb from a command that ended with the same
// code, and returns what msb said: both write to the same stream. Commands say
// "error: " too, so that only what msb is known to say counts, and only as the
// last thing that was said.
//
// A command that cannot be run is none: its code is 126 or 127.
func ownFailure(exit int, name, stderr string) (message string, own bool) {
	stderr = strings.TrimRight(stderr, "\n")
	switch exit {
	case 1:
		if strings.HasSuffix(stderr, vmDied) {
			return vmDied, true
		}
		last := lastBlock(stderr)
		return last, slices.ContainsFunc([]string{
			`failed to exec "`,
			execFailed,
			`failed to start "` + name + `"`,
			"sandbox not found: " + name + "\n",
			"sandbox '" + name + "' is in state ",
			"exec timed out after ",
			"runtime error: ",
			"invalid config: failed to parse SDK config ",
		}, func(known string) bool { return strings.HasPrefix(last, "error: "+known) })
	case exitUsage:
		return stderr, strings.Contains(stderr, "\nUsage: msb exec ")
	default:
		return "", false
	}
}

// lastBlock returns the last line that a text ends with and that begins with
// "error: ", with the causes below it; empty if it ends with anything else.
func lastBlock(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range slices.Backward(lines) {
		switch {
		case strings.HasPrefix(line, "  → "):
		case strings.HasPrefix(line, "error: "):
			return strings.Join(lines[i:], "\n") + "\n"
		default:
			return ""
		}
	}
	return ""
}
