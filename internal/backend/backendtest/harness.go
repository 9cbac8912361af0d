package backendtest

import (
	"testing"
	"time"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// Harness is what the suite needs to know about a backend.
type Harness struct {
	// Open returns the backend. It is called once.
	Open func(t *testing.T) backend.Backend
	// Images are the images to use, which the engine has.
	Images Images
	// Commands are what containers of these images can run.
	Commands Commands
	// Counter is a process that counts in its memory from one on, ten times a second
	// about, keeps the number in a file, and ends with 5 when there is a file of that
	// name with ".quit" after it. It is not needed for a backend that captures no
	// memory, nor for the fake, whose processes cannot go on.
	Counter func(file string) []string
	// MakeUncapturable makes and starts a container of this name, by whatever
	// means, whose filesystem no capture can hold whole. The suite removes it.
	MakeUncapturable func(t *testing.T, name string)
	// JoinForeign makes and starts a container of this name that is not the
	// backend's, by whatever means, on a network. The suite removes it. It is not
	// needed for a backend without networks.
	JoinForeign func(t *testing.T, name, network string)
	// Leftovers describes everything in the engine that belongs to a container
	// or a checkpoint whose name begins with prefix, unpublished artifacts
	// included. It looks at the engine itself and not through the backend.
	Leftovers func(t *testing.T, prefix string) []string

	// Deadline turns a call that hangs into a failure. It is no measure of
	// speed: no case comes near it. Zero means two minutes.
	Deadline time.Duration
	// Many is how many calls a case makes at a time where that is what it is
	// about; zero means what Terraform does by default, about.
	Many int
	// MemoryUnitMB is a small amount of memory, of which containers are given
	// twice as much and more; zero means what Docker is content with.
	MemoryUnitMB int64
}

// Images are references to images.
type Images struct {
	// Base is the image that most containers run.
	Base string
	// Volume declares a volume at VolumePath, as those of databases do.
	Volume     string
	VolumePath string
	// Healthy declares a health check, and passes it when it runs its own
	// command, but not when it runs another one. It is empty if the engine has
	// no health checks.
	Healthy string
	// Missing is the name of an image that neither the engine has nor a
	// registry.
	Missing string
}

// Commands are the argument vectors of what the suite runs in containers. All
// of them work in every image, whatever the working directory.
type Commands interface {
	// Relay is a process that waits for Say and Quit, prints "ready" when it
	// can be told, and ends with 0 when it is asked to stop.
	Relay() []string
	// Say makes the Relay of the same container print text as a line.
	Say(text string) []string
	// Quit makes the Relay of the same container end with code.
	Quit(code int) []string
	// Stubborn is a process that does not end when it is asked to stop.
	Stubborn() []string
	// Serve answers HTTP requests on a port with the files below root.
	Serve(port uint16, root string) []string
	// Fetch prints what a server on another container answers for a file, and
	// fails if it cannot be reached.
	Fetch(host string, port uint16, file string) []string

	// Echo prints words, and the arguments that are appended to the vector,
	// with a blank between them, and a line end.
	Echo(words ...string) []string
	// EchoError prints text and a line end to standard error.
	EchoError(text string) []string
	// Exit ends with code.
	Exit(code int) []string
	// Cat copies its input to its output until the input ends.
	Cat() []string
	// ReadFile prints a file as it is, and fails if it is not there.
	ReadFile(path string) []string
	// WriteFile replaces a file with text and nothing else.
	WriteFile(path, text string) []string
	// Stat prints a file's permission bits in octal, the user's and the group's
	// id, with blanks between them, and a line end: "644 0 0".
	Stat(path string) []string
	// PrintEnv prints the variable's value and a line end.
	PrintEnv(name string) []string
	// PrintWorkingDir prints the working directory and a line end.
	PrintWorkingDir() []string
	// PrintUserID prints the user's numeric id and a line end.
	PrintUserID() []string
	// Missing is a command that does not exist.
	Missing() []string
}
