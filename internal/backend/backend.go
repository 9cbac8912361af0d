package backend

import (
	"context"
	"io"
	"time"
)

// Name names a backend in configuration, in registry entries and in state. The
// two values are shared with the rightsize libraries.
type Name string

const (
	// Docker is Docker Engine, or anything that speaks its API.
	Docker Name = "docker"
	// Microsandbox is hardware-isolated microVMs run by msb.
	Microsandbox Name = "microsandbox"
)

// Backend is one engine that runs containers and keeps checkpoints of them.
//
// Its methods are safe for concurrent use. Those that change the engine are
// told apart from those that read it: nothing in the second and third group of
// [Containers] and [Artifacts] ever changes anything. An error that a caller
// may want to tell apart matches one of the sentinels of this package; all
// others are the engine's own, wrapped in [*Error].
type Backend interface {
	// Name returns the backend's name without contacting the engine.
	Name() Name
	// Engine identifies the engine. It contacts it at the first call, and
	// fails with ErrUnavailable if it does not answer.
	Engine(ctx context.Context) (Engine, error)

	Containers
	Networks
	Artifacts
}

// Containers is the life of one container, from its creation to its removal.
// Every id may be a container's id or its name.
type Containers interface {
	// Create makes the container that spec describes, with its files in
	// place and its process not yet started, so that the caller can record it
	// before anything can fail. An engine that creates and boots in one step
	// only reserves name and ports here.
	//
	// It fails with ErrNameTaken, ErrPortTaken, ErrNotFound (the image, the
	// artifact or a network) or ErrImageUnavailable, and then leaves nothing
	// behind.
	Create(ctx context.Context, spec Spec) (Container, error)
	// Start runs the process of a container that is created, stopped or
	// paused, on the ports it was created with. spec is the one it was created
	// from: an engine that cannot restart a process by itself needs it. A
	// container that runs already is no error. It fails with ErrPortTaken when
	// somebody else took the port in the meantime.
	Start(ctx context.Context, id string, spec Spec) error
	// Stop asks the process to end and kills it when grace has passed. A
	// container that does not run is no error; a missing one is ErrNotFound.
	Stop(ctx context.Context, id string, grace time.Duration) error
	// Remove deletes the container, running or not, with what the engine made
	// for it alone: anonymous volumes, derived images. A missing one is no
	// error.
	Remove(ctx context.Context, id string) error
	// Update applies new resource limits to the container in place. A backend
	// that restarts the process for it refuses with ErrUnsupported if the
	// container's root is in memory and would be lost.
	Update(ctx context.Context, id string, limits Limits) error
	// Exec runs a command in a running container and returns its exit code,
	// which is not an error whatever it is. When ctx ends the command ends too,
	// as far as the engine, or the container's image, has the means.
	Exec(ctx context.Context, id string, cmd Exec) (exitCode int, err error)

	// CopyFrom returns what is at an absolute path of the container, which need
	// not run, as a tar archive. A symbolic link there is followed, those below
	// are kept as links. The first member is what was asked for, whatever its
	// name, and all others are below that name. What a container archives is the
	// container's to decide: the archive is hostile input. The caller closes it.
	//
	// A container that is missing is ErrNotFound; a path that is, ErrNotFound with
	// FieldPath.
	CopyFrom(ctx context.Context, id, path string) (io.ReadCloser, error)
	// Inspect returns everything known about one container, or ErrNotFound.
	Inspect(ctx context.Context, id string) (Container, error)
	// List returns a summary of every container of the engine in one call.
	List(ctx context.Context) ([]Summary, error)

	// Wait blocks until the container's process has ended, and returns at once
	// if it is not running. A missing container is ErrNotFound.
	Wait(ctx context.Context, id string) (Exit, error)
	// WaitHealthy blocks until the engine's own health check passes. It fails
	// with ErrUnsupported if the container declares none.
	WaitHealthy(ctx context.Context, id string) error
	// Logs returns what the process wrote, standard output and standard error
	// in one stream of lines. The caller closes it.
	Logs(ctx context.Context, id string, opts LogOptions) (io.ReadCloser, error)
}

// Artifacts is what a backend keeps for checkpoints. Capture, Publish and
// RemoveArtifact are the three steps by which a name moves from one artifact to
// the next with a good one behind it at every instant; the caller serialises
// them per name.
type Artifacts interface {
	// Capture keeps the filesystem of a container, running or not, as a new
	// artifact that no name points at yet. The artifact holds everything below
	// /, volumes included, or Capture fails with ErrUncapturable and names what
	// it could not hold. A failed Capture changes nothing, with one exception: if
	// it returns an artifact as well as an error, the artifact is good, and the
	// error says why the container could not be started again.
	Capture(ctx context.Context, id string, opts CaptureOptions) (Artifact, error)
	// Publish makes the name's ref stand for the artifact and returns the ref,
	// which goes into the registry entry.
	Publish(ctx context.Context, name string, artifact Artifact) (ref string, err error)
	// RemoveArtifact deletes the artifact with this id, and each ref that still
	// stands for it. Containers that run from it keep what they have. A missing
	// artifact is no error.
	RemoveArtifact(ctx context.Context, id string) error
	// Collect deletes what earlier captures under the name left behind and
	// nothing uses any more, except the artifact keep.
	Collect(ctx context.Context, name, keep string) error

	// Artifact returns the artifact that ref stands for, or ErrNotFound.
	Artifact(ctx context.Context, ref string) (Artifact, error)
	// ListArtifacts returns every published artifact in one call. An engine whose
	// list does not tell Layers leaves it zero: Artifact tells it.
	ListArtifacts(ctx context.Context) ([]Artifact, error)
}

// LogOptions selects lines of a container's log.
type LogOptions struct {
	// Follow keeps the stream open until the process ends.
	Follow bool
	// Tail limits the stream to the last lines; zero means all.
	Tail int
	// Since leaves out what was written before it; zero means all.
	Since time.Time
}

// Exec is a command to run in a container that is running.
type Exec struct {
	Command    []string
	Env        map[string]string
	User       string
	WorkingDir string
	// Stdin is sent to the command and then closed; nil means none.
	Stdin io.Reader
	// Stdout and Stderr receive the command's output; nil discards it.
	Stdout, Stderr io.Writer
}
