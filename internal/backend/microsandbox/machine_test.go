//go:build unix

package microsandbox_test

import (
	"context"
	_ "embed"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/msbtest"
)

//go:embed testdata/machine.sh
var machineScript string

// machine is a backend on an msb that runs what it is told to on this host: its
// guests are processes in sessions of their own.
type machine struct {
	*microsandbox.Backend
	fake       *msbtest.Fake
	cache, dir string
}

// newMachine returns a machine without sandboxes.
func newMachine(t *testing.T) *machine {
	t.Helper()
	m := &machine{fake: msbtest.New(t), cache: t.TempDir(), dir: t.TempDir()}
	m.set(t, "version", msbtest.Load("misc/version").Stdout)
	m.fake.Handle("image", "inspect", "--format=json", "app:1").Sample("image/inspect")
	m.fake.Handle("image", "inspect").Sample("image/inspect-missing")
	m.fake.Handle().Shell(strings.ReplaceAll(machineScript, "@DIR@", m.dir))
	m.Backend = m.open(t)
	t.Cleanup(func() { m.kill(t) })
	return m
}

// open returns what another process sees of the machine.
func (m *machine) open(t *testing.T) *microsandbox.Backend {
	t.Helper()
	return microsandbox.New(microsandbox.Config{
		Locate:   func(context.Context) (string, error) { return m.fake.Path(), nil },
		Home:     m.fake.Home(),
		CacheDir: m.cache,
		LockDir:  filepath.Join(m.cache, "locks"),
	})
}

// kill ends the guest like a power cut.
func (m *machine) kill(t *testing.T) {
	t.Helper()
	const script = `[ -f "$0/session" ] && kill -s KILL -- "-$(cat "$0/session")"; rm -f "$0/session" "$0"/answer-*; [ ! -f "$0/status" ] || echo Stopped >"$0/status"`
	if output, err := exec.CommandContext(context.Background(), "/bin/sh", "-c", script, m.dir).CombinedOutput(); err != nil {
		t.Logf("end the guest: %v\n%s", err, output)
	}
	// What holds it is gone a moment after it was killed.
	held, err := filepath.Glob(filepath.Join(m.cache, "microsandbox", "*", "*", "alive"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range held {
		file, err := os.Open(path)
		if err != nil {
			continue
		}
		if err := syscall.Flock(int(file.Fd()), syscall.LOCK_SH); err != nil {
			t.Errorf("wait for the end of the guest: %v", err)
		}
		_ = file.Close()
	}
}

// crash is a kill that msb has noticed.
func (m *machine) crash(t *testing.T) {
	t.Helper()
	m.kill(t)
	m.set(t, "status", "Crashed")
}

// set writes a part of the state of the machine: status, system.log, all.log, or
// fail-COMMAND, with what that command then says before it fails.
func (m *machine) set(t *testing.T, name, value string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(m.dir, name), []byte(value), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (m *machine) unset(t *testing.T, name string) {
	t.Helper()
	if err := os.Remove(filepath.Join(m.dir, name)); err != nil {
		t.Fatal(err)
	}
}

// recordDir is where the record of the container web is.
func (m *machine) recordDir(t *testing.T) string {
	t.Helper()
	dirs, err := filepath.Glob(filepath.Join(m.cache, "microsandbox", "*"))
	if err != nil || len(dirs) != 1 {
		t.Fatalf("there are %d directories of records, want 1 (%v)", len(dirs), err)
	}
	return filepath.Join(dirs[0], "web")
}

// checkpoints returns the names of the files in the directory of artifacts.
func (m *machine) checkpoints(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(m.cache, "checkpoints"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

// mark forgets the calls until now.
func (m *machine) mark() (since func() []string) {
	before := len(m.fake.Calls())
	return func() []string {
		var commands []string
		for _, call := range m.fake.Calls()[before:] {
			commands = append(commands, command(call.Args))
		}
		return commands
	}
}

// command names what a call does, without what differs between runs.
func command(args []string) string {
	switch {
	case args[0] == "exec" && slices.Contains(args, "rightsize-workload"):
		return "exec workload"
	case args[0] == "exec" && len(args) > 2:
		return "exec kill " + args[len(args)-2]
	case args[0] == "snapshot", args[0] == "image":
		return args[0] + " " + args[1]
	default:
		return args[0]
	}
}

func wantCommands(t *testing.T, got []string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("calls of msb (-want +got):\n%s", diff)
	}
}

// shell is a container that runs a script.
func shell(script string) backend.Spec {
	return backend.Spec{Name: "web", Image: "app:1", Entrypoint: []string{"/bin/sh", "-c", script}, WorkingDir: "/"}
}

// forever runs until it is asked to end.
const forever = `trap 'exit 7' TERM; while :; do sleep 0.05; done`

func (m *machine) create(t *testing.T, spec backend.Spec) backend.Container {
	t.Helper()
	c, err := m.Create(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (m *machine) run(t *testing.T, spec backend.Spec) backend.Container {
	t.Helper()
	c := m.create(t, spec)
	if err := m.Start(t.Context(), c.ID, spec); err != nil {
		t.Fatal(err)
	}
	return c
}

func (m *machine) wantState(t *testing.T, want backend.State, exit backend.Exit) backend.Container {
	t.Helper()
	c, err := m.Inspect(t.Context(), "web")
	if err != nil {
		t.Fatal(err)
	}
	if c.State != want || c.Exit != exit {
		t.Errorf("the container is %s with %+v, want %s with %+v", c.State, c.Exit, want, exit)
	}
	list, err := m.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 1 || list[0].State != want || list[0].ID != c.ID {
		t.Errorf("the list has %+v, want one container that is %s", list, want)
	}
	return c
}

// wantError checks what an error says, and returns it.
func wantError(t *testing.T, err, kind error, field backend.Field, texts ...string) {
	t.Helper()
	failure, ok := errors.AsType[*backend.Error](err)
	if !ok {
		t.Fatalf("the error is %v, want one of the backend's", err)
	}
	if kind != nil && !errors.Is(err, kind) || failure.Field != field {
		t.Errorf("the error is of kind %v about %q, want %v about %q: %v", failure.Kind, failure.Field, kind, field, err)
	}
	for _, text := range texts {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("the error is %q, and does not say %q", err, text)
		}
	}
}

func read(t *testing.T, stream io.ReadCloser, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	text, err := io.ReadAll(stream)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
