package msb

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
)

// maxLogRow bounds a row of a log. msb cuts what commands write into far
// smaller ones.
const maxLogRow = 8 << 20

// LogStream reads a log row by row. Next is for one goroutine at a time; Close
// may be called from any, and ends a Next that waits.
type LogStream struct {
	rows    *bufio.Reader
	pipe    *os.File
	process *process
	cancel  context.CancelFunc
	parent  context.Context
	closed  chan struct{}
	once    sync.Once

	done chan struct{} // closed when exit and err are set
	exit int
	err  error
}

// Logs opens a sandbox's log. A missing sandbox is ErrNotFound, from here or
// from the first Next. The stream lives until it is closed or ctx ends.
func (c *Client) Logs(ctx context.Context, name string, opts LogOptions) (*LogStream, error) {
	if err := checkName(name); err != nil {
		return nil, refused("logs", ErrNotFound, err)
	}
	args, err := logsArguments(name, opts)
	if err != nil {
		return nil, refused("logs "+name, ErrInvalid, err)
	}
	read, write, err := os.Pipe()
	if err != nil {
		return nil, notRun(args, err)
	}
	running, cancel := context.WithCancel(ctx)
	p, err := c.start(running, args, streams{stdout: write})
	_ = write.Close() // msb has its own.
	if err != nil {
		cancel()
		_ = read.Close()
		return nil, err
	}
	s := &LogStream{
		rows:    bufio.NewReader(read),
		pipe:    read,
		process: p,
		cancel:  cancel,
		parent:  ctx,
		closed:  make(chan struct{}),
		done:    make(chan struct{}),
	}
	go func() {
		defer close(s.done)
		s.exit, s.err = p.wait()
	}()
	return s, nil
}

// Next returns the next row. It fails with io.EOF after the last one.
func (s *LogStream) Next() (LogRecord, error) {
	for {
		line, err := s.readRow()
		if record, ok := parseLogRecord(line); ok {
			return record, nil
		}
		if err != nil {
			return LogRecord{}, s.end(err)
		}
	}
}

// readRow returns what is left when the stream ends, with the error.
func (s *LogStream) readRow() ([]byte, error) {
	var row []byte
	for {
		part, err := s.rows.ReadSlice('\n')
		row = append(row, part...)
		switch {
		case len(row) > maxLogRow:
			return nil, fmt.Errorf("a row of the log is longer than %d bytes", maxLogRow)
		case !errors.Is(err, bufio.ErrBufferFull):
			return row, err
		}
	}
}

// end says why there are no more rows.
func (s *LogStream) end(cause error) error {
	select {
	case <-s.closed:
		return fs.ErrClosed
	default:
	}
	if !errors.Is(cause, io.EOF) && s.parent.Err() == nil {
		return fmt.Errorf("read the log: %w", cause)
	}
	<-s.done
	switch {
	case s.err != nil:
		return s.err
	case s.exit != 0:
		return classify(s.process.args, s.exit, s.process.stderr.String())
	default:
		return io.EOF
	}
}

// Close frees the stream and ends msb, without waiting for that.
func (s *LogStream) Close() error {
	s.once.Do(func() {
		close(s.closed)
		s.cancel()
		_ = s.pipe.Close()
	})
	return nil
}
