package readiness

import (
	"context"
	"errors"
	"io"
	"net/url"
	"os"
	"syscall"
)

// networkReason reduces a network error to what a person needs to know: not
// the address, which differs at each run, nor the URL, whose query may hold a
// secret.
func networkReason(err error) string {
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		return errno.Error()
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) {
		return "no answer within " + attemptTimeout.String()
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return "connection closed without an answer"
	}
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err
	}
	return sanitize([]byte(err.Error()))
}
