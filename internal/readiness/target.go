package readiness

import (
	"context"
	"io"
)

// Target is the container that is waited for, in the state of its current
// start. Its methods are called concurrently, and each returns soon after its
// context has ended.
type Target interface {
	// Wait blocks until the process has ended, and returns at once if it is
	// not running. An error means that the engine could not tell.
	Wait(ctx context.Context) (Exit, error)
	// WaitHealthy blocks until the engine's own health check passes. It fails
	// if the container declares none.
	WaitHealthy(ctx context.Context) error
	// Logs returns the last lines that the process wrote, without following.
	Logs(ctx context.Context, tail int) (io.ReadCloser, error)
	// Follow returns what the process wrote since it was last started, and
	// goes on until it ends. Closing the stream unblocks a pending Read.
	Follow(ctx context.Context) (io.ReadCloser, error)
	// Exec runs a command in the container. An exit code is not an error,
	// whatever it is. The target bounds the output.
	Exec(ctx context.Context, command []string) (exitCode int, output []byte, err error)
	// Address returns host:port of a published TCP port, named by its number
	// as in "5432". The host is an IP address: a name such as localhost may
	// resolve to ::1 first, where nothing is published.
	Address(port string) (addr string, ok bool)
}

// Exit is how the process ended.
type Exit struct {
	Code      int
	OOMKilled bool
}
