package readiness_test

import (
	"context"
	"errors"
	"io"
	"regexp"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/readiness"
)

var (
	errEngine = errors.New("engine went away")
	ready     = readiness.Log{Pattern: regexp.MustCompile("ready")}
	check     = readiness.Command{Command: []string{"check", "--password", "hunter2"}}
)

func TestPlanWait(t *testing.T) {
	t.Parallel()

	// A target is made inside the bubble, whose clock it uses.
	tests := map[string]struct {
		target     func() *fakeTarget
		strategies []readiness.Strategy
		want       error
	}{
		"nothing to wait for": {
			target: func() *fakeTarget { return &fakeTarget{} },
		},
		"every strategy is met": {
			target: func() *fakeTarget {
				return &fakeTarget{
					follow:  writes("ready\n"),
					exec:    exits("", 1, 1, 0),
					healthy: func(context.Context) error { return nil },
				}
			},
			strategies: []readiness.Strategy{ready, check, readiness.Health{}},
		},
		"process fails": {
			target: func() *fakeTarget {
				return &fakeTarget{
					wait:   exitsAfter(time.Second, readiness.Exit{Code: 3}),
					follow: writes("starting\n"),
					exec:   exits("no such table\n", 2),
					logs:   tail("starting\nfatal: no disk\n"),
				}
			},
			strategies: []readiness.Strategy{ready, check},
			want: &readiness.ExitedError{
				Exit: readiness.Exit{Code: 3},
				Pending: []string{
					`log line matching "ready": pattern seen 0 of 1 times`,
					`command "check": command exited with 2: no such table`,
				},
				Log: []string{"starting", "fatal: no disk"},
			},
		},
		"process ends well but was to go on": {
			target: func() *fakeTarget {
				return &fakeTarget{
					wait:   exitsAfter(time.Second, readiness.Exit{}),
					follow: writes(""),
				}
			},
			strategies: []readiness.Strategy{ready},
			want: &readiness.ExitedError{
				Pending: []string{`log line matching "ready": pattern seen 0 of 1 times`},
			},
		},
		"process runs out of memory": {
			target: func() *fakeTarget {
				return &fakeTarget{
					wait:    exitsAfter(time.Second, readiness.Exit{Code: 137, OOMKilled: true}),
					healthy: func(ctx context.Context) error { <-ctx.Done(); return errors.New("request canceled") },
				}
			},
			strategies: []readiness.Strategy{readiness.Health{}},
			want: &readiness.ExitedError{
				Exit:    readiness.Exit{Code: 137, OOMKilled: true},
				Pending: []string{"health check: not healthy yet"},
			},
		},
		"process dies after one of two strategies is met": {
			target: func() *fakeTarget {
				return &fakeTarget{
					wait:   exitsAfter(time.Second, readiness.Exit{Code: 1}),
					follow: writes("ready\n"),
					exec:   exits("", 1),
				}
			},
			strategies: []readiness.Strategy{ready, check},
			want: &readiness.ExitedError{
				Exit:    readiness.Exit{Code: 1},
				Pending: []string{`command "check": command exited with 1`},
			},
		},
		"exec fails because the process has died": {
			target: func() *fakeTarget {
				return &fakeTarget{
					wait: exitsAfter(200*time.Millisecond, readiness.Exit{Code: 1}),
					exec: func(context.Context, []string) (int, []byte, error) {
						return 0, nil, errors.New("container is not running")
					},
				}
			},
			strategies: []readiness.Strategy{check},
			want: &readiness.ExitedError{
				Exit:    readiness.Exit{Code: 1},
				Pending: []string{`command "check": run command "check" in the container: container is not running`},
			},
		},
		"job completes": {
			target: func() *fakeTarget {
				return &fakeTarget{wait: exitsAfter(time.Minute, readiness.Exit{})}
			},
			strategies: []readiness.Strategy{readiness.Completed{}},
		},
		"job fails": {
			target: func() *fakeTarget {
				return &fakeTarget{
					wait: exitsAfter(time.Second, readiness.Exit{Code: 4}),
					logs: tail("bad input\n"),
				}
			},
			strategies: []readiness.Strategy{readiness.Completed{}},
			want:       &readiness.ExitedError{Exit: readiness.Exit{Code: 4}, Log: []string{"bad input"}},
		},
		"job completes and its last line counts": {
			target: func() *fakeTarget {
				return &fakeTarget{
					wait:   exitsAfter(time.Second, readiness.Exit{}),
					follow: wrote("starting\nready"),
				}
			},
			strategies: []readiness.Strategy{readiness.Completed{}, ready},
		},
		"job completes without the expected line": {
			target: func() *fakeTarget {
				return &fakeTarget{
					wait:   exitsAfter(time.Second, readiness.Exit{}),
					follow: wrote("starting\n"),
				}
			},
			strategies: []readiness.Strategy{readiness.Completed{}, ready},
			want: &readiness.ExitedError{
				Pending: []string{`log line matching "ready": pattern seen 0 of 1 times`},
			},
		},
		"job completes before a command succeeds": {
			target: func() *fakeTarget {
				return &fakeTarget{
					wait:   exitsAfter(time.Second, readiness.Exit{}),
					exec:   exits("", 1),
					follow: wrote("ready\n"),
				}
			},
			strategies: []readiness.Strategy{check, readiness.Completed{}, ready},
			want: &readiness.ExitedError{
				Pending: []string{`command "check": command exited with 1`},
			},
		},
	}

	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// The bubble fails the test if a goroutine outlives it.
			synctest.Test(t, func(t *testing.T) {
				plan := readiness.Plan{Strategies: test.strategies}
				got := plan.Wait(t.Context(), test.target())
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("unexpected error (-want +got):\n%s", diff)
				}
			})
		})
	}
}

