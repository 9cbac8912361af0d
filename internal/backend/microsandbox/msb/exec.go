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
	if !ownFailure(exit, name, p.stderr.String()) {
		return exit, nil
	}
	return 0, classify(args, exit, p.stderr.String())
}

// notAFile keeps a file from becoming the standard output of msb itself, which
// behaves differently on a terminal.
func notAFile(w io.Writer) io.Writer {
	if w == nil {
		return nil
	}
	return struct{ io.Writer }{w}
}

// ownFailure tells a failure of msb from a command that ended with the same
// code: both write to the same stream. Commands say "error: " too, so that only
// what msb is known to say counts, and only as the last thing that was said.
func ownFailure(exit int, name, stderr string) bool {
	switch exit {
	case 0:
		return false
	case exitUsage:
		return strings.Contains(stderr, "\nUsage: msb exec ")
	}
	last := lastBlock(stderr)
	switch exit {
	case exitNotExecutable, exitNotFound:
		// The command cannot be run: that is its exit code.
		return false
	case 1:
		return slices.ContainsFunc([]string{
			`failed to exec "`,
			`failed to start "` + name + `"`,
			"sandbox not found: " + name,
			"sandbox '" + name + "' is in state ",
			"exec timed out after ",
			"runtime error: ",
			"invalid config: failed to parse SDK config ",
		}, func(prefix string) bool { return strings.HasPrefix(last, prefix) }) ||
			// A VM that dies may do so in the middle of a line.
			strings.HasSuffix(strings.TrimRight(stderr, "\n"), "error: runtime error: exec session ended without exit event")
	}
	return false
}

// lastBlock returns the first line of a message of msb, if such a message is
// the last thing in a text.
func lastBlock(stderr string) string {
	lines := strings.Split(strings.TrimRight(stderr, "\n"), "\n")
	for _, line := range slices.Backward(lines) {
		if strings.HasPrefix(line, "  → ") {
			continue
		}
		message, _ := strings.CutPrefix(line, "error: ")
		if message == line {
			return ""
		}
		return message
	}
	return ""
}
