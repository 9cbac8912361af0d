package docker

import (
	"encoding/json"
	"errors"
	"io"

	"github.com/containerd/errdefs/pkg/errhttp"
)

// streamError is a failure that the engine reported inside a stream of
// messages, after it had answered with status 200.
type streamError struct {
	// Code is an HTTP status code, or zero: engines leave it out for most
	// failures.
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *streamError) Error() string { return e.Message }

// Is matches the error class of the code, as the client's own errors do.
func (e *streamError) Is(target error) bool {
	return e.Code != 0 && errors.Is(errhttp.ToNative(e.Code), target)
}

// drain reads a stream of progress messages to its end and returns the failure
// that it reports, if it reports one. An operation is complete only when its
// stream has ended.
func drain(stream io.Reader) error {
	_, err := lastStatus(stream)
	return err
}

// lastStatus is drain for an operation that says in the end what it has made.
func lastStatus(stream io.Reader) (status string, err error) {
	decoder := json.NewDecoder(stream)
	for {
		var message struct {
			Status string       `json:"status"`
			Error  string       `json:"error"`
			Cause  *streamError `json:"errorDetail"`
		}
		if err := decoder.Decode(&message); errors.Is(err, io.EOF) {
			return status, nil
		} else if err != nil {
			return "", err
		}
		if message.Cause != nil {
			return "", message.Cause
		}
		if message.Error != "" {
			return "", &streamError{Message: message.Error}
		}
		status = message.Status
	}
}
