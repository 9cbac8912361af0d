package readiness_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/readiness"
)

func TestPlanWaitTimeout(t *testing.T) {
	t.Parallel()

	tests := map[string]struct {
		timeout  time.Duration
		deadline time.Duration // of the caller; zero is none
		want     time.Duration
	}{
		"default":                  {want: 120 * time.Second},
		"as given":                 {timeout: 90 * time.Second, want: 90 * time.Second},
		"never less than a second": {timeout: time.Nanosecond, want: time.Second},
		"negative":                 {timeout: -time.Hour, want: time.Second},
		"the caller's is earlier":  {timeout: time.Hour, deadline: time.Minute, want: time.Minute},
		"the caller's is later":    {timeout: time.Minute, deadline: time.Hour, want: time.Minute},
	}

	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx := t.Context()
				if test.deadline > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, test.deadline)
					defer cancel()
				}
				target := &fakeTarget{
					follow: writes("ready\nwaiting\n"),
					exec:   func(ctx context.Context, _ []string) (int, []byte, error) { <-ctx.Done(); return 0, nil, ctx.Err() },
					logs: func(ctx context.Context, n int) (io.ReadCloser, error) {
						// By now the wait's own context has ended.
						if ctx.Err() != nil || n != 50 {
							t.Errorf("log fetched with context error %v and %d lines, want a live context and 50", ctx.Err(), n)
						}
						return io.NopCloser(strings.NewReader("waiting\n")), nil
					},
				}
				twice := readiness.Log{Pattern: ready.Pattern, Times: 2}
				plan := readiness.Plan{Strategies: []readiness.Strategy{twice, check, readiness.Completed{}}, Timeout: test.timeout}
				start := time.Now()
				err := plan.Wait(ctx, target)

				want := &readiness.TimeoutError{
					Timeout: test.want,
					Pending: []string{
						`log line matching "ready": pattern seen 1 of 2 times`,
						`command "check": no answer yet`,
						"completion: process still running",
					},
					Log: []string{"waiting"},
				}
				if diff := cmp.Diff(error(want), err); diff != "" {
					t.Errorf("unexpected error (-want +got):\n%s", diff)
				}
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("%v does not match context.DeadlineExceeded", err)
				}
				if took := time.Since(start); took != test.want {
					t.Errorf("waited %s, want %s", took, test.want)
				}
			})
		})
	}
}

func TestPlanWaitDoesNotBlameTheEngineForTheDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		// Like net.Dialer, this engine's client minds the clock by itself and
		// gives up before the context has ended.
		target := &fakeTarget{exec: func(ctx context.Context, _ []string) (int, []byte, error) {
			if deadline, ok := ctx.Deadline(); ok {
				time.Sleep(time.Until(deadline) - time.Nanosecond)
				return 0, nil, errors.New("i/o timeout")
			}
			<-ctx.Done()
			return 0, nil, ctx.Err()
		}}
		err := readiness.Plan{Strategies: []readiness.Strategy{check}}.Wait(ctx, target)
		want := []string{`command "check": no answer yet`}
		if diff := cmp.Diff(want, timedOut(t, err).Pending); diff != "" {
			t.Errorf("unexpected pending strategies (-want +got):\n%s", diff)
		}
	})
}

func TestPlanWaitProbesOnceHoweverShortTheTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		target := &fakeTarget{
			follow: writes("ready\n"),
			exec: func(ctx context.Context, _ []string) (int, []byte, error) {
				select {
				case <-time.After(300 * time.Millisecond):
					return 0, nil, nil
				case <-ctx.Done():
					return 0, nil, ctx.Err()
				}
			},
		}
		plan := readiness.Plan{Strategies: []readiness.Strategy{ready, check}, Timeout: time.Nanosecond}
		if err := plan.Wait(t.Context(), target); err != nil {
			t.Errorf("a container that is ready was reported as %v", err)
		}
	})
}
