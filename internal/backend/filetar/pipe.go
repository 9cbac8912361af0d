package filetar

import (
	"errors"
	"io"
)

// Pipe connects what writes a stream to what sends it, and returns the error of
// the one that failed first.
func Pipe(write func(io.Writer) error, send func(io.Reader) error) error {
	r, w := io.Pipe()
	written := make(chan error, 1)
	go func() {
		err := write(w)
		w.CloseWithError(err)
		written <- err
	}()
	sendErr := send(r)
	// Lets a writer go whose stream was not read to its end.
	_ = r.Close()
	if err := <-written; err != nil && !errors.Is(err, io.ErrClosedPipe) {
		return err
	}
	return sendErr
}
