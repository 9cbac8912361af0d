package backend

// Engine identifies the program behind a backend.
type Engine struct {
	// ID tells this engine from any other, so that state can say where an
	// artifact lives. It survives restarts of the engine.
	ID string
	// Version is the engine's own version, for messages.
	Version string
	// Address is where the engine was reached, for messages.
	Address string
	// Local says that the engine runs on this host, so that its published
	// ports are this host's ports.
	Local        bool
	Capabilities Capabilities
}

// Capabilities is what differs between backends, and between versions of one
// engine, in the words of the rightsize libraries.
type Capabilities struct {
	// HardwareIsolated says that each container has a kernel of its own.
	HardwareIsolated bool
	// Checkpoint says that containers can be captured.
	Checkpoint bool
	// CheckpointRestartsWorkload says that a running container is stopped and
	// started again by a capture.
	CheckpointRestartsWorkload bool
	// CheckpointMemory says that a capture can hold the memory of a running
	// container too.
	CheckpointMemory bool
	// LimitsRestartWorkload says that a running container is stopped and started
	// again by a change of its limits.
	LimitsRestartWorkload bool
	// LayerLimit is how many layers an artifact can have; zero on a backend whose
	// artifacts have none.
	LayerLimit int
	// Networks says that containers can be joined by networks.
	Networks bool
}
