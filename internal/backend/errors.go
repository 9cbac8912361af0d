package backend

import "errors"

// The kinds of failure that callers tell apart. Match them with [errors.Is].
var (
	// ErrNotFound is a container, image, artifact or network that is not there.
	ErrNotFound = errors.New("not found")
	// ErrUnavailable is an engine that does not answer.
	ErrUnavailable = errors.New("engine not available")
	// ErrNameTaken is a name of a container or a network that is in use.
	ErrNameTaken = errors.New("name already in use")
	// ErrPortTaken is a host port that is in use.
	ErrPortTaken = errors.New("port already in use")
	// ErrImageUnavailable is an image that could not be pulled.
	ErrImageUnavailable = errors.New("image not available")
	// ErrUncapturable is a container whose filesystem cannot be held whole.
	ErrUncapturable = errors.New("cannot be captured whole")
	// ErrUnsupported is something this backend or this engine cannot do.
	ErrUnsupported = errors.New("not supported")
	// ErrUnfinished is a capture that was given up, which the engine may go on
	// with: [Artifacts.Collect] finds what it makes.
	ErrUnfinished = errors.New("not finished")
	// ErrConflict is an object that something else still uses.
	ErrConflict = errors.New("in use")
)

// Field names the part of a [Spec] that is at fault, so that a diagnostic can
// point at the attribute.
type Field string

// The fields that a backend reports on.
const (
	FieldName       Field = "name"
	FieldImage      Field = "image"
	FieldPorts      Field = "ports"
	FieldFiles      Field = "files"
	FieldCommand    Field = "command"
	FieldWorkingDir Field = "working_dir"
	FieldUser       Field = "user"
	FieldLimits     Field = "limits"
	FieldPullPolicy Field = "pull_policy"
	// FieldPath is the path of a file in a container.
	FieldPath Field = "path"

	FieldDiskLimit       Field = "disk_limit_mb"
	FieldTmpfsRoot       Field = "tmpfs_root_mb"
	FieldNetworkDisabled Field = "network_disabled"
	FieldNetworks        Field = "networks"
)

// Error says what was tried, what happened and what to do about it.
type Error struct {
	// Kind is one of the sentinels above, or nil.
	Kind error
	// Tried says what was attempted and where, as in "create container web on
	// unix:///var/run/docker.sock".
	Tried string
	// Cause is the engine's own error. It may be nil if Kind says it all.
	Cause error
	// Remedy is one thing to do, a full sentence; empty if there is none.
	Remedy string
	// Field is the part of the spec at fault, if one is.
	Field Field
	// Index is the element of Field that is at fault, for files.
	Index int
}

func (e *Error) Error() string {
	cause := e.Cause
	if cause == nil {
		cause = e.Kind
	}
	if cause == nil {
		return e.Tried
	}
	return e.Tried + ": " + cause.Error()
}

// Unwrap lets errors.Is match the kind as well as the cause.
func (e *Error) Unwrap() []error {
	var errs []error
	if e.Kind != nil {
		errs = append(errs, e.Kind)
	}
	if e.Cause != nil {
		errs = append(errs, e.Cause)
	}
	return errs
}
