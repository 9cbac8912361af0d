package faultpoint

// Point is a step that has just been done.
type Point string

// The steps, in the order of the operations that have them.
const (
	// Of what creates a container: a resource, a reset, a seed.
	Recorded  Point = "recorded"   // the intent is in the journal, and nothing is made
	Copied    Point = "copied"     // the image has its copy without volumes
	Made      Point = "made"       // the engine has the container, without its files
	Furnished Point = "furnished"  // its files are in place
	Created   Point = "created"    // the caller was told of it
	Expiring  Point = "expiring"   // until when it is wanted is recorded; also of a capture, that nobody can find yet
	Started   Point = "started"    // its process runs
	Ready     Point = "ready"      // its waits are over
	StepsDone Point = "steps-done" // its exec steps are over
	Answering Point = "answering"  // only the intent is still there
	Erased    Point = "erased"     // the intent's record is gone, but not its lock

	// Of a container that is there for a run of Terraform.
	Borrowed Point = "borrowed" // it is ready, and the intent is held
	Returned Point = "returned" // it is gone, and only the intent is still there

	// Of a capture.
	Locked       Point = "locked"        // the name's lock is held
	SeedStopped  Point = "seed-stopped"  // the seed is ready to be captured
	CommitLocked Point = "commit-locked" // the lock of the parent image is held
	Halted       Point = "halted"        // the container is stopped, where a capture has to
	Committed    Point = "committed"     // the engine has the image, or an intermediate one
	Paused       Point = "paused"        // a container with volumes is frozen
	HelperMade   Point = "helper-made"   // there is a container to copy volumes into
	VolumeCopied Point = "volume-copied" // a volume is in it
	Imported     Point = "imported"      // the engine has an image of one layer, without its configuration
	Captured     Point = "captured"      // the artifact is verified
	Published    Point = "published"     // the ref stands for it
	EntryWritten Point = "entry-written" // the new entry lies beside the old one
	EntryRenamed Point = "entry-renamed" // the new entry is in place
	Dropped      Point = "dropped"       // the previous artifact is removed
	Collected    Point = "collected"     // so are left-overs
	SeedRemoved  Point = "seed-removed"  // so is the seed

	// Of a reset.
	ResetRemoved Point = "reset-removed" // the old container is gone

	// Of a removal of a container.
	Stopped Point = "stopped" // its process has ended
	Removed Point = "removed" // the engine has it no more, but what it ran from

	// Of the removal of a checkpoint.
	ArtifactRemoved Point = "artifact-removed"
	EntryRemoved    Point = "entry-removed"

	// Of a command that is a resource, and of the one that takes it back.
	CommandRun Point = "command-run"

	// Of a copy out of a container.
	Unpacked Point = "unpacked" // the copy is whole, beside its destination
	Placed   Point = "placed"   // it is in its place

	// Of networks.
	NetworkMade    Point = "network-made"    // the engine has the network
	Attached       Point = "attached"        // a container is on one network more
	Detached       Point = "detached"        // no container is on a network that is to go
	NetworkRemoved Point = "network-removed" // the engine has the network no more

	// Of clearing away what others left.
	Swept Point = "swept" // the container is gone, and its record is there
)

// All returns every step.
func All() []Point {
	return []Point{
		Recorded, Copied, Made, Furnished, Created, Expiring, Started, Ready, StepsDone, Answering, Erased,
		Borrowed, Returned,
		Locked, SeedStopped, CommitLocked, Halted, Committed, Paused, HelperMade, VolumeCopied, Imported, Captured,
		Published, EntryWritten, EntryRenamed, Dropped, Collected, SeedRemoved,
		ResetRemoved, Stopped, Removed, ArtifactRemoved, EntryRemoved,
		CommandRun, Unpacked, Placed,
		NetworkMade, Attached, Detached, NetworkRemoved, Swept,
	}
}
