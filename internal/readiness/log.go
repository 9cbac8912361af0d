package readiness

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"time"
)

const (
	// Lines are matched whole up to logPiece; a longer one is matched in
	// pieces of that size, each beginning with the last logOverlap bytes of the
	// one before, so that a short match is not lost at a seam.
	logPiece   = 64 << 10
	logOverlap = 4 << 10
)

var reopenPace = pace{first: 50 * time.Millisecond, longest: 2 * time.Second}

// Log waits for lines in what the process has written since its last start.
// Every line is matched by itself, so that no match spans two lines, and
// counts once.
type Log struct {
	Pattern *regexp.Regexp
	// Times is how many lines have to match; zero means one.
	Times int
}

func (l Log) String() string {
	if l.Pattern == nil {
		return "log line"
	}
	return fmt.Sprintf("log line matching %q", l.Pattern)
}

// Validate implements [Validator].
func (l Log) Validate() error {
	if l.Pattern == nil {
		return errors.New("the pattern is missing")
	}
	if l.Times < 0 {
		return fmt.Errorf("the number of times must not be negative, and is %d", l.Times)
	}
	return nil
}

// Wait implements [Strategy]. An engine may end the stream of a process that
// goes on, after a log rotation or a hiccup. The stream is then opened again,
// which replays it, so that the count begins again too: a line is never
// counted twice.
func (l Log) Wait(ctx context.Context, target Target) error {
	ended := false
	for pause := reopenPace.first; ; pause = min(2*pause, reopenPace.longest) {
		stream, err := target.Follow(ctx)
		if err != nil {
			if ctx.Err() != nil {
				return &unmetError{cause: ctx.Err()}
			}
			return fmt.Errorf("follow the container's log: %w", err)
		}
		release := closeOnDone(ctx, stream)
		lines := &lineCounter{pattern: l.Pattern, want: max(l.Times, 1)}
		err = lines.read(stream, ended)
		release()
		if lines.done() {
			return nil
		}
		unmet := &unmetError{observed: lines.String(), cause: ctx.Err()}
		if ctx.Err() != nil || ended {
			return unmet
		}
		if err != nil {
			unmet.observed += fmt.Sprintf(", then the log broke off (%s)", sanitize([]byte(err.Error())))
		}

		// What was read need not be all that the process wrote, so a process
		// that has ended gets one more reading, which is complete.
		ended, err = endsWithin(ctx, target, pause)
		if ctx.Err() != nil {
			unmet.cause = ctx.Err()
			return unmet
		}
		if err != nil {
			return err
		}
	}
}

// endsWithin waits for a while for the process to end.
func endsWithin(ctx context.Context, target Target, while time.Duration) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, while)
	defer cancel()
	_, err := target.Wait(ctx)
	if err != nil && ctx.Err() != nil {
		return false, nil
	}
	return err == nil, err
}

// lineCounter counts the lines of a stream that match, holding a bounded part
// of it.
type lineCounter struct {
	pattern    *regexp.Regexp
	want, seen int

	line []byte
	// counted says that an earlier piece of the line has matched.
	counted bool
}

// read returns when enough lines have matched or the stream is over, with the
// error that broke it off, if one did. The last line counts without its line
// break only if the stream is known to be final: otherwise the rest of it may
// follow when the stream is opened again.
func (c *lineCounter) read(stream io.Reader, final bool) error {
	buffered := bufio.NewReader(stream)
	for !c.done() {
		piece, err := buffered.ReadSlice('\n')
		c.line = append(c.line, piece...)
		switch {
		case err == nil:
			c.match()
			c.line, c.counted = c.line[:0], false
		case errors.Is(err, bufio.ErrBufferFull):
			if len(c.line) >= logPiece {
				c.match()
				c.line = append(c.line[:0], c.line[len(c.line)-logOverlap:]...)
			}
		case errors.Is(err, io.EOF):
			if final {
				c.match()
			}
			return nil
		default:
			return err
		}
	}
	return nil
}

func (c *lineCounter) match() {
	if !c.counted && c.pattern.Match(bytes.TrimRight(c.line, "\r\n")) {
		c.counted = true
		c.seen++
	}
}

func (c *lineCounter) done() bool { return c.seen >= c.want }

func (c *lineCounter) String() string {
	return fmt.Sprintf("pattern seen %d of %d times", c.seen, c.want)
}
