//go:build unix

package microsandbox_test

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

func (m *machine) capture(t *testing.T, id, name string) backend.Artifact {
	t.Helper()
	artifact, err := m.Capture(t.Context(), id, backend.CaptureOptions{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	return artifact
}

func TestCaptureOfWhatRuns(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	c := m.run(t, shell(forever))
	var steps []string
	since := m.mark()
	artifact, err := m.Capture(t.Context(), c.ID, backend.CaptureOptions{
		Name: "db", Progress: func(step string) { steps = append(steps, step) },
	})
	if err != nil {
		t.Fatal(err)
	}
	wantCommands(t, since(), "inspect", "exec kill TERM", "stop", "snapshot create", "start", "exec workload")
	m.wantState(t, backend.StateRunning, backend.Exit{})
	if len(steps) != 3 {
		t.Errorf("the steps are %q, want stop, snapshot, start", steps)
	}
	if artifact.Ref != "" || !strings.HasPrefix(artifact.ID, "sha256:") || artifact.SizeBytes <= 0 || artifact.CreatedAt.IsZero() {
		t.Errorf("the artifact is %+v", artifact)
	}
}

func TestCaptureLeavesWhatDidNotRun(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		prepare func(*testing.T, *machine)
		discard bool
		want    []string
		state   backend.State
	}{
		"created": {func(t *testing.T, m *machine) { m.create(t, shell(forever)) }, false, []string{"inspect", "stop", "snapshot create"}, backend.StateCreated},
		"ended": {func(t *testing.T, m *machine) {
			m.run(t, shell("exit 7"))
			_, _ = m.Wait(t.Context(), "web")
		}, false, []string{"inspect", "stop", "snapshot create"}, backend.StateExited},
		"stopped": {func(t *testing.T, m *machine) {
			m.run(t, shell(forever))
			if err := m.Stop(t.Context(), "web", patient); err != nil {
				t.Fatal(err)
			}
		}, false, []string{"inspect", "snapshot create"}, backend.StateExited},
		"a seed": {
			func(t *testing.T, m *machine) { m.run(t, shell(forever)) },
			true, []string{"inspect", "exec kill TERM", "stop", "snapshot create"}, backend.StateExited,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			test.prepare(t, m)
			since := m.mark()
			if _, err := m.Capture(t.Context(), "web", backend.CaptureOptions{Name: "db", Discard: test.discard}); err != nil {
				t.Fatal(err)
			}
			wantCommands(t, since(), test.want...)
			if c, err := m.Inspect(t.Context(), "web"); err != nil || c.State != test.state {
				t.Errorf("the container is %s (%v), want %s", c.State, err, test.state)
			}
		})
	}
}

func TestCaptureFails(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.run(t, shell(forever))
	m.set(t, "fail-snapshot", "error: io error: No space left on device (os error 28)\n")
	_, err := m.Capture(t.Context(), "web", backend.CaptureOptions{Name: "db"})
	wantError(t, err, nil, "", "take a snapshot of container web", "No space left")
	m.wantState(t, backend.StateRunning, backend.Exit{})
	if left := m.checkpoints(t); len(left) > 0 {
		t.Errorf("it left %q", left)
	}
}

