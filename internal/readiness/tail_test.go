package readiness_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/readiness"
)

func TestErrorsCarryTheEndOfTheLog(t *testing.T) {
	t.Parallel()

	numbered := func(from, to int) []string {
		var lines []string
		for i := from; i <= to; i++ {
			lines = append(lines, fmt.Sprintf("line %d", i))
		}
		return lines
	}
	kilo := strings.Repeat("k", 1000)
	tests := map[string]struct {
		logs func(context.Context, int) (io.ReadCloser, error)
		want []string
	}{
		"empty":               {logs: tail("")},
		"lines":               {logs: tail("one\r\n\n \ntwo"), want: []string{"one", "two"}},
		"more than asked for": {logs: tail(strings.Join(numbered(1, 80), "\n")), want: numbered(31, 80)},
		"too much":            {logs: tail(strings.Repeat(kilo+"\n", 50)), want: []string{kilo, kilo, kilo, kilo, kilo, kilo, kilo, kilo}},
		"long line":           {logs: tail(strings.Repeat("é", 10<<20) + "\nend\n"), want: []string{strings.Repeat("é", 512) + "…", "end"}},
		"split character":     {logs: tail("x" + strings.Repeat("é", 1000) + "\n"), want: []string{"x" + strings.Repeat("é", 511) + "…"}},
		"colours":             {logs: tail("\x1b[1;31merror\x1b[0m\x1b(B: \x1b]0;title\x07no\ttable\n"), want: []string{"error: no\ttable"}},
		"control characters":  {logs: tail("a\x00b\x07c\u202ed\x1b\x9be\n"), want: []string{"abcd\uFFFDe"}},
		"invalid UTF-8":       {logs: tail("caf\xe9\n"), want: []string{"caf\uFFFD"}},
		"not readable": {
			logs: func(context.Context, int) (io.ReadCloser, error) { return nil, errEngine },
			want: []string{"(the log could not be read: engine went away)"},
		},
		"never ends": {
			logs: func(ctx context.Context, _ int) (io.ReadCloser, error) { return writes("one\ntwo\nthr")(ctx) },
			want: []string{"one", "two", "thr"},
		},
		"breaks off": {
			logs: func(context.Context, int) (io.ReadCloser, error) {
				return io.NopCloser(io.MultiReader(strings.NewReader("one\n"), failing{errEngine})), nil
			},
			want: []string{"one"},
		},
	}

	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				target := &fakeTarget{exec: exits("", 1), logs: test.logs}
				err := readiness.Plan{Strategies: []readiness.Strategy{check}, Timeout: time.Minute}.Wait(t.Context(), target)
				got := timedOut(t, err).Log
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("unexpected log (-want +got):\n%s", diff)
				}
				for _, line := range got {
					if !utf8.ValidString(line) {
						t.Errorf("line %q is not valid UTF-8", line)
					}
				}
			})
		})
	}
}
