//go:build unix

package microsandbox_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// row is a row of a log, written at a second.
func row(second int, session any, text string) string {
	line, _ := json.Marshal(map[string]any{
		"d": text, "e": nil, "id": session, "s": "stdout", "t": at(second).Format(time.RFC3339Nano),
	})
	return string(line) + "\n"
}

func at(second int) time.Time { return time.Date(2026, 11, 30, 12, 0, second, 0, time.UTC) }

// boot is the row of msb's own at every boot.
func boot(second int) string {
	return strings.Replace(row(second, nil, "--- sandbox started --- pid=1\n"), `"stdout"`, `"system"`, 1)
}

func TestLogs(t *testing.T) {
	t.Parallel()
	twoRuns := []string{
		boot(1),
		row(2, 1, "mkdir: exists\n"), row(3, 2, "rightsize: run aaaaaaaaaaaa\n"), row(4, 2, "one\n"), row(5, 3, "of an exec\n"), row(6, 2, "two\n"),
		boot(10),
		row(11, 1, "rightsize: run bbbbbbbbbbbb\n"), row(12, 1, "three\n"), row(13, 2, "of an exec\n"), row(14, 1, "four\n"),
	}
	tests := map[string]struct {
		rows []string
		opts backend.LogOptions
		want string
	}{
		"all runs, and nothing else":     {twoRuns, backend.LogOptions{}, "one\ntwo\nthree\nfour\n"},
		"the last lines":                 {twoRuns, backend.LogOptions{Tail: 2}, "three\nfour\n"},
		"more lines than there are":      {twoRuns, backend.LogOptions{Tail: 9}, "one\ntwo\nthree\nfour\n"},
		"since a time in the second run": {twoRuns, backend.LogOptions{Since: at(13)}, "four\n"},
		"since a time in the first":      {twoRuns, backend.LogOptions{Since: at(5)}, "two\nthree\nfour\n"},
		"nothing before the first run":   {twoRuns[:2], backend.LogOptions{}, ""},
		"a marker in one row with text": {
			[]string{boot(1), row(2, 4, "rightsize: run aaaaaaaaaaaa\nfirst\nsecond"), row(3, 4, " ends\n")}, backend.LogOptions{}, "first\nsecond ends\n",
		},
		"text before a marker": {[]string{row(2, 4, "sh: warning\nrightsize: run aaaaaaaaaaaa\nfirst\n")}, backend.LogOptions{}, "sh: warning\nfirst\n"},
		"no marker in the middle of a line": {
			[]string{row(1, 3, "see rightsize: run aaaaaaaaaaaa\n"), row(2, 3, "more\n")}, backend.LogOptions{}, "",
		},
		"commands by hand between two runs": {
			[]string{boot(1), row(2, 1, "rightsize: run aaaaaaaaaaaa\n"), row(3, 1, "one\n"), boot(4), row(5, 1, "by hand\n"), boot(6), row(7, 2, "rightsize: run bbbbbbbbbbbb\n"), row(8, 2, "two\n"), row(9, 1, "by hand\n")},
			backend.LogOptions{}, "one\ntwo\n",
		},
		"a boot that is told late": {
			[]string{row(2, 1, "rightsize: run aaaaaaaaaaaa\n"), boot(1), row(3, 1, "one\n")}, backend.LogOptions{}, "one\n",
		},
		"a last line without an end": {[]string{row(1, 1, "rightsize: run aaaaaaaaaaaa\n"), row(2, 1, "a\nb")}, backend.LogOptions{Tail: 1}, "b"},
		"rows that were cut off":     {[]string{row(1, 1, "rightsize: run aaaaaaaaaaaa\n"), `{"d":"x`, "\n", row(2, 1, "a\n")}, backend.LogOptions{}, "a\n"},
	}
	m := newMachine(t)
	c := m.create(t, shell(forever))
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			m.set(t, "all.log", strings.Join(test.rows, ""))
			since := m.mark()
			stream, err := m.Logs(t.Context(), c.ID, test.opts)
			if diff := cmp.Diff(test.want, read(t, stream, err)); diff != "" {
				t.Errorf("the log is (-want +got):\n%s", diff)
			}
			// What it is, the record says.
			wantCommands(t, since(), "logs")
			test.opts.Follow = true
			stream, err = m.Logs(t.Context(), c.ID, test.opts)
			if diff := cmp.Diff(test.want, read(t, stream, err)); diff != "" {
				t.Errorf("followed although nothing runs, the log is (-want +got):\n%s", diff)
			}
		})
	}
}

