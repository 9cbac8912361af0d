package msb_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/msb"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/msbtest"
)

// readLog returns all rows of a log.
func readLog(t *testing.T, fake *msbtest.Fake) ([]msb.LogRecord, error) {
	t.Helper()
	client := msb.New(msb.Config{Path: fake.Path(), Home: fake.Home()})
	stream, err := client.Logs(t.Context(), "web", msb.LogOptions{})
	if err != nil {
		return nil, err
	}
	defer stream.Close()
	var records []msb.LogRecord
	for {
		record, err := stream.Next()
		if errors.Is(err, io.EOF) {
			return records, nil
		}
		if err != nil {
			return records, err
		}
		records = append(records, record)
	}
}

func TestLogs(t *testing.T) {
	t.Parallel()
	at := func(sec, milli int) time.Time {
		return time.Date(2026, 11, 30, 13, 33, sec, milli*int(time.Millisecond), time.UTC)
	}
	tests := map[string]struct {
		sample, stdout string
		want           []msb.LogRecord
	}{
		"nothing": {},
		"of a command": {sample: "logs/json", want: []msb.LogRecord{
			{Time: at(12, 136), Session: 1, HasSession: true, Source: "stdout", Text: "cmd-out FOO= FROM_IMAGE=yes pwd=/work\n"},
			{Time: at(12, 137), Session: 1, HasSession: true, Source: "stderr", Text: "cmd-err\n"},
		}},
		"of a boot that failed": {sample: "logs/json-boot-error", want: []msb.LogRecord{{
			Time: time.Date(2026, 11, 30, 13, 12, 43, 105*int(time.Millisecond), time.UTC), Source: "boot-error",
			Text: `build_vm: VM enter: build error: start: build_microvm: GuestMemoryMmapFromRanges(MmapRegion(Mmap(Os { code: 12, kind: OutOfMemory, message: "Cannot allocate memory" })))`,
		}}},
		"rows that are none, members of other versions, no end": {
			stdout: "\n{\"d\":\"cut\n{\"d\":\"a\",\"s\":\"stdout\",\"id\":0,\"t\":17,\"new\":{}}\nnull\n[]\n{\"d\":\"boot\",\"s\":\"boot-error\"}\n{\"d\":\"last\",\"s\":\"system\",\"id\":null}",
			want: []msb.LogRecord{
				{HasSession: true, Source: "stdout", Text: "a"},
				{Source: "boot-error", Text: "boot"},
				{Source: "system", Text: "last"},
			},
		},
		"a row longer than the buffer": {
			stdout: `{"d":"` + strings.Repeat("x", 100_000) + `","s":"stdout"}` + "\n",
			want:   []msb.LogRecord{{Source: "stdout", Text: strings.Repeat("x", 100_000)}},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := msbtest.New(t)
			reply := fake.Handle("logs").Stdout(test.stdout)
			if test.sample != "" {
				reply.Sample(test.sample)
			}
			got, err := readLog(t, fake)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
		})
	}
}

// TestLogsCount is about logs of which every row is one that is understood.
func TestLogsCount(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]int{
		"logs/json-source-all": 17, "logs/one-shot-exit3": 8, "logs/bad-command": 6, "logs/max-duration": 4,
		"logs/idle-too-late": 12, "sandbox/logs-system-port-taken": 16,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := msbtest.New(t)
			fake.Handle("logs").Sample(name)
			records, err := readLog(t, fake)
			if err != nil || len(records) != want {
				t.Errorf("there are %d rows (%v), want %d", len(records), err, want)
			}
			for _, r := range records {
				if r.Time.IsZero() || r.Source == "" || r.Text == "" || r.HasSession != (r.Source != "system") {
					t.Errorf("a row lacks something: %+v", r)
				}
			}
		})
	}
}

func TestLogsFail(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		sample string
		want   error
	}{
		"missing sandbox":   {"logs/missing", msb.ErrNotFound},
		"bad expression":    {"logs/bad-grep", msb.ErrInvalid},
		"newer state":       {"misc/schema-newer-than-binary", msb.ErrSchemaNewer},
		"unknown flag":      {"misc/usage-error-unknown-flag", msb.ErrUsage},
		"aborted by itself": {"misc/no-ca-bundle-panic", msb.ErrNoCertificates},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := msbtest.New(t)
			fake.Handle("logs").Sample(test.sample)
			if _, err := readLog(t, fake); !errors.Is(err, test.want) {
				t.Errorf("the error is %v, want %v", err, test.want)
			}
		})
	}
}

func TestLogsRowTooLong(t *testing.T) {
	t.Parallel()
	fake := msbtest.New(t)
	fake.Handle("logs").Stdout(strings.Repeat("x", msb.MaxLogRow+1))
	if _, err := readLog(t, fake); err == nil || !strings.Contains(err.Error(), "longer than") {
		t.Errorf("the error is %v, want one about the length", err)
	}
}

const oneRow = `{"d":"ready\n","s":"stdout","id":1}` + "\n"

// TestFollowEndsWithClose is about a stream that never ends by itself: msb goes
// on after the sandbox has stopped.
func TestFollowEndsWithClose(t *testing.T) {
	t.Parallel()
	client, fake := newClient(t)
	fake.Expect("logs", "--json", "--follow", "web").Stdout(oneRow).Hang()
	stream, err := client.Logs(t.Context(), "web", msb.LogOptions{Follow: true})
	if err != nil {
		t.Fatal(err)
	}
	if record, err := stream.Next(); err != nil || record.Text != "ready\n" {
		t.Fatalf("Next() = %+v, %v", record, err)
	}
	waiting := make(chan error)
	go func() {
		_, err := stream.Next()
		waiting <- err
	}()
	if err := stream.Close(); err != nil {
		t.Error(err)
	}
	if err := <-waiting; !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Next() of a closed stream = %v, want fs.ErrClosed", err)
	}
	if err := stream.Close(); err != nil {
		t.Errorf("Close() again = %v", err)
	}
}

func TestFollowEndsWithContext(t *testing.T) {
	t.Parallel()
	client, fake := newClient(t)
	fake.Handle("logs").Stdout(oneRow).Hang()
	ctx, cancel := context.WithCancel(t.Context())
	stream, err := client.Logs(ctx, "web", msb.LogOptions{Follow: true})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	if _, err := stream.Next(); err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := stream.Next(); !errors.Is(err, context.Canceled) {
		t.Errorf("Next() = %v, want context.Canceled", err)
	}
}

func TestPortFailures(t *testing.T) {
	t.Parallel()
	fake := msbtest.New(t)
	fake.Expect("logs", "--json", "web").Sample("sandbox/logs-system-port-taken")
	records, err := readLog(t, fake)
	if err != nil {
		t.Fatal(err)
	}
	records = append(records, msb.LogRecord{
		Source: "system",
		Text:   "WARN microsandbox_network::ports::publisher: skipping published port listeners: guest has no IPv4 or IPv6 address\n",
	})
	want := []string{
		"published TCP port listener failed bind=127.0.0.1:18080 error=Address already in use (os error 98)",
		"skipping published port listeners: guest has no IPv4 or IPv6 address",
	}
	if diff := cmp.Diff(want, msb.PortFailures(records)); diff != "" {
		t.Errorf("failures (-want +got):\n%s", diff)
	}
	fake.Expect("logs", "--json", "web").Sample("logs/json-source-all")
	if records, err = readLog(t, fake); err != nil {
		t.Fatal(err)
	}
	if got := msb.PortFailures(records); got != nil {
		t.Errorf("failures of a log without any: %q", got)
	}
}
