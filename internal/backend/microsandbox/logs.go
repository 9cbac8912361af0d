package microsandbox

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/msb"
)

// Logs returns what the workload wrote in all its runs. msb keeps that in one
// log with what other commands print, and with its own.
func (b *Backend) Logs(ctx context.Context, id string, opts backend.LogOptions) (io.ReadCloser, error) {
	tried := "read the logs of container " + id
	client, err := b.msb(ctx)
	if err != nil {
		return nil, err
	}
	c, err := b.Inspect(ctx, id)
	if err != nil {
		return nil, err
	}
	text, count, err := b.logged(ctx, c, opts)
	if err != nil {
		return nil, b.fail(tried, err)
	}
	if !opts.Follow || c.State != backend.StateRunning {
		return io.NopCloser(bytes.NewReader(text)), nil
	}
	ctx, cancel := context.WithCancel(ctx)
	stream, err := client.Logs(ctx, c.Name, msb.LogOptions{Follow: true, Source: msb.WholeLog})
	if err != nil {
		cancel()
		return nil, b.fail(tried, err)
	}
	r, w := io.Pipe()
	f := &follower{b: b, container: c, opts: opts, stream: stream, pipe: r, cancel: cancel}
	f.end.Store(-1)
	go f.watch(ctx)
	go f.copy(w, text, count)
	return f, nil
}

// logged returns what the workload has written until now, and how many records
// of commands that took. The system's are not counted: msb merges them from
// files of their own, and not in the same way when it follows.
func (b *Backend) logged(ctx context.Context, c backend.Container, opts backend.LogOptions) (text []byte, count int, err error) {
	client, err := b.msb(ctx)
	if err != nil {
		return nil, 0, err
	}
	stream, err := client.Logs(ctx, c.Name, msb.LogOptions{Source: msb.WholeLog})
	if err != nil {
		return nil, 0, err
	}
	defer stream.Close()
	sieve := newSieve(c, opts.Since)
	for {
		record, err := stream.Next()
		if errors.Is(err, io.EOF) {
			return lastLines(text, opts.Tail), count, nil
		}
		if err != nil {
			return nil, 0, err
		}
		if record.HasSession {
			count++
		}
		text = append(text, sieve.pass(record)...)
	}
}

// lastLines returns the last n lines; all of them if n is zero.
func lastLines(text []byte, n int) []byte {
	if n == 0 {
		return text
	}
	start := len(text)
	if start > 0 && text[start-1] == '\n' {
		start--
	}
	for ; n > 0 && start >= 0; n-- {
		start = bytes.LastIndexByte(text[:start], '\n')
	}
	return text[start+1:]
}

// sieve lets through what the workload wrote.
type sieve struct {
	since   time.Time
	foreign bool
	// sessions are those of msb's exec sessions that ran the workload since the
	// VM came up. It counts them anew at every boot.
	sessions map[int]bool
}

func newSieve(c backend.Container, since time.Time) *sieve {
	return &sieve{since: since, foreign: !c.Managed, sessions: make(map[int]bool)}
}

// vmStarted is the system's line at every boot.
const vmStarted = "--- sandbox started ---"

// foreignSession is the session of msb's own startup command.
const foreignSession = 1

// pass returns what of a record is the workload's.
func (s *sieve) pass(record msb.LogRecord) string {
	if !record.HasSession {
		if strings.HasPrefix(record.Text, vmStarted) {
			clear(s.sessions)
		}
		return ""
	}
	text := record.Text
	if s.foreign {
		s.sessions[foreignSession] = true
	} else if before, after, begins := cutMarker(text); begins {
		s.sessions[record.Session] = true
		text = before + after
	}
	if !s.sessions[record.Session] || record.Time.Before(s.since) {
		return ""
	}
	return text
}

// cutMarker takes the line out that begins a run.
func cutMarker(text string) (before, after string, found bool) {
	start := strings.Index(text, runMarker)
	if start < 0 || start > 0 && text[start-1] != '\n' {
		return text, "", false
	}
	_, after, _ = strings.Cut(text[start:], "\n")
	return text[:start], after, true
}

// follower goes on with a log until the workload has ended. msb's own following
// goes on beyond that.
type follower struct {
	b         *Backend
	container backend.Container
	opts      backend.LogOptions
	stream    *msb.LogStream
	pipe      *io.PipeReader
	cancel    context.CancelFunc

	seen atomic.Int64
	// end is how many records there are altogether, once that is known; negative
	// before.
	end  atomic.Int64
	once sync.Once
}

// Read returns more of the log, when there is more.
func (f *follower) Read(p []byte) (int, error) { return f.pipe.Read(p) }

// Close ends the following.
func (f *follower) Close() error {
	f.stop()
	return f.pipe.Close()
}

func (f *follower) stop() {
	f.once.Do(func() {
		f.cancel()
		f.stream.Close()
	})
}

// watch finds out how much log there is when the workload has ended.
func (f *follower) watch(ctx context.Context) {
	_, err := f.b.Wait(ctx, f.container.ID)
	if ctx.Err() != nil {
		f.stop()
		return
	}
	if err == nil {
		var count int
		if _, count, err = f.b.logged(ctx, f.container, f.opts); err == nil {
			f.end.Store(int64(count))
		}
	}
	// Without a log any more, what was seen is all there is.
	if err != nil || f.seen.Load() >= f.end.Load() {
		f.stop()
	}
}

// copy writes what there is, and then what comes: all but the first records,
// which that was made of.
func (f *follower) copy(w *io.PipeWriter, text []byte, count int) {
	defer f.stop()
	if _, err := w.Write(text); err != nil {
		return
	}
	sieve := newSieve(f.container, f.opts.Since)
	for {
		record, err := f.stream.Next()
		if err != nil {
			// Whoever closed it, that is the end of the log.
			w.Close()
			return
		}
		text := sieve.pass(record)
		if !record.HasSession {
			continue
		}
		seen := f.seen.Add(1)
		if seen > int64(count) && text != "" {
			if _, err := io.WriteString(w, text); err != nil {
				return
			}
		}
		if end := f.end.Load(); end >= 0 && seen >= end {
			w.Close()
			return
		}
	}
}
