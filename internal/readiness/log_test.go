package readiness_test

import (
	"context"
	"errors"
	"io"
	"regexp"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/readiness"
)

func TestLog(t *testing.T) {
	t.Parallel()

	long := strings.Repeat("x", 64<<10)
	tests := map[string]struct {
		log     string
		pattern string
		times   int
		seen    string // what a deadline reports; "" is met
	}{
		"first line":                     {log: "ready\n", pattern: "^ready$"},
		"carriage return":                {log: "ready\r\n", pattern: "^ready$"},
		"no such line":                   {log: "starting\n", pattern: "ready", seen: "pattern seen 0 of 1 times"},
		"often enough":                   {log: "ready\nready\n", pattern: "ready", times: 2},
		"not often enough":               {log: "ready\nready\n", pattern: "ready", times: 3, seen: "pattern seen 2 of 3 times"},
		"a line counts once":             {log: "ready ready\n", pattern: "ready", times: 2, seen: "pattern seen 1 of 2 times"},
		"two lines are not one":          {log: "is\nready\n", pattern: `(?s)is.ready`, seen: "pattern seen 0 of 1 times"},
		"unfinished line":                {log: "ready", pattern: "^ready$", seen: "pattern seen 0 of 1 times"},
		"invalid UTF-8":                  {log: "\xff\xfe ready\n", pattern: "ready"},
		"behind a long line":             {log: long + long + "\nready\n", pattern: "^ready$"},
		"at the end of a long line":      {log: long + long + "ready\n", pattern: "ready$"},
		"across a seam":                  {log: long[:len(long)-2] + "ready" + long + "\n", pattern: "ready"},
		"in two pieces of one long line": {log: "ready" + long + "ready" + long + "\n", pattern: "ready", times: 2, seen: "pattern seen 1 of 2 times"},
		"two long lines":                 {log: long + "ready" + long + "\n" + "ready" + long + "\n", pattern: "ready", times: 2},
	}

	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				strategy := readiness.Log{Pattern: regexp.MustCompile(test.pattern), Times: test.times}
				plan := readiness.Plan{Strategies: []readiness.Strategy{strategy}}
				err := plan.Wait(t.Context(), &fakeTarget{follow: writes(test.log)})
				if test.seen == "" {
					if err != nil {
						t.Errorf("got error %v, want the pattern to be found", err)
					}
					return
				}
				want := []string{strategy.String() + ": " + test.seen}
				if diff := cmp.Diff(want, timedOut(t, err).Pending); diff != "" {
					t.Errorf("unexpected pending strategies (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// It runs alone, because it measures what the whole process allocates.
func TestLogDoesNotHoldALongLine(t *testing.T) {
	const size = 10 << 20
	log := io.MultiReader(
		io.LimitReader(endless('x'), size),
		strings.NewReader("\nready\n"),
	)
	target := &fakeTarget{
		follow: func(context.Context) (io.ReadCloser, error) { return io.NopCloser(log), nil },
	}
	strategy := readiness.Log{Pattern: regexp.MustCompile("^ready$")}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := strategy.Wait(t.Context(), target)
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatalf("the line behind the long one was not found: %v", err)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > size/10 {
		t.Errorf("allocated %d bytes to read a line of %d", used, size)
	}
}

type endless byte

func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(e)
	}
	return len(p), nil
}

func TestLogReopensAStreamThatEnds(t *testing.T) {
	t.Parallel()

	tests := map[string]struct {
		broken func() io.Reader
		seen   string // what a deadline reports if it never gets better
	}{
		"ended": {
			broken: func() io.Reader { return strings.NewReader("ready\nready") },
			seen:   "pattern seen 1 of 2 times",
		},
		"broke off": {
			broken: func() io.Reader {
				return io.MultiReader(strings.NewReader("ready\n"), failing{errors.New("unexpected \x1b[31mend")})
			},
			seen: "pattern seen 1 of 2 times, then the log broke off (unexpected end)",
		},
	}

	twice := readiness.Log{Pattern: regexp.MustCompile("^ready"), Times: 2}
	for name, test := range tests {
		t.Run(name+" and comes back", func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var opened, closed atomic.Int64
				target := &fakeTarget{follow: func(ctx context.Context) (io.ReadCloser, error) {
					if opened.Add(1) <= 3 {
						return counting{test.broken(), &closed}, nil
					}
					stream, err := writes("ready\nready\n")(ctx)
					return counting{stream, &closed}, err
				}}
				if err := (readiness.Plan{Strategies: []readiness.Strategy{twice}}).Wait(t.Context(), target); err != nil {
					t.Fatalf("got error %v, want the pattern to be found", err)
				}
				// Lines that are replayed do not count twice, or the second
				// stream would have been the last.
				if diff := cmp.Diff([]int64{4, 4}, []int64{opened.Load(), closed.Load()}); diff != "" {
					t.Errorf("unexpected count of streams opened and closed (-want +got):\n%s", diff)
				}
			})
		})
		t.Run(name+" for good", func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var opened, closed atomic.Int64
				target := &fakeTarget{follow: func(context.Context) (io.ReadCloser, error) {
					opened.Add(1)
					return counting{test.broken(), &closed}, nil
				}}
				err := readiness.Plan{Strategies: []readiness.Strategy{twice}, Timeout: time.Minute}.Wait(t.Context(), target)
				want := []string{twice.String() + ": " + test.seen}
				if diff := cmp.Diff(want, timedOut(t, err).Pending); diff != "" {
					t.Errorf("unexpected pending strategies (-want +got):\n%s", diff)
				}
				// With a pause of two seconds in the end, a minute has room for
				// some thirty streams; a hot loop opens millions.
				if n := opened.Load(); n < 2 || n > 60 {
					t.Errorf("opened %d streams in a minute", n)
				}
				if opened.Load() != closed.Load() {
					t.Errorf("opened %d streams and closed %d", opened.Load(), closed.Load())
				}
			})
		})
	}
}

func TestLogReadsToTheEndOfAProcessThatHasEnded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		// The stream breaks off early, then the process writes its last line
		// and ends.
		var opened atomic.Int64
		target := &fakeTarget{
			wait: exitsAfter(10*time.Millisecond, readiness.Exit{}),
			follow: func(ctx context.Context) (io.ReadCloser, error) {
				if opened.Add(1) == 1 {
					return wrote("starting\n")(ctx)
				}
				return wrote("starting\nready")(ctx)
			},
		}
		plan := readiness.Plan{Strategies: []readiness.Strategy{ready, readiness.Completed{}}}
		if err := plan.Wait(t.Context(), target); err != nil {
			t.Errorf("got error %v, want the last line to count", err)
		}
	})
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// counting counts how many streams were closed, once each or not.
type counting struct {
	io.Reader
	closed *atomic.Int64
}

func (c counting) Close() error {
	c.closed.Add(1)
	if closer, ok := c.Reader.(io.Closer); ok {
		return closer.Close()
	}
	return nil
}
