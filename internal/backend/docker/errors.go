package docker

import (
	"context"
	"errors"
	"io"
	"net"

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
	return failure
}

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
