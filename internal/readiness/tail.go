package readiness

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
	"time"
	"unicode"
)

const (
	// What an error carries of the log: enough to see the reason, little
	// enough to print in a diagnostic.
	tailLines   = 50
	tailBytes   = 8 << 10
	tailTimeout = 2 * time.Second
	// tailLine bounds one line, so that a single one cannot push out the rest.
	tailLine = 1 << 10
)

// lastLog returns the end of the container's log for an error. It runs on a
// deadline of its own, because the caller's has usually passed by then, and
// never fails: a log that cannot be read is reported in place of its lines.
func lastLog(ctx context.Context, target Target) []string {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tailTimeout)
	defer cancel()
	stream, err := target.Logs(ctx, tailLines)
	if err != nil {
		return []string{fmt.Sprintf("(the log could not be read: %s)", sanitize([]byte(err.Error())))}
	}
	release := closeOnDone(ctx, stream)
	defer release()
	return lastLines(stream, tailLines, tailBytes)
}

// lastLines reads r to its end, or to its first error, and returns its last
// lines that fit into size bytes, and at least one. Blank lines are left out,
// long ones cut.
func lastLines(r io.Reader, count, size int) []string {
	var lines []string
	buffered := bufio.NewReaderSize(r, tailLine)
	for {
		piece, more, err := buffered.ReadLine()
		if err != nil {
			break
		}
		line := sanitize(piece)
		if more {
			// The cut may have split a character.
			line = strings.TrimSuffix(line, "\uFFFD") + "…"
		}
		for more && err == nil {
			_, more, err = buffered.ReadLine()
		}
		if strings.TrimSpace(line) == "" {
			continue
		}
		if len(lines) == count {
			lines = append(lines[:0], lines[1:]...)
		}
		lines = append(lines, line)
	}
	total := 0
	for i := len(lines) - 1; i >= 0; i-- {
		if total += len(lines[i]); total > size && i < len(lines)-1 {
			return lines[i+1:]
		}
	}
	return lines
}

// escapes are terminal control sequences: CSI, as in colours, OSC, as in window
// titles and links, and the choice of a character set.
var escapes = regexp.MustCompile(`\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][0-9A-Za-z])`)

// sanitize makes a line of output safe to print: it has no control or
// invisible formatting characters but tabs, and is valid UTF-8.
func sanitize(line []byte) string {
	text := bytes.ToValidUTF8(escapes.ReplaceAll(line, nil), []byte("\uFFFD"))
	return strings.Map(func(r rune) rune {
		if r == '\t' || unicode.IsGraphic(r) {
			return r
		}
		return -1
	}, string(text))
}

// closeOnDone closes c when ctx ends, which unblocks whoever reads from it, or
// when release is called. It is closed exactly once, and is closed when
// release returns.
func closeOnDone(ctx context.Context, c io.Closer) (release func()) {
	// A stream that was only read has nothing to lose when closing it fails.
	closeOnce := sync.OnceFunc(func() { _ = c.Close() })
	stop := context.AfterFunc(ctx, closeOnce)
	return func() {
		stop()
		closeOnce()
	}
}