// TestCaptureStopsNothingInVain is about what is known before the container is
// stopped: it runs on, without having noticed anything.
func TestCaptureStopsNothingInVain(t *testing.T) {
	t.Parallel()
	const own = `{"type":"Bind","guest":"/.rightsize","host":"@SHARE@"}`
	const oci = `"image":{"Oci":{"reference":"app:1","root_disk":{"kind":"managed"}}}`
	tests := map[string]struct {
		checkpoint string
		config     string
		prepare    func(*testing.T, *machine)
		kind       error
		say        string
	}{
		"a root in memory":      {"db", `{"mounts":[` + own + `],"image":{"Oci":{"reference":"app:1","root_disk":{"kind":"tmpfs"}}}}`, nil, backend.ErrUncapturable, "tmpfs"},
		"a root that is a file": {"db", `{"mounts":[` + own + `]}`, nil, backend.ErrUncapturable, "disk"},
		"a mount":               {"db", `{` + oci + `,"mounts":[` + own + `,{"type":"Bind","guest":"/data"}]}`, nil, backend.ErrUncapturable, "/data"},
		"a mount on /tmp":       {"db", `{` + oci + `,"mounts":[` + own + `,{"type":"Bind","guest":"/tmp"}]}`, nil, backend.ErrUncapturable, "/tmp"},
		"somebody else's mount": {"db", `{` + oci + `,"mounts":[{"type":"Bind","guest":"/.rightsize"}]}`, nil, backend.ErrUncapturable, "/.rightsize"},
		"a name that is a path": {"../../db", "", nil, nil, "../../db"},
		"no place for an artifact": {"db", "", func(t *testing.T, m *machine) {
			if err := os.WriteFile(filepath.Join(m.cache, "checkpoints"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}, nil, "checkpoints"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			m.run(t, shell(forever))
			if test.config != "" {
				m.set(t, "answer-inspect", `{"name":"web","status":"Running","config":`+strings.ReplaceAll(test.config, "@SHARE@", filepath.Join(m.recordDir(t), "share"))+`}`)
			}
			if test.prepare != nil {
				test.prepare(t, m)
			}
			since := m.mark()
			_, err := m.Capture(t.Context(), "web", backend.CaptureOptions{Name: test.checkpoint})
			wantError(t, err, test.kind, "", test.say)
			wantCommands(t, since(), "inspect")
		})
	}
}

// TestCaptureWhoseRestartFails returns the artifact beside the error: it holds
// the data.
func TestCaptureWhoseRestartFails(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	// The port is taken while the container is stopped for its capture: the
	// machine publishes nothing, so that it is free before, too.
	port := freePort(t)
	spec := shell(forever)
	spec.Ports = []backend.PortBinding{{Port: backend.Port{Number: 80, Protocol: backend.TCP}, Host: port, Fixed: true}}
	m.run(t, spec)
	listener := listen(t, port)
	defer listener.Close()
	artifact, err := m.Capture(t.Context(), "web", backend.CaptureOptions{Name: "db"})
	wantError(t, err, backend.ErrPortTaken, "", "again after its capture")
	if failure, _ := errors.AsType[*backend.Error](err); !strings.Contains(failure.Remedy, artifact.ID) || artifact.ID == "" {
		t.Errorf("the error says %q, want that it names artifact %q", failure.Remedy, artifact.ID)
	}
	if _, err := m.Publish(t.Context(), "db", artifact); err != nil {
		t.Errorf("the artifact is not good: %v", err)
	}
}

// TestCaptureGivenUp is about an interrupt in the middle: of the stop, when the
// process was asked to end already, and of the snapshot.
func TestCaptureGivenUp(t *testing.T) {
	t.Parallel()
	tests := map[string][]string{
		"while it is being stopped": {"exec", "--stream", "--user=root", "web", "--", "/bin/sh", "-c", `kill -s "$0" "$1"`, "TERM"},
		"before the snapshot":       {"stop"},
	}
	for name, at := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			before := m.run(t, shell(`trap 'sleep 0.3; exit 7' TERM; while :; do sleep 0.05; done`))
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				m.fake.WaitForCall(at...)
				cancel()
			}()
			if _, err := m.Capture(ctx, "web", backend.CaptureOptions{Name: "db"}); !errors.Is(err, context.Canceled) {
				t.Errorf("Capture() = %v, want that it was given up", err)
			}
			after := m.wantState(t, backend.StateRunning, backend.Exit{})
			if !after.StartedAt.After(before.StartedAt) {
				t.Error("it is the process that was asked to end which still runs")
			}
			if left := m.checkpoints(t); len(left) > 0 {
				t.Errorf("it left %q", left)
			}
		})
	}
}

// TestUpdate stops the VM, since msb changes none that runs, and starts it again
// whatever comes of that.
func TestUpdate(t *testing.T) {
	t.Parallel()
	limits := backend.Limits{MemoryMB: 256, CPUs: 1.5}
	t.Run("of what runs", func(t *testing.T) {
		t.Parallel()
		m := newMachine(t)
		c := m.run(t, shell(forever))
		since := m.mark()
		if err := m.Update(t.Context(), c.ID, limits); err != nil {
			t.Fatal(err)
		}
		wantCommands(t, since(), "inspect", "exec kill TERM", "stop", "modify", "start", "exec workload")
		if got := m.wantState(t, backend.StateRunning, backend.Exit{}).Given.Limits; got != limits {
			t.Errorf("the limits are %+v", got)
		}
		modify := m.fake.WaitForCall("modify").Args
		if want := []string{"modify", "--memory=256M", "--max-memory=256M", "--cpus=2", "--max-cpus=2", "--format=json", "web"}; cmp.Diff(want, modify) != "" {
			t.Errorf("msb was told %q", modify)
		}
	})
	t.Run("of what does not", func(t *testing.T) {
		t.Parallel()
		m := newMachine(t)
		c := m.create(t, shell(forever))
		since := m.mark()
		if err := m.Update(t.Context(), c.ID, limits); err != nil {
			t.Fatal(err)
		}
		wantCommands(t, since(), "inspect", "stop", "modify")
		m.wantState(t, backend.StateCreated, backend.Exit{})
	})
	t.Run("that fails", func(t *testing.T) {
		t.Parallel()
		m := newMachine(t)
		c := m.run(t, shell(forever))
		m.set(t, "fail-modify", "error: out of processors\n")
		err := m.Update(t.Context(), c.ID, limits)
		wantError(t, err, nil, "", "change the limits", "out of processors")
		if got := m.wantState(t, backend.StateRunning, backend.Exit{}).Given.Limits; got != (backend.Limits{}) {
			t.Errorf("the limits are %+v, and were not changed", got)
		}
	})
	t.Run("that no VM boots with", func(t *testing.T) {
		t.Parallel()
		m := newMachine(t)
		c := m.run(t, shell(forever))
		since := m.mark()
		wantError(t, m.Update(t.Context(), c.ID, backend.Limits{MemoryMB: 32}), backend.ErrUnsupported, backend.FieldLimits, "change the limits")
		wantCommands(t, since())
	})
}

func freePort(t *testing.T) uint16 {
	t.Helper()
	listener := listen(t, 0)
	defer listener.Close()
	return portOf(listener)
}

func portOf(listener net.Listener) uint16 { return uint16(listener.Addr().(*net.TCPAddr).Port) }

func listen(t *testing.T, port uint16) net.Listener {
	t.Helper()
	listener, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: int(port)})
	if err != nil {
		t.Fatal(err)
	}
	return listener
}
