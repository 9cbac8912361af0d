package docker

// The labels this package sets. An image's labels are inherited by every
// container that runs from it, and a container's labels are baked into every
// image that is committed from it. A commit can overwrite a label but never
// remove one, so each of these is always set explicitly: with its value where
// it holds, empty everywhere else.
const (
	// labelRunID belongs to the rightsize libraries: at its exit a test process
	// removes every container that carries its run's id, and libraries bake
	// the label into the checkpoints they capture. It is empty on every
	// container created here, so that no library takes it for its own.
	labelRunID = "dev.rightsize.runId"

	// labelSpec holds, as JSON, what the creator of a container asked for, as
	// distinct from what the image added. It is what a checkpoint's spec is
	// read back from.
	labelSpec = "dev.rightsize.spec"

	// labelBaseOf marks a copy of an image that declares no volumes; its value
	// is the id of the image it was copied from. Empty on containers and on
	// captured images.
	labelBaseOf = "dev.rightsize.base-of"

	// labelCheckpoint is the name of the checkpoint that an image was captured
	// for, so that what an interrupted capture left behind can be found. Empty
	// on containers.
	labelCheckpoint = "dev.rightsize.checkpoint"

	// labelHelper marks a container that a capture copies volumes into; its value
	// is the checkpoint's name. It is set nowhere else: a commit of the helper
	// blanks it, as it does everything below "dev.rightsize.".
	labelHelper = "dev.rightsize.helper"

	// labelImage is the id of the image that the creator of a container named. The
	// container's own record may point at a copy of it without volumes.
	labelImage = "dev.rightsize.image"

	// labelNetwork marks a network that was made here; its value is the name of
	// the network. The rightsize libraries remove the networks that they have made
	// by name (rz-net-...) and look at no label of one.
	labelNetwork = "dev.rightsize.network"

	// labelOwner is the token of the operation that made a container, a
	// capture's helper included, or a network, so that what a killed process left
	// is known from what somebody else has under its name. Empty on images.
	labelOwner = "dev.rightsize.owner"
)
