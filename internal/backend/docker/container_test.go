package docker

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/pkg/stdcopy"
	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

func TestFailedExec(t *testing.T) {
	t.Parallel()
	const never, once = "0001-01-01T00:00:00Z", "2026-01-02T03:04:05.678Z"
	tests := map[string]struct {
		startedAt     string
		before, after int
		want          int
	}{
		"first start":                         {never, 0, exitNotFound, exitNotFound},
		"first start again":                   {never, exitNotFound, exitNotFound, exitNotFound},
		"later start":                         {once, 0, exitNotExecutable, exitNotExecutable},
		"code of an earlier run":              {once, exitNotFound, exitNotFound, 0},
		"something else after an earlier run": {once, 1, 128, 128},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := &container.State{StartedAt: tt.startedAt, ExitCode: tt.before}
			after := &container.State{StartedAt: tt.startedAt, ExitCode: tt.after}
			if got := failedExec(before, after); got != tt.want {
				t.Errorf("the code is %d, want %d", got, tt.want)
			}
		})
	}
}

func TestSaysPortTaken(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"driver failed programming external connectivity on endpoint web (bec67d5d): Bind for 127.0.0.1:18998 failed: port is already allocated":                                       true,
		"driver failed programming external connectivity on endpoint web (7f3305e9): Error starting userland proxy: listen tcp4 127.0.0.1:18999: bind: address already in use":         true,
		"failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: exec: \"/bin/nope\": stat /bin/nope: no such file or directory": false,
	} {
		if got := saysPortTaken(errors.New(text)); got != want {
			t.Errorf("%q: %t, want %t", text, got, want)
		}
	}
	if saysPortTaken(nil) {
		t.Error("no error is a taken port")
	}
}

func TestGraceSeconds(t *testing.T) {
	t.Parallel()
	for grace, want := range map[time.Duration]int{
		0: 0, -time.Second: 0, time.Millisecond: 1, time.Second: 1, 1500 * time.Millisecond: 2, 30 * time.Second: 30,
	} {
		if got := graceSeconds(grace); got != want {
			t.Errorf("%s is %d s, want %d", grace, got, want)
		}
	}
}

func TestUpdatedResources(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		current container.Resources
		limits  backend.Limits
		want    container.Resources
	}{
		"none":  {},
		"set":   {limits: backend.Limits{MemoryMB: 64, CPUs: 0.29}, want: container.Resources{Memory: 64 << 20, MemorySwap: 128 << 20, NanoCPUs: 290_000_000}},
		"lower": {current: container.Resources{Memory: 128 << 20}, limits: backend.Limits{MemoryMB: 64}, want: container.Resources{Memory: 64 << 20, MemorySwap: 128 << 20}},
		"lift": {
			current: container.Resources{Memory: 64 << 20, NanoCPUs: 5e8},
			want:    container.Resources{Memory: unboundedMemory, MemorySwap: 2 * unboundedMemory, NanoCPUs: 8e9 - unboundedCPUs},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := updatedResources(tt.current, tt.limits, 8)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("resources (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.limits, limitsOf(got)); diff != "" {
				t.Errorf("limits read back (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseTime(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Time{
		"0001-01-01T00:00:00Z":           {},
		"":                               {},
		"2026-01-02T03:04:05.123456789Z": time.Date(2026, 1, 2, 3, 4, 5, 123456789, time.UTC),
	} {
		if got := parseTime(text); !got.Equal(want) {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}

func TestLogParameters(t *testing.T) {
	t.Parallel()
	if got := tailParameter(0); got != "all" {
		t.Errorf("no limit is %q", got)
	}
	if got := tailParameter(50); got != "50" {
		t.Errorf("50 lines are %q", got)
	}
	if got := sinceParameter(time.Time{}); got != "" {
		t.Errorf("no time is %q", got)
	}
	if got := sinceParameter(time.Unix(1700000000, 5)); got != "1700000000.000000005" {
		t.Errorf("the time is %q", got)
	}
}

func TestDemultiplex(t *testing.T) {
	t.Parallel()
	var frames bytes.Buffer
	out, diagnostics := stdcopy.NewStdWriter(&frames, stdcopy.Stdout), stdcopy.NewStdWriter(&frames, stdcopy.Stderr)
	for _, w := range []io.Writer{out, diagnostics, out} {
		if _, err := io.WriteString(w, "line\n"); err != nil {
			t.Fatal(err)
		}
	}
	logs := demultiplex(io.NopCloser(&frames))
	text, err := io.ReadAll(logs)
	if err != nil || string(text) != "line\nline\nline\n" {
		t.Errorf("%q, %v", text, err)
	}
	if err := logs.Close(); err != nil {
		t.Error(err)
	}
}

// TestDemultiplexClose would hang if Close waited for the log to end.
func TestDemultiplexClose(t *testing.T) {
	t.Parallel()
	source, engine := io.Pipe()
	logs := demultiplex(source)
	go func() { _, _ = stdcopy.NewStdWriter(engine, stdcopy.Stdout).Write([]byte("unread")) }()
	if err := logs.Close(); err != nil {
		t.Error(err)
	}
	if _, err := engine.Write(nil); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("the engine's stream is still open: %v", err)
	}
	if _, err := logs.Read(make([]byte, 1)); err == nil {
		t.Error("a closed log can be read")
	}
}

// Labels are shown by "docker ps" and baked into what is captured.
func TestLabelsHoldNoValues(t *testing.T) {
	t.Parallel()
	const secret = "planted-secret"
	config, err := containerConfig(backend.Spec{
		Name: "web", Image: "app",
		Env:     map[string]string{"PASSWORD": secret},
		Command: []string{"serve", secret},
		Files:   []backend.File{{Path: "/f", Content: []byte(secret)}},
	}, "sha256:1", "sha256:2")
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range config.Labels {
		if strings.Contains(name+value, secret) {
			t.Errorf("label %s holds %q", name, value)
		}
	}
	if len(config.Labels) == 0 {
		t.Error("there are no labels")
	}
}
