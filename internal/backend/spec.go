package backend

import (
	"io/fs"
	"slices"
	"time"
)

// Spec is what a container is made from. A zero field is the image's own
// value, or the engine's default where an image has none.
type Spec struct {
	// Name is the container's name, unique in the engine.
	Name string
	// Image is a reference to the image to start from. Empty if From is set.
	Image string
	// PullPolicy says when Image is pulled.
	PullPolicy PullPolicy
	// From is the checkpoint's artifact to start from instead of an image. With
	// one that holds memory, Command, Entrypoint, Env, User and WorkingDir say what
	// runs after a stop; until then what was captured goes on. Limits are none, or
	// those of the artifact.
	From *Artifact

	Env        map[string]string
	Command    []string
	Entrypoint []string
	WorkingDir string
	User       string
	Labels     map[string]string

	// Ports are the container's ports to publish. Each has its host port: the
	// caller chooses them, so that it can keep them across restarts.
	Ports []PortBinding
	// Files are in place before the process starts.
	Files  []File
	Limits Limits

	// DiskMB bounds, in MiB, what the container writes to its own filesystem;
	// zero means the engine's own bound, if it has one. A backend whose copies
	// of an artifact have the disk that was captured refuses it together with
	// From.
	DiskMB int64
	// TmpfsRootMB keeps what the container writes to its own filesystem in
	// memory, and bounds it, in MiB; zero means on disk. It is gone when the
	// container stops, but for the files, and no capture holds it. It does not
	// go together with From, nor with DiskMB.
	TmpfsRootMB int64
	// NetworkDisabled leaves the container without a network. Ports is empty
	// then: nothing can be published.
	NetworkDisabled bool
	// Networks are the networks that the container is on, each once; none means
	// the engine's default one. They exist.
	Networks []Attachment

	// Complete says that nothing else defines what the container holds: neither
	// files nor commands that are to run in it. Then it can be made again from what
	// the engine tells of it.
	Complete bool

	// Owner is a token of the operation that makes the container, to find it by
	// if that is interrupted. No image or artifact ever hands it on.
	Owner string
}

// Given is what the spec asks for, its ports in order.
func (s Spec) Given() Given {
	given := Given{
		Image:      s.Image,
		Env:        s.Env,
		Command:    s.Command,
		Entrypoint: s.Entrypoint,
		WorkingDir: s.WorkingDir,
		User:       s.User,
		Labels:     s.Labels,
		Limits:     s.Limits,

		DiskMB:          s.DiskMB,
		TmpfsRootMB:     s.TmpfsRootMB,
		NetworkDisabled: s.NetworkDisabled,
		Networks:        SortedAttachments(s.Networks),

		Complete: s.Complete,
	}
	for _, p := range s.Ports {
		given.ExposedPorts = append(given.ExposedPorts, p.Port)
	}
	slices.SortFunc(given.ExposedPorts, Port.Compare)
	return given
}

// Limits bounds what a container may use; zero means no bound.
type Limits struct {
	MemoryMB int64
	CPUs     float64
}

// PullPolicy says when an image is pulled.
type PullPolicy string

const (
	// PullMissing pulls an image that the engine does not have.
	PullMissing PullPolicy = "missing"
	// PullAlways pulls at each creation of a container.
	PullAlways PullPolicy = "always"
	// PullNever takes only what the engine has.
	PullNever PullPolicy = "never"
)

// File is a file, or a tree of files, to put into a container.
type File struct {
	// Path is where it goes: absolute, slash-separated. Missing parent
	// directories are made, owned by root with mode 0755.
	Path string
	// Source is the file or directory on this host to copy. It is streamed.
	Source string
	// Content is the file's content if Source is empty.
	Content []byte
	// Mode is the permission of the file; nil keeps the source's, or 0644 for
	// content. In a tree it applies to regular files.
	Mode *fs.FileMode
	// Owner is "user", "user:group", "uid" or "uid:gid", as in chown; names
	// are looked up in the container. Empty is root.
	Owner string
}

// Exit is how a container's process ended.
type Exit struct {
	Code      int
	OOMKilled bool
}

// CaptureOptions is what a capture needs to know beside the container.
type CaptureOptions struct {
	// Name is the checkpoint's name; the artifact is marked with it, so that
	// Collect finds what an interrupted capture left.
	Name string
	// Discard says that the container is not needed afterwards: a backend that
	// stops it for the capture need not bring it back.
	Discard bool
	// Flatten asks for an artifact of one layer, which shares none with others. It
	// costs the time and the space of all data. A backend without
	// [Capabilities.LayerLimit] keeps what it keeps anyway.
	Flatten bool
	// Memory asks for an artifact that holds the memory and the processes of the
	// container too, which has to run. It is for a backend with
	// [Capabilities.CheckpointMemory]; others fail with ErrUnsupported.
	Memory bool
	// Owner is as in [Spec], for a container that a backend makes on the way.
	Owner string
	// Progress, if set, is told each step before it begins, for logs.
	Progress func(step string)
}

// DefaultStopTimeout is how long Stop waits by default before it kills: long
// enough for a database to write its buffers out.
const DefaultStopTimeout = 30 * time.Second
