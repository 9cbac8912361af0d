package fake

import (
	"bytes"
	"context"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// journal is what the processes of one container wrote, over all its starts.
type journal struct {
	mu    sync.Mutex
	lines []line
	// live says that a process runs, so that a follower waits for more.
	live bool
	// changed is closed, and replaced, at every change.
	changed chan struct{}
}

type line struct {
	at   time.Time
	text []byte
}

func newJournal() *journal { return &journal{changed: make(chan struct{})} }

func (j *journal) append(text []byte) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines = append(j.lines, line{at: time.Now(), text: text})
	j.announce()
}

func (j *journal) setLive(live bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.live = live
	j.announce()
}

// announce wakes the followers. The caller holds j.mu.
func (j *journal) announce() {
	close(j.changed)
	j.changed = make(chan struct{})
}

// open starts a reader at the line that opts select.
func (j *journal) open(ctx context.Context, opts backend.LogOptions) io.ReadCloser {
	j.mu.Lock()
	defer j.mu.Unlock()
	first := slices.IndexFunc(j.lines, func(l line) bool { return !l.at.Before(opts.Since) })
	if first < 0 {
		first = len(j.lines)
	}
	if opts.Tail > 0 {
		first = max(first, len(j.lines)-opts.Tail)
	}
	reader := &journalReader{ctx: ctx, journal: j, next: first, closed: make(chan struct{})}
	if !opts.Follow {
		reader.rest = slices.Concat(texts(j.lines[first:])...)
		reader.next = -1
	}
	return reader
}

func texts(lines []line) [][]byte {
	all := make([][]byte, len(lines))
	for i, line := range lines {
		all[i] = line.text
	}
	return all
}

// journalReader reads a journal from one line on.
type journalReader struct {
	ctx     context.Context
	journal *journal
	// next is the line to read after rest, or -1 if there is none.
	next int
	rest []byte

	closing sync.Once
	closed  chan struct{}
}

func (r *journalReader) Read(p []byte) (int, error) {
	for {
		select {
		case <-r.closed:
			return 0, io.ErrClosedPipe
		default:
		}
		if err := r.ctx.Err(); err != nil {
			return 0, err
		}
		if len(r.rest) > 0 {
			n := copy(p, r.rest)
			r.rest = r.rest[n:]
			return n, nil
		}
		if r.next < 0 {
			return 0, io.EOF
		}
		changed, live := r.advance()
		if len(r.rest) > 0 {
			continue
		}
		if !live {
			return 0, io.EOF
		}
		select {
		case <-changed:
		case <-r.closed:
		case <-r.ctx.Done():
		}
	}
}

func (r *journalReader) advance() (changed <-chan struct{}, live bool) {
	r.journal.mu.Lock()
	defer r.journal.mu.Unlock()
	if r.next < len(r.journal.lines) {
		r.rest = r.journal.lines[r.next].text
		r.next++
	}
	return r.journal.changed, r.journal.live
}

func (r *journalReader) Close() error {
	r.closing.Do(func() { close(r.closed) })
	return nil
}

// lineWriter appends whole lines to a journal.
type lineWriter struct {
	journal *journal

	mu      sync.Mutex
	partial []byte
}

func (w *lineWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.partial = append(w.partial, p...)
	for {
		end := bytes.IndexByte(w.partial, '\n')
		if end < 0 {
			return len(p), nil
		}
		w.journal.append(bytes.Clone(w.partial[:end+1]))
		w.partial = w.partial[end+1:]
	}
}

// flush appends what has no line end, when the process has ended.
func (w *lineWriter) flush() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.partial) > 0 {
		w.journal.append(w.partial)
		w.partial = nil
	}
}
