package backend

import "time"

// State is the state of a container's process, in Docker's words.
type State string

// The states.
const (
	StateCreated State = "created"
	StateRunning State = "running"
	StatePaused  State = "paused"
	// StateExited is a container whose process has ended, however it did.
	StateExited State = "exited"
	// StateUnknown is anything in between, such as a container being removed.
	StateUnknown State = "unknown"
)

// Summary is what the engine tells about many containers at once.
type Summary struct {
	ID    string
	Name  string
	State State
	// Ports are the published ports. An engine may tell them only while the
	// container runs.
	Ports []PortBinding
	// Host is where published ports are reached.
	Host string
	// Networks are the names of the networks that it is on, in order, without
	// the engine's default one.
	Networks []string
	// Managed says that this provider created the container.
	Managed bool
	// Owner is the [Spec]'s; empty if there was none.
	Owner string
}

// Container is everything a backend knows about one container.
type Container struct {
	Summary

	// Exit is meaningful in StateExited.
	Exit Exit
	// CreatedAt is when the container was made, by the engine's clock.
	CreatedAt time.Time
	// StartedAt is when the process was last started, by the engine's clock;
	// zero if never.
	StartedAt time.Time
	// EndedAt is when the process last ended, by the engine's clock; zero if
	// never.
	EndedAt time.Time
	// ImageID identifies the image that the user named, or the artifact of the
	// checkpoint, whatever the backend derived from it to run.
	ImageID string
	// Given is what the container's creator asked for, without what its image
	// added.
	Given Given
}

// Given is the part of a container's definition that can be read back from the
// engine. Nil and zero mean that the image's own value is used. It is what a
// checkpoint's spec records and what an import adopts.
type Given struct {
	Image        string
	Env          map[string]string
	Command      []string
	Entrypoint   []string
	WorkingDir   string
	User         string
	Labels       map[string]string
	ExposedPorts []Port
	Limits       Limits

	DiskMB          int64
	TmpfsRootMB     int64
	NetworkDisabled bool
	// Networks are in order; see [SortedAttachments].
	Networks []Attachment

	// Complete is the [Spec]'s. It is false for containers of somebody else.
	Complete bool
}
