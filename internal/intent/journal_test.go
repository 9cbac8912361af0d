package intent_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/filelock"
	"github.com/rightsize/terraform-provider-rightsize/internal/intent"
)

var record = intent.Record{Backend: "docker", Engine: "one", Container: "web"}

var errBoom = errors.New("boom")

// sweep returns what a journal hands to undo.
func sweep(t *testing.T, journal *intent.Journal, answer error) map[string]intent.Record {
	t.Helper()
	swept := make(map[string]intent.Record)
	err := journal.Sweep(t.Context(), func(token string, record intent.Record) error {
		swept[token] = record
		return answer
	})
	wantErr := answer
	if errors.Is(answer, intent.ErrElsewhere) || len(swept) == 0 {
		wantErr = nil
	}
	if !errors.Is(err, wantErr) {
		t.Errorf("sweep: %v, want %v", err, wantErr)
	}
	return swept
}

func begin(t *testing.T, journal *intent.Journal) *intent.Intent {
	t.Helper()
	i, err := journal.Begin(t.Context(), record)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func requireFiles(t *testing.T, dir string, want int) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != want {
		t.Errorf("the journal has the files %v, want %d", files, want)
	}
}

// Other journals stand for other processes: a lock keeps them apart as well.
func TestSweep(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		end    func(t *testing.T, i *intent.Intent)
		answer error
		swept  bool
		files  int
	}{
		"under way": {end: func(*testing.T, *intent.Intent) {}, files: 2},
		"ended": {end: func(t *testing.T, i *intent.Intent) {
			if err := i.End(); err != nil {
				t.Error(err)
			}
		}},
		"abandoned":                    {end: func(_ *testing.T, i *intent.Intent) { i.Abandon() }, swept: true},
		"abandoned, on another engine": {end: func(_ *testing.T, i *intent.Intent) { i.Abandon() }, answer: intent.ErrElsewhere, swept: true, files: 1},
		"abandoned, and stuck":         {end: func(_ *testing.T, i *intent.Intent) { i.Abandon() }, answer: errBoom, swept: true, files: 1},
		"kept": {end: func(t *testing.T, i *intent.Intent) {
			if err := i.Keep(); err != nil {
				t.Error(err)
			}
		}, files: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "locks")
			i := begin(t, intent.Open(dir))
			test.end(t, i)
			want := make(map[string]intent.Record)
			if test.swept {
				want[i.Token] = record
			}
			if diff := cmp.Diff(want, sweep(t, intent.Open(dir), test.answer)); diff != "" {
				t.Errorf("swept (-want +got):\n%s", diff)
			}
			requireFiles(t, dir, test.files)
		})
	}
}

// A process that is killed leaves lock files, and files that are half written.
func TestSweepRemovesStaleFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for file, content := range map[string]string{
		"commit-1": "", "sweep": "", "intent-a.lock": "", "intent-b.tmp": "{", "intent-c.json": "{",
	} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	unlock, err := filelock.Lock(t.Context(), filepath.Join(dir, "commit-2"))
	if err != nil {
		t.Fatal(err)
	}
	if swept := sweep(t, intent.Open(dir), nil); len(swept) > 0 {
		t.Errorf("swept %v, of which nothing is recorded", swept)
	}
	requireFiles(t, dir, 1) // the lock that is held
	unlock()
	requireFiles(t, dir, 0)
}

// Where there is nothing, nothing is made.
func TestSweepOfNothing(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "locks")
	sweep(t, intent.Open(dir), nil)
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the directory: %v", err)
	}
}

// Who sweeps at the same time waits: the container that goes may have the name
// that is needed next.
func TestSweepWaitsForAnother(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	begin(t, intent.Open(dir)).Abandon()
	undoing, proceed := make(chan struct{}), make(chan struct{})
	var first sync.WaitGroup
	first.Go(func() {
		err := intent.Open(dir).Sweep(t.Context(), func(string, intent.Record) error {
			close(undoing)
			<-proceed
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
	<-undoing
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	err := intent.Open(dir).Sweep(ctx, func(string, intent.Record) error { return nil })
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the second sweep did not wait: %v", err)
	}
	close(proceed)
	first.Wait()
	requireFiles(t, dir, 0)
}

func TestKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	i := begin(t, intent.Open(dir))
	if err := i.Keep(); err != nil {
		t.Fatal(err)
	}
	begin(t, intent.Open(dir)).Abandon()
	journal := intent.Open(dir)
	other := record
	other.Container = "another"
	for _, test := range []struct {
		record intent.Record
		want   []string
	}{{record, []string{i.Token}}, {other, nil}} {
		got, err := journal.Kept(test.record)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("kept as %s (-want +got):\n%s", test.record.Container, diff)
		}
	}
	if err := journal.Forget(i.Token); err != nil {
		t.Fatal(err)
	}
	if got, err := journal.Kept(record); err != nil || got != nil {
		t.Errorf("kept after it was forgotten: %v, %v", got, err)
	}
}

// An operation that makes something anew leaves what is there to itself until
// its record is written, and has the token of the first one.
func TestBeginAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := begin(t, intent.Open(dir))
	if err := first.End(); err != nil {
		t.Fatal(err)
	}
	again, err := intent.Open(dir).BeginAgain(t.Context(), first.Token, record)
	if err != nil || again.Token != first.Token {
		t.Fatalf("got %v, %v", again, err)
	}
	again.Abandon() // as if its process were killed
	if swept := sweep(t, intent.Open(dir), nil); len(swept) > 0 {
		t.Errorf("swept is %v, which is still to stay", swept)
	}
	requireFiles(t, dir, 0)

	again, err = intent.Open(dir).BeginAgain(t.Context(), first.Token, record)
	if err == nil {
		err = again.Write()
	}
	if err != nil {
		t.Fatal(err)
	}
	again.Abandon()
	want := map[string]intent.Record{first.Token: record}
	if diff := cmp.Diff(want, sweep(t, intent.Open(dir), nil)); diff != "" {
		t.Errorf("swept (-want +got):\n%s", diff)
	}
}

// A token comes from a label, which anybody may have written, and names files.
func TestBeginAgainRefusesTokens(t *testing.T) {
	t.Parallel()
	for _, token := range []string{"", "a", "../../etc/passwd", "aaaaaaaaaaaaaaaaaaaaaaaaa/", "AAAAAAAAAAAAAAAAAAAAAAAAAA"} {
		if _, err := intent.Open(t.TempDir()).BeginAgain(t.Context(), token, record); err == nil {
			t.Errorf("%q is taken", token)
		}
	}
}
