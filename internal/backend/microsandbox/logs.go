package microsandbox

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
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
	source, err := b.logSource(ctx, tried, id)
	if err != nil {
		return nil, err
	}
	follow := opts.Follow && source.goesOn
	// Whoever follows all of it needs not know where what there is ends.
	var text []byte
	var count int
	if !follow || opts.Tail > 0 {
		if text, count, err = b.logged(ctx, source, opts); err != nil {
			return nil, b.fail(tried, err)
		}
	}
	if !follow {
		return io.NopCloser(bytes.NewReader(text)), nil
	}
	following, cancel := context.WithCancel(ctx)
	stream, err := client.Logs(following, source.name, msb.LogOptions{Follow: true, Source: msb.WholeLog})
	if err != nil {
		cancel()
		return nil, b.fail(tried, err)
	}
	r, w := io.Pipe()
	f := &follower{b: b, source: source, opts: opts, stream: stream, pipe: r, caller: ctx, cancel: cancel}
	f.end.Store(-1)
	go f.watch(following)
	go f.copy(w, text, count)
	return f, nil
}

// systemLog returns what msb itself has written of a sandbox since then.
func systemLog(ctx context.Context, client *msb.Client, name string, since time.Time) ([]msb.LogRecord, error) {
	logs, err := client.Logs(ctx, name, msb.LogOptions{Source: msb.SystemLog, Since: since})
	if err != nil {
		return nil, err
	}
	defer logs.Close()
	var records []msb.LogRecord
	for {
		record, err := logs.Next()
		if errors.Is(err, io.EOF) {
			return records, nil
		}
		if err != nil {
			return nil, err
		}
		records = append(records, record)
	}
}

// logSource is a container whose log is read.
type logSource struct {
	name string
	// record is nil for a sandbox that something else has made.
	record *record
	goesOn bool
}

func (b *Backend) logSource(ctx context.Context, tried, id string) (logSource, error) {
	rec, err := b.records.find(id)
	if err == nil {
		return logSource{name: rec.Name, record: rec, goesOn: rec.alive()}, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return logSource{}, b.absent(tried, id, err)
	}
	c, err := b.Inspect(ctx, id)
	return logSource{name: c.Name, goesOn: c.State == backend.StateRunning}, err
}

// logged returns what the workload has written until now, and how many records
// of commands that took. The system's are not counted: msb merges them from
// files of their own, and not in the same way when it follows.
func (b *Backend) logged(ctx context.Context, source logSource, opts backend.LogOptions) (text []byte, count int, err error) {
	client, err := b.msb(ctx)
	if err != nil {
		return nil, 0, err
	}
	stream, err := client.Logs(ctx, source.name, msb.LogOptions{Source: msb.WholeLog})
	if err != nil {
		return nil, 0, err
	}
	defer stream.Close()
	sieve := newSieve(source, opts.Since)
	excess := maxBacklog
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
		if opts.Tail > 0 && len(text) > excess {
			text = bytes.Clone(lastLines(text, opts.Tail))
			excess = len(text) + maxBacklog
		}
	}
}

// maxBacklog is how much more than its last lines is kept of a log.
const maxBacklog = 1 << 20

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

// sieve lets through what the workload wrote. At any time there is at most one
// session of msb's that runs it: each run has a boot of its own, and msb counts
// the sessions anew at every boot.
type sieve struct {
	since   time.Time
	foreign bool
	// running says that session is the workload's, since begun.
	running bool
	session int
	begun   time.Time
}

func newSieve(source logSource, since time.Time) *sieve {
	return &sieve{since: since, foreign: source.record == nil}
}

// vmStarted is the system's line at every boot.
const vmStarted = "--- sandbox started ---"

// foreignSession is the session of msb's own startup command.
const foreignSession = 1

// pass returns what of a record is the workload's.
func (s *sieve) pass(record msb.LogRecord) string {
	if !record.HasSession {
		// By its time: one who follows may get it late.
		if strings.HasPrefix(record.Text, vmStarted) && s.begun.Before(record.Time) {
			s.running = false
		}
		return ""
	}
	text := record.Text
	if s.foreign {
		s.running, s.session = true, foreignSession
	} else if before, after, begins := cutMarker(text); begins {
		s.running, s.session, s.begun = true, record.Session, record.Time
		text = before + after
	}
	if !s.running || record.Session != s.session || record.Time.Before(s.since) {
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
	b      *Backend
	source logSource
	opts   backend.LogOptions
	stream *msb.LogStream
	pipe   *io.PipeReader
	caller context.Context
	cancel context.CancelFunc

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
	_, err := f.b.Wait(ctx, f.source.name)
	if ctx.Err() != nil {
		f.stop()
		return
	}
	if err == nil {
		var count int
		if _, count, err = f.b.logged(ctx, f.source, f.opts); err == nil {
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
	sieve := newSieve(f.source, f.opts.Since)
	for {
		record, err := f.stream.Next()
		if err != nil {
			w.CloseWithError(f.ending(err))
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

// ending tells the end of the log, which is nil, from a stream that broke off:
// a reader must not take that for the end of the process.
func (f *follower) ending(err error) error {
	switch {
	case f.caller.Err() != nil:
		return f.b.fail("follow the log of container "+f.source.name, f.caller.Err())
	case errors.Is(err, fs.ErrClosed), errors.Is(err, io.EOF):
		return nil
	case f.source.record != nil && !f.source.record.alive():
		return nil
	default:
		return f.b.fail("follow the log of container "+f.source.name, err)
	}
}