// TestLogsOfAnEndlessLog keeps no more of it than is asked for, and gives the
// same lines.
func TestLogsOfAnEndlessLog(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.create(t, shell(forever))
	var log strings.Builder
	log.WriteString(row(1, 1, "rightsize: run aaaaaaaaaaaa\n"))
	long := strings.Repeat(strings.Repeat("x", 1<<10)+"\n", 600)
	for range 6 {
		log.WriteString(row(2, 1, long))
	}
	log.WriteString(row(3, 1, "last\n"))
	m.set(t, "all.log", log.String())
	stream, err := m.Logs(t.Context(), "web", backend.LogOptions{Tail: 2})
	if diff := cmp.Diff(strings.Repeat("x", 1<<10)+"\nlast\n", read(t, stream, err)); diff != "" {
		t.Errorf("the last lines are (-want +got):\n%s", diff)
	}
}

// append adds to the log that is being followed.
func (m *machine) append(t *testing.T, rows ...string) {
	t.Helper()
	file, err := os.OpenFile(filepath.Join(m.dir, "all.log"), os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = file.WriteString(strings.Join(rows, ""))
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestLogsFollow(t *testing.T) {
	t.Parallel()
	past := []string{boot(1), row(2, 1, "rightsize: run aaaaaaaaaaaa\n"), row(3, 1, "one\n"), row(4, 1, "two\n")}
	tests := map[string]struct {
		opts  backend.LogOptions
		first string
		calls []string
	}{
		"from the beginning": {backend.LogOptions{Follow: true}, "one\ntwo\n", []string{"logs"}},
		"from a line":        {backend.LogOptions{Follow: true, Tail: 1}, "two\n", []string{"logs", "logs"}},
		"from a time":        {backend.LogOptions{Follow: true, Since: at(4)}, "two\n", []string{"logs"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			c := m.run(t, shell(forever))
			m.set(t, "all.log", strings.Join(past, ""))
			since := m.mark()
			stream, err := m.Logs(t.Context(), c.ID, test.opts)
			if err != nil {
				t.Fatal(err)
			}
			defer stream.Close()
			lines := bufio.NewReader(stream)
			for line := range strings.Lines(test.first + "three\n") {
				if line == "three\n" {
					m.append(t, row(5, 2, "of an exec\n"), row(6, 1, "three\n"))
				}
				if got, err := lines.ReadString('\n'); got != line || err != nil {
					t.Fatalf("read %q, %v, want %q", got, err, line)
				}
			}
			wantCommands(t, since(), test.calls...)
			// The end of the process is the end of the log, and what was written
			// by then is in it.
			m.append(t, row(7, 1, "four"))
			if err := m.Stop(t.Context(), c.ID, patient); err != nil {
				t.Fatal(err)
			}
			if rest, err := io.ReadAll(lines); string(rest) != "four" || err != nil {
				t.Errorf("the rest is %q, %v", rest, err)
			}
		})
	}
}

// TestLogsFollowBreaksOff tells a reader that there is more than it got.
func TestLogsFollowBreaksOff(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.run(t, shell(forever))
	t.Run("it was cancelled", func(t *testing.T) {
		m.set(t, "all.log", "")
		ctx, cancel := context.WithCancel(t.Context())
		stream, err := m.Logs(ctx, "web", backend.LogOptions{Follow: true})
		if err != nil {
			t.Fatal(err)
		}
		defer stream.Close()
		cancel()
		if _, err := io.ReadAll(stream); !errors.Is(err, context.Canceled) {
			t.Errorf("the end is %v, want that it was cancelled", err)
		}
	})
	t.Run("msb fails", func(t *testing.T) {
		m.set(t, "fail-logs", "error: io error: Input/output error\n")
		stream, err := m.Logs(t.Context(), "web", backend.LogOptions{Follow: true})
		if err == nil {
			defer stream.Close()
			_, err = io.ReadAll(stream)
		}
		wantError(t, err, nil, "", "Input/output error")
	})
}

// TestLogsFollowClosed ends the reader, and msb.
func TestLogsFollowClosed(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.run(t, shell(forever))
	m.set(t, "all.log", "")
	stream, err := m.Logs(t.Context(), "web", backend.LogOptions{Follow: true})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := io.ReadAll(stream)
		ended <- err
	}()
	if err := stream.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil && !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("the reader got %v", err)
	}
}
