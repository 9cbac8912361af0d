package backendtest

import (
	"bufio"
	"context"
	"io"
	"testing"
	"time"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

var logCases = []testCase{
	{"logs return every line, or the last ones", logsTail},
	{"logs of all runs are kept, and since leaves the earlier ones out", logsSince},
	{"logs follow until the process ends", logsFollow},
	{"logs that follow begin at the last lines", logsFollowTail},
	{"logs of a process that does not run do not wait", logsFollowEnded},
	{"logs that follow end when their context does", logsCancelled},
	{"logs that follow end when they are closed", logsClosed},
}

// talker makes a container whose log holds "ready" and these lines.
func (s *suite) talker(t *testing.T, lines ...string) backend.Container {
	t.Helper()
	c := s.relay(t, s.spec(s.Relay()))
	for _, line := range lines {
		s.exec(t, c.ID, s.Say(line))
		s.awaitLine(t, c.ID, line, 1)
	}
	return c
}

func logsTail(t *testing.T, s *suite) {
	c := s.talker(t, "one", "two", "three")
	for tail, want := range map[int]string{0: "ready\none\ntwo\nthree\n", 1: "three\n", 2: "two\nthree\n", 9: "ready\none\ntwo\nthree\n"} {
		if got := s.logs(t, c.ID, backend.LogOptions{Tail: tail}); got != want {
			t.Errorf("the last %d lines are %q, want %q", tail, got, want)
		}
	}
}

func logsSince(t *testing.T, s *suite) {
	if !s.engine.Local {
		t.Skip("the clock of the engine's host is another one")
	}
	c := s.talker(t, "one")
	s.stop(t, c.ID)
	since := time.Now()
	if err := s.Start(s.context(t), c.ID, s.spec(s.Relay())); err != nil {
		t.Fatal(err)
	}
	s.awaitLine(t, c.ID, "ready", 2)
	if got, want := s.logs(t, c.ID, backend.LogOptions{}), "ready\none\nready\n"; got != want {
		t.Errorf("the log is %q, want %q", got, want)
	}
	if got, want := s.logs(t, c.ID, backend.LogOptions{Since: since}), "ready\n"; got != want {
		t.Errorf("the log since the second start is %q, want %q", got, want)
	}
	if got := s.logs(t, c.ID, backend.LogOptions{Since: time.Now().Add(time.Hour)}); got != "" {
		t.Errorf("the log of the next hour is %q", got)
	}
}

func logsFollow(t *testing.T, s *suite) {
	c := s.talker(t, "before")
	lines := s.follow(s.context(t), t, c.ID, backend.LogOptions{Follow: true})
	wantLines(t, lines, "ready", "before")
	s.exec(t, c.ID, s.Say("after"))
	wantLines(t, lines, "after")
	s.quit(t, c.ID, 0)
	wantEnd(t, lines)
}

func logsFollowTail(t *testing.T, s *suite) {
	c := s.talker(t, "one", "two")
	lines := s.follow(s.context(t), t, c.ID, backend.LogOptions{Follow: true, Tail: 1})
	wantLines(t, lines, "two")
	s.exec(t, c.ID, s.Say("three"))
	wantLines(t, lines, "three")
}

func logsFollowEnded(t *testing.T, s *suite) {
	c := s.talker(t, "one")
	s.quit(t, c.ID, 0)
	s.wait(t, c.ID)
	if got, want := s.logs(t, c.ID, backend.LogOptions{Follow: true}), "ready\none\n"; got != want {
		t.Errorf("the log of the exited container is %q, want %q", got, want)
	}
	created := s.create(t, s.spec(s.Relay()))
	if got := s.logs(t, created.ID, backend.LogOptions{Follow: true}); got != "" {
		t.Errorf("the log of a container that was never started is %q", got)
	}
}

func logsCancelled(t *testing.T, s *suite) {
	c := s.resident(t)
	ctx, cancel := context.WithCancel(s.context(t))
	defer cancel()
	lines := s.follow(ctx, t, c.ID, backend.LogOptions{Follow: true})
	wantLines(t, lines, "ready")
	cancel()
	wantEnd(t, lines)
}

func logsClosed(t *testing.T, s *suite) {
	c := s.resident(t)
	stream, err := s.Logs(s.context(t), c.ID, backend.LogOptions{Follow: true})
	if err != nil {
		t.Fatal(err)
	}
	lines := scan(stream)
	wantLines(t, lines, "ready")
	if err := stream.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	wantEnd(t, lines)
}

// follow returns the lines of a log as they come.
func (s *suite) follow(ctx context.Context, t *testing.T, id string, opts backend.LogOptions) <-chan string {
	t.Helper()
	stream, err := s.Logs(ctx, id, opts)
	if err != nil {
		t.Fatalf("logs: %v", err)
	}
	t.Cleanup(func() { stream.Close() })
	return scan(stream)
}

func scan(stream io.Reader) <-chan string {
	// Room for all that a case reads, so that a case that fails leaves no
	// goroutine behind.
	lines := make(chan string, 100)
	go func() {
		defer close(lines)
		for scanner := bufio.NewScanner(stream); scanner.Scan(); {
			lines <- scanner.Text()
		}
	}()
	return lines
}

func wantLines(t *testing.T, lines <-chan string, want ...string) {
	t.Helper()
	for _, line := range want {
		select {
		case got, ok := <-lines:
			if !ok || got != line {
				t.Fatalf("the next line is %q (%t), want %q", got, ok, line)
			}
		case <-time.After(defaultDeadline):
			t.Fatalf("line %q does not come", line)
		}
	}
}

func wantEnd(t *testing.T, lines <-chan string) {
	t.Helper()
	select {
	case line, ok := <-lines:
		if ok {
			t.Fatalf("the log goes on with %q", line)
		}
	case <-time.After(defaultDeadline):
		t.Fatal("the log does not end")
	}
}
