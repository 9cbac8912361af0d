package readiness_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/readiness"
)

func TestCommandIsRetriedWithAGrowingPause(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var at []time.Duration
		target := &fakeTarget{exec: func(_ context.Context, command []string) (int, []byte, error) {
			if diff := cmp.Diff(check.Command, command); diff != "" {
				t.Errorf("unexpected command (-want +got):\n%s", diff)
			}
			at = append(at, time.Since(start))
			if len(at) == 8 {
				return 0, nil, nil
			}
			return 1, nil, nil
		}}
		if err := (readiness.Plan{Strategies: []readiness.Strategy{check}}).Wait(t.Context(), target); err != nil {
			t.Fatal(err)
		}
		ms := time.Millisecond
		want := []time.Duration{0, 50 * ms, 150 * ms, 350 * ms, 750 * ms, 1550 * ms, 2550 * ms, 3550 * ms}
		if diff := cmp.Diff(want, at); diff != "" {
			t.Errorf("unexpected times of the attempts (-want +got):\n%s", diff)
		}
	})
}

func TestCommandReportsTheEndOfItsOutput(t *testing.T) {
	t.Parallel()

	tests := map[string]struct {
		output string
		want   string
	}{
		"silent":     {want: `command "check": command exited with 2`},
		"one line":   {output: "no route\n", want: `command "check": command exited with 2: no route`},
		"many lines": {output: "a\nb\n\nc\x1b[0m\nd\n", want: `command "check": command exited with 2: b / c / d`},
		"long line":  {output: strings.Repeat("x", 9000), want: `command "check": command exited with 2: ` + strings.Repeat("x", 1024) + "…"},
	}

	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				target := &fakeTarget{exec: exits(test.output, 2)}
				err := readiness.Plan{Strategies: []readiness.Strategy{check}}.Wait(t.Context(), target)
				if diff := cmp.Diff([]string{test.want}, timedOut(t, err).Pending); diff != "" {
					t.Errorf("unexpected pending strategies (-want +got):\n%s", diff)
				}
			})
		})
	}
}
