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
}
