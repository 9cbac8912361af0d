package msb

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// The kinds of failure that callers tell apart. Match them with [errors.Is].
var (
	// ErrNotFound is a sandbox, or an image, that is not there.
	ErrNotFound = errors.New("not found")
	// ErrExists is a name that another sandbox has.
	ErrExists = errors.New("already exists")
	// ErrOrphaned is a name of which only a directory is left, after a boot
	// that failed early or a crash of the host. It matches ErrExists too, for
	// nothing can be created under the name. [Client.Remove] clears it.
	ErrOrphaned = fmt.Errorf("%w as an orphaned directory", ErrExists)
	// ErrStillRunning is something that needs the sandbox to be stopped.
	ErrStillRunning = errors.New("still running")
	// ErrNotStopped is a change or a capture of a sandbox that runs.
	ErrNotStopped = errors.New("not stopped")
	// ErrStarting is a sandbox in the middle of its boot, or one whose boot was
	// interrupted: that state lasts until it is stopped.
	ErrStarting = errors.New("still starting")
	// ErrImageNotCached is an image that msb does not have.
	ErrImageNotCached = errors.New("image not cached")
	// ErrRegistry is a registry that could not be asked, or that refused.
	ErrRegistry = errors.New("registry failed")
	// ErrImageReference is something that does not name an image.
	ErrImageReference = errors.New("invalid image reference")
	// ErrSnapshotNotFound is a snapshot that is not there.
	ErrSnapshotNotFound = errors.New("snapshot not found")
	// ErrSnapshotExists is the name of another snapshot in the same directory.
	ErrSnapshotExists = errors.New("snapshot already exists")
	// ErrNotRunning is a capture of memory of a sandbox that has none.
	ErrNotRunning = errors.New("not running")
	// ErrNotFrozen is a capture for which a busy guest did not stand still in time.
	// The sandbox may be left Paused.
	ErrNotFrozen = errors.New("did not stand still in time")
	// ErrNotKilled is a sandbox that has not stopped in time and may still do so:
	// msb 0.7 never kills by itself.
	ErrNotKilled = errors.New("did not stop in time")
	// ErrUncapturable is a sandbox whose root disk is none that msb captures.
	ErrUncapturable = errors.New("root disk cannot be captured")
	// ErrIntegrity is a snapshot that is damaged or lacks its base image.
	ErrIntegrity = errors.New("snapshot integrity check failed")
	// ErrInvalid is something msb does not accept.
	ErrInvalid = errors.New("invalid configuration")
	// ErrBoot is a VM that did not come up.
	ErrBoot = errors.New("boot failed")
	// ErrLeft is a sandbox whose creation failed and that could not be removed
	// then.
	ErrLeft = errors.New("what is left of it could not be removed")
	// ErrSchemaNewer is state that a newer msb has migrated, or wrote.
	ErrSchemaNewer = errors.New("state was written by a newer msb")
	// ErrLocked is state that is locked, most likely by an msb that was killed
	// while it opened it. The lock expires after half an hour.
	ErrLocked = errors.New("state is locked")
	// ErrNoCertificates is a host without a bundle of CA certificates, on which
	// msb aborts as soon as it might have to pull.
	ErrNoCertificates = errors.New("no CA certificates on this host")
	// ErrUsage is a command line that this msb does not understand: its version
	// is not one that this package was written for.
	ErrUsage = errors.New("msb does not understand the command line, its version is probably not supported")
	// ErrTimeout is a command that msb ended because it took too long.
	ErrTimeout = errors.New("timed out")
	// ErrVMDied is a VM that ended during a command.
	ErrVMDied = errors.New("the microVM ended")
	// ErrWorkdir is a working directory that does not exist in the guest.
	ErrWorkdir = errors.New("working directory does not exist")
	// ErrSocketPath is a home whose path is too long for msb's sockets.
	ErrSocketPath = errors.New("the path of msb's home is too long")
)

// Error is a call of msb that failed.
type Error struct {
	// Args is the command line, without values of variables and arguments of
	// commands.
	Args []string
	// Exit is msb's exit code, 128 and the signal's number if a signal ended
	// it, or -1 if it was not run.
	Exit int
	// Message is what msb said, as one line of text.
	Message string
	// Kind is one of the sentinels above, or nil.
	Kind error
}

func (e *Error) Error() string {
	// The sandbox's flags say nothing to somebody who did not choose them.
	var words []string
	for _, arg := range e.Args {
		if strings.HasPrefix(arg, "-") && len(words) > 0 {
			break
		}
		words = append(words, arg)
	}
	s := "msb " + strings.Join(words, " ")
	if e.Message != "" {
		return s + ": " + e.Message
	}
	if e.Kind != nil {
		s += ": " + e.Kind.Error()
	}
	if e.Exit >= 0 {
		s += fmt.Sprintf(" (exit code %d and no message)", e.Exit)
	}
	return s
}

// Unwrap returns the kind.
func (e *Error) Unwrap() error { return e.Kind }

// exitUsage and exitPanic are the exit codes that say more than the message.
const (
	exitUsage = 2
	exitPanic = 134
)

