package docker

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"

	cerrdefs "github.com/containerd/errdefs"
	"github.com/docker/docker/client"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// fail wraps an error of the Docker client: tried says what was attempted, as
// in "create container web", and the engine's address is added. The kind comes
// from the error's class, never from its text. An error that is a
// [*backend.Error] already is returned as it is, and nil stays nil.
func (b *Backend) fail(tried string, err error) error {
	if err == nil {
		return nil
	}
	var known *backend.Error
	if errors.As(err, &known) {
		return err
	}
	failure := &backend.Error{Kind: kindOf(err), Tried: tried, Cause: err}
	if conn := b.connection.Load(); conn != nil {
		failure.Tried += " on " + conn.endpoint.address()
		if errors.Is(failure.Kind, backend.ErrUnavailable) {
			failure.Remedy = reachRemedy(conn.endpoint, err)
		}
	}
	if failure.Remedy == "" && isFullDisk(err) {
		failure.Remedy = "The engine's disk is full: free some of it. \"docker system df\" shows what images, containers and volumes take."
	}
	return failure
}

// isFullDisk reports whether the engine ran out of disk. It says so with the
// class of any internal error, and with the system's text for ENOSPC:
//
//	Error processing tar file(exit status 1): write /srv/data: no space left on device (20.10)
//	failed to apply diff: write /var/lib/containerd/.../fs/srv/data: no space left on device: unknown (26.1, containerd store)
//
// It is for advice only: what happens next does not depend on it.
func isFullDisk(err error) bool { return strings.Contains(err.Error(), syscall.ENOSPC.Error()) }

// kindOf classifies an error of the Docker client, or returns nil if no caller
// tells its class apart. An interruption has no kind: it matches
// [context.Canceled] or [context.DeadlineExceeded] through the cause.
func kindOf(err error) error {
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return nil
	case isDisconnect(err):
		return backend.ErrUnavailable
	case cerrdefs.IsNotFound(err):
		return backend.ErrNotFound
	case cerrdefs.IsConflict(err), cerrdefs.IsAlreadyExists(err):
		return backend.ErrConflict
	case cerrdefs.IsUnavailable(err):
		return backend.ErrUnavailable
	case cerrdefs.IsNotImplemented(err):
		return backend.ErrUnsupported
	default:
		return nil
	}
}

// isDisconnect reports whether the engine went away or never answered.
func isDisconnect(err error) bool {
	var network *net.OpError
	return client.IsErrConnectionFailed(err) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.As(err, &network)
}
