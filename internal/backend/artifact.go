package backend

import "time"

// Artifact is what a backend keeps for a checkpoint: an image or a snapshot.
type Artifact struct {
	// Ref is the backend's name for it, as the registry entry records it; empty
	// until it is published. It is opaque to everybody but the backend.
	Ref string
	// ID is the digest of its content. It never stands for anything else.
	ID        string
	SizeBytes int64
	CreatedAt time.Time
	// Layers is how many layers a restore stacks: each capture of a copy adds to
	// them. It is zero on a backend without [Capabilities.LayerLimit].
	Layers int
	// Memory is set if it holds the container's memory and processes beside its
	// filesystem: a copy goes on from the instant of the capture.
	Memory *Memory
	// Pause is how long the container stood still for the capture; zero if the
	// backend does not tell.
	Pause time.Duration
}

// Memory is what a copy has to have, to go on from an artifact that holds memory.
type Memory struct {
	// MemoryMB and CPUs are those of the container that was captured.
	MemoryMB int64
	CPUs     float64
	// Engine is the line of the engine's versions that can restore it, as in 0.7.
	Engine string
}