// messages tells apart what msb says. It has no error codes: apart from
// two, every failure is exit code 1 and a line of text. The first line that
// matches wins; each has a captured sample in errors_test.go.
var messages = []struct {
	pattern *regexp.Regexp
	kind    error
}{
	// These begin like others below.
	{regexp.MustCompile(`^sandbox still running: `), ErrStillRunning},
	{regexp.MustCompile(`^cannot start sandbox '.*': status is Starting`), ErrStarting},
	{regexp.MustCompile(`^sandbox '.*' is in state Starting`), ErrStarting},
	{regexp.MustCompile(`^invalid config: workdir does not exist in guest: `), ErrWorkdir},
	{regexp.MustCompile(`^(invalid config: )?invalid image reference: `), ErrImageReference},
	{regexp.MustCompile(`^invalid config: sandbox runtime socket path is too long: `), ErrSocketPath},
	{regexp.MustCompile(`^invalid config: sandbox '.*' uses a .* root disk, (which|whose) `), ErrUncapturable},

	{regexp.MustCompile(`full snapshots require a running sandbox`), ErrNotRunning},
	{regexp.MustCompile(`^runtime error: runtime control refused: .*workload freeze timed out`), ErrNotFrozen},
	{regexp.MustCompile(`^graceful stop of sandbox ".*" .* no kill was requested`), ErrNotKilled},

	{regexp.MustCompile(`^sandbox not found: `), ErrNotFound},
	{regexp.MustCompile(`^image not found: `), ErrNotFound},
	{regexp.MustCompile(`^sandbox already exists: `), ErrExists},
	{regexp.MustCompile(`^snapshot source sandbox '.*' is not stopped$`), ErrNotStopped},
	{regexp.MustCompile(`^cannot modify ".*" without a restart`), ErrNotStopped},
	{regexp.MustCompile(`^snapshot not found: `), ErrSnapshotNotFound},
	{regexp.MustCompile(`^snapshot already exists: `), ErrSnapshotExists},
	{regexp.MustCompile(`^snapshot integrity check failed: `), ErrIntegrity},
	{regexp.MustCompile(`^image error: image not cached: `), ErrImageNotCached},
	{regexp.MustCompile(`^(image error: )?registry error: `), ErrRegistry},
	{regexp.MustCompile(`^failed to start "`), ErrBoot},
	{regexp.MustCompile(`^` + relayTimeout), ErrBoot},
	{regexp.MustCompile(`^exec timed out after `), ErrTimeout},
	{regexp.MustCompile(`^runtime error: exec session ended without exit event`), ErrVMDied},
	{regexp.MustCompile(`^runtime error: microsandbox install operation in progress until `), ErrLocked},
	{regexp.MustCompile(`^runtime error: database schema is newer `), ErrSchemaNewer},

	{regexp.MustCompile(`^invalid config: `), ErrInvalid},
	{regexp.MustCompile(`^invalid (size|host port|pull policy|--label|--grep)`), ErrInvalid},
	{regexp.MustCompile(`^port must be in format `), ErrInvalid},
	{regexp.MustCompile(`^environment variable '.*' not set`), ErrInvalid},
	{regexp.MustCompile(`^failed to create upper\.ext4: `), ErrInvalid},
	{regexp.MustCompile(`^exec failed to start: .*exec session error: (guest (user|group) not found|failed to resolve guest uid)`), ErrInvalid},
	{regexp.MustCompile(`^failed to exec ".*": exec: exec session error: (guest (user|group) not found|failed to resolve guest uid)`), ErrInvalid},
}

// noCertificates is in what msb says when it aborts.
const noCertificates = "No CA certificates were loaded from the system"

// classify turns the end of a failed call into an error.
func classify(args arguments, exit int, stderr string) *Error {
	message := errorBlock(stderr)
	e := &Error{Args: args.shown, Exit: exit, Message: redact(message, args.secrets)}
	switch {
	case exit == exitUsage:
		e.Kind = ErrUsage
		e.Message = ErrUsage.Error() + ": " + e.Message
	case exit == exitPanic && strings.Contains(stderr, noCertificates):
		e.Kind = ErrNoCertificates
		e.Message = noCertificates
	default:
		e.Kind = kindOf(message)
	}
	return e
}

func kindOf(message string) error {
	for _, m := range messages {
		if m.pattern.MatchString(message) {
			return m.kind
		}
	}
	return nil
}

// errorBlock returns msb's own message from what it wrote to standard error,
// as one line: the last line that begins with "error: " and the causes below
// it. Without such a line it is all of the text.
func errorBlock(stderr string) string {
	lines := strings.Split(strings.TrimSpace(clean(stderr)), "\n")
	first := -1
	for i, line := range lines {
		if strings.HasPrefix(line, "error: ") {
			first = i
		}
	}
	if first < 0 {
		return joinLines(lines)
	}
	parts := []string{strings.TrimPrefix(lines[first], "error: ")}
	for _, line := range lines[first+1:] {
		cause, ok := strings.CutPrefix(line, "  → ")
		// Advice to run msb helps nobody who runs Terraform.
		if ok && !strings.Contains(cause, "`msb ") {
			parts = append(parts, cause)
		}
	}
	return strings.Join(parts, ": ")
}

func joinLines(lines []string) string {
	var kept []string
	for _, line := range lines {
		if line = strings.TrimSpace(line); line != "" {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "; ")
}