func TestPlanWaitEndsWithTheCause(t *testing.T) {
	t.Parallel()

	tests := map[string]struct {
		target   *fakeTarget
		strategy readiness.Strategy
		want     error
		text     string
	}{
		"engine cannot tell whether the process runs": {
			target: &fakeTarget{
				wait:   func(context.Context) (readiness.Exit, error) { return readiness.Exit{}, errEngine },
				follow: writes(""),
			},
			strategy: ready,
			want:     errEngine,
			text:     "watch the container's process: engine went away",
		},
		"engine cannot tell whether the job runs": {
			target: &fakeTarget{
				wait: func(context.Context) (readiness.Exit, error) { return readiness.Exit{}, errEngine },
			},
			strategy: readiness.Completed{},
			want:     errEngine,
			text:     "watch the container's process: engine went away",
		},
		"exec fails while the process runs": {
			target: &fakeTarget{
				exec: func(context.Context, []string) (int, []byte, error) { return 0, nil, errEngine },
			},
			strategy: check,
			want:     errEngine,
			text:     `run command "check" in the container: engine went away`,
		},
		"log cannot be followed": {
			target: &fakeTarget{
				follow: func(context.Context) (io.ReadCloser, error) { return nil, errEngine },
			},
			strategy: ready,
			want:     errEngine,
			text:     "follow the container's log: engine went away",
		},
		"there is no health check": {
			target: &fakeTarget{
				healthy: func(context.Context) error { return errors.ErrUnsupported },
			},
			strategy: readiness.Health{},
			want:     errors.ErrUnsupported,
			text:     "wait for the container's health check: unsupported operation",
		},
	}

	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				// The second strategy never ends by itself.
				endless := *test.target
				endless.exec = orElse(endless.exec, exits("", 1))
				plan := readiness.Plan{Strategies: []readiness.Strategy{test.strategy, check}, Timeout: time.Hour}
				err := plan.Wait(t.Context(), &endless)
				if !errors.Is(err, test.want) {
					t.Fatalf("got error %v, want one that wraps %v", err, test.want)
				}
				if diff := cmp.Diff(test.text, err.Error()); diff != "" {
					t.Errorf("unexpected text (-want +got):\n%s", diff)
				}
			})
		})
	}
}

type execFunc = func(context.Context, []string) (int, []byte, error)

func orElse(f, other execFunc) execFunc {
	if f != nil {
		return f
	}
	return other
}

func TestPlanWaitCancelled(t *testing.T) {
	t.Parallel()

	tests := map[string]time.Duration{"before": 0, "meanwhile": time.Second}

	for name, after := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				if after == 0 {
					cancel()
				} else {
					time.AfterFunc(after, cancel)
				}
				target := &fakeTarget{
					follow: writes(""),
					logs: func(context.Context, int) (io.ReadCloser, error) {
						t.Error("the log was fetched for somebody who no longer waits")
						return nil, errUnexpected
					},
				}
				start := time.Now()
				err := readiness.Plan{Strategies: []readiness.Strategy{ready}}.Wait(ctx, target)
				if err != context.Canceled { // It is to be this very value.
					t.Errorf("got error %v, want context.Canceled itself", err)
				}
				if took := time.Since(start); took != after {
					t.Errorf("went on for %s, want %s", took, after)
				}
			})
		})
	}
}
