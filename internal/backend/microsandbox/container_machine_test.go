//go:build unix

package microsandbox_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox"
)

// logRow is a row of msb's own log.
func logRow(text string) string {
	return `{"d":"` + text + `\n","e":null,"id":null,"s":"system","t":"2033-05-18T03:33:20Z"}` + "\n"
}

const (
	portLost  = `ERROR microsandbox_network::ports::publisher: published TCP port listener failed bind=127.0.0.1:1 error=Address already in use (os error 98)`
	noNetwork = `WARN microsandbox_network::ports::publisher: skipping published port listeners: guest has no IPv4 or IPv6 address`
)

func published(spec backend.Spec, port uint16) backend.Spec {
	spec.Ports = []backend.PortBinding{{Port: backend.Port{Number: 80, Protocol: backend.TCP}, Host: port}}
	return spec
}

// wantNothing checks that a creation has left nothing.
func (m *machine) wantNothing(t *testing.T) {
	t.Helper()
	wantThere(t, false, filepath.Join(m.dir, "status"))
	if records, err := filepath.Glob(filepath.Join(m.cache, "microsandbox", "*", "*")); err != nil || len(records) > 0 {
		t.Errorf("the records %q are left (%v)", records, err)
	}
}

func TestCreateSays(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	spec := published(shell(forever), freePort(t))
	spec.Env = map[string]string{"PASSWORD": "hunter2", "PATH": "/bin"}
	spec.Labels = map[string]string{"team": "a"}
	spec.Limits = backend.Limits{MemoryMB: 256, CPUs: 1.5}
	c := m.create(t, spec)
	call := m.fake.WaitForCall("create")
	got := slices.Clone(call.Args)
	for i, arg := range got {
		arg = strings.ReplaceAll(arg, m.recordDir(t), "RECORD")
		got[i] = strings.ReplaceAll(strings.ReplaceAll(arg, c.ID, "ID"), backend.Port{Number: spec.Ports[0].Host}.String()+":80", "HOST:80")
	}
	want := []string{
		"create", "--pull=never", "--name=web", "--memory=256M", "--cpus=2", "--port=127.0.0.1:HOST:80",
		"--mount-dir=RECORD/share:/.rightsize",
		"--label=dev.rightsize.managed=terraform", "--label=dev.rightsize.runId=", "--label=team=a",
		"--env=PASSWORD", "--env=PATH=/bin", "app:1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("msb was told (-want +got):\n%s", diff)
	}
	if call.Env["PASSWORD"] != "hunter2" {
		t.Errorf("the variable was handed over as %q", call.Env["PASSWORD"])
	}
	// The record has it, for its owner alone.
	for path, want := range map[string]os.FileMode{m.recordDir(t): 0o700, filepath.Join(m.recordDir(t), "container.json"): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s has mode %v (%v), want %v", path, info.Mode().Perm(), err, want)
		}
	}
}

func TestCreateFails(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		prepare func(*testing.T, *machine)
		kind    error
		field   backend.Field
		say     string
		calls   []string
	}{
		"the boot": {
			func(t *testing.T, m *machine) {
				m.set(t, "fail-create", "error: failed to start \"web\"\n  → build_vm: no\n")
			},
			backend.ErrUnavailable, "", "build_vm", []string{"--version", "image inspect", "inspect", "create", "inspect", "remove"},
		},
		"a port that somebody else got": {
			func(t *testing.T, m *machine) { m.set(t, "system.log", logRow(portLost)) },
			backend.ErrPortTaken, backend.FieldPorts, "Address already in use", []string{"--version", "image inspect", "inspect", "create", "logs", "remove"},
		},
		"a host without a network": {
			func(t *testing.T, m *machine) { m.set(t, "system.log", logRow(noNetwork)) },
			backend.ErrUnavailable, backend.FieldPorts, "no IPv4", []string{"--version", "image inspect", "inspect", "create", "logs", "remove"},
		},
		"its working directory": {
			func(t *testing.T, m *machine) { m.set(t, "fail-exec", "mkdir: read-only file system\n") },
			nil, backend.FieldWorkingDir, "read-only", []string{"--version", "image inspect", "inspect", "create", "logs", "exec kill --", "remove"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			test.prepare(t, m)
			since := m.mark()
			_, err := m.Create(t.Context(), published(shell(forever), freePort(t)))
			wantError(t, err, test.kind, test.field, test.say)
			wantCommands(t, since(), test.calls...)
			m.wantNothing(t)
		})
	}
}

// TestCreateFailsBeforeTheBoot asks msb for nothing that takes long.
func TestCreateFailsBeforeTheBoot(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	listener := listen(t, 0)
	defer listener.Close()
	taken := shell(forever)
	taken.Ports = []backend.PortBinding{{Port: backend.Port{Number: 80, Protocol: backend.TCP}, Host: portOf(listener)}}
	absent := shell(forever)
	absent.Image, absent.PullPolicy = "absent:1", backend.PullNever
	gone := shell(forever)
	gone.Image, gone.From = "", &backend.Artifact{ID: "sha256:gone"}
	inTmp := shell(forever)
	inTmp.Files = []backend.File{{Path: "/srv/a", Content: []byte("a")}, {Path: "/tmp/../tmp/b", Content: []byte("b")}}
	badName := shell(forever)
	badName.Name = "../web"
	tests := map[string]struct {
		spec  backend.Spec
		kind  error
		field backend.Field
	}{
		"a port that is taken":         {taken, backend.ErrPortTaken, backend.FieldPorts},
		"an image that msb lacks":      {absent, backend.ErrNotFound, backend.FieldImage},
		"an artifact that is gone":     {gone, backend.ErrNotFound, ""},
		"a file where nothing is kept": {inTmp, backend.ErrUnsupported, backend.FieldFiles},
		"a name that is a path":        {badName, backend.ErrUnsupported, backend.FieldName},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			since := m.mark()
			_, err := m.Create(t.Context(), test.spec)
			wantError(t, err, test.kind, test.field)
			if slices.Contains(since(), "create") {
				t.Error("it was booted")
			}
			m.wantNothing(t)
		})
	}
}

func TestCreateNameTaken(t *testing.T) {
	t.Parallel()
	t.Run("by ours", func(t *testing.T) {
		t.Parallel()
		m := newMachine(t)
		c := m.run(t, shell(forever))
		since := m.mark()
		_, err := m.Create(t.Context(), shell(forever))
		wantError(t, err, backend.ErrNameTaken, backend.FieldName)
		wantCommands(t, since(), "inspect")
		if again := m.wantState(t, backend.StateRunning, backend.Exit{}); again.ID != c.ID {
			t.Errorf("the container's id was %s and is %s", c.ID, again.ID)
		}
	})
	t.Run("by somebody else's", func(t *testing.T) {
		t.Parallel()
		m := newMachine(t)
		m.set(t, "share", "/elsewhere")
		m.set(t, "status", "Running")
		_, err := m.Create(t.Context(), shell(forever))
		wantError(t, err, backend.ErrNameTaken, backend.FieldName)
		if c := m.wantState(t, backend.StateRunning, backend.Exit{}); c.Managed {
			t.Error("it is taken for ours")
		}
	})
	t.Run("by what is left of a creation", func(t *testing.T) {
		t.Parallel()
		m := newMachine(t)
		first := m.create(t, shell(forever))
		if err := os.Remove(filepath.Join(m.dir, "status")); err != nil {
			t.Fatal(err)
		}
		orphan := filepath.Join(m.fake.Home(), "sandboxes", "web", "logs")
		write(t, filepath.Join(orphan, "kernel.log"), "")
		if second := m.create(t, shell(forever)); second.ID == first.ID {
			t.Error("it has the id of the one that was interrupted")
		}
		wantThere(t, false, orphan)
	})
	t.Run("by what could not be removed", func(t *testing.T) {
		t.Parallel()
		m := newMachine(t)
		m.set(t, "fail-create", "error: failed to start \"web\"\n")
		m.set(t, "fail-remove", "error: io error: Input/output error\n")
		_, err := m.Create(t.Context(), shell(forever))
		wantError(t, err, nil, "", "Input/output error")
		// It is found again by its record, and then removed.
		wantThere(t, true, m.recordDir(t))
		m.unset(t, "fail-remove")
		if err := m.Remove(t.Context(), "web"); err != nil {
			t.Fatal(err)
		}
		m.wantNothing(t)
	})
}

// TestAnotherOneOfTheName is about a container that was removed behind our back,
// and whose name somebody else has given to another one since.
func TestAnotherOneOfTheName(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	c := m.create(t, shell(forever))
	m.set(t, "share", "/elsewhere")
	for name, call := range map[string]func() error{
		"inspect": func() error { _, err := m.Inspect(t.Context(), c.ID); return err },
		"start":   func() error { return m.Start(t.Context(), c.ID, shell(forever)) },
		"update":  func() error { return m.Update(t.Context(), c.ID, backend.Limits{}) },
		"capture": func() error {
			_, err := m.Capture(t.Context(), c.ID, backend.CaptureOptions{Name: "db"})
			return err
		},
	} {
		since := m.mark()
		if err := call(); !errors.Is(err, backend.ErrNotFound) {
			t.Errorf("%s: %v, want that it is gone", name, err)
		}
		wantCommands(t, since(), "inspect")
	}
	if other, err := m.Inspect(t.Context(), "web"); err != nil || other.Managed || other.ID == c.ID {
		t.Errorf("by its name it is %+v, %v", other, err)
	}
}

// TestForeign is about a sandbox that something else has made.
func TestForeign(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.set(t, "share", "/elsewhere")
	m.set(t, "status", "Running")
	c := m.wantState(t, backend.StateRunning, backend.Exit{})
	if c.Managed || c.ID != "web" || len(c.Given.Labels) > 0 {
		t.Errorf("it is %+v", c)
	}
	wantError(t, m.Start(t.Context(), "web", shell(forever)), backend.ErrUnsupported, "", "not made by this provider")
	if code, err := m.Exec(t.Context(), "web", backend.Exec{Command: []string{"/bin/sh", "-c", "exit 4"}}); code != 4 || err != nil {
		t.Errorf("Exec() = %d, %v", code, err)
	}
	if err := m.Stop(t.Context(), "web", patient); err != nil {
		t.Fatal(err)
	}
	m.wantState(t, backend.StateExited, backend.Exit{Code: 137})
	if exit, err := m.Wait(t.Context(), "web"); err != nil || exit.Code != 137 {
		t.Errorf("Wait() = %+v, %v", exit, err)
	}
	if err := m.Remove(t.Context(), "web"); err != nil {
		t.Fatal(err)
	}
	m.wantNothing(t)
}

// TestWithoutMsb must not look as if the containers were gone: Terraform would
// forget them.
func TestWithoutMsb(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	c := m.create(t, shell(forever))
	lost := filepath.Join(t.TempDir(), "msb")
	fresh := microsandbox.New(microsandbox.Config{
		Locate: func(context.Context) (string, error) { return lost, nil }, Home: m.fake.Home(), CacheDir: m.cache,
	})
	_, err := fresh.Inspect(t.Context(), c.ID)
	wantError(t, err, backend.ErrUnavailable, "", lost)
	if errors.Is(err, backend.ErrNotFound) {
		t.Errorf("Inspect() = %v, which looks like a container that is gone", err)
	}
	if err := os.Remove(m.fake.Path()); err != nil {
		t.Fatal(err)
	}
	_, err = m.Inspect(t.Context(), c.ID)
	if err == nil || errors.Is(err, backend.ErrNotFound) {
		t.Errorf("Inspect() = %v, which looks like a container that is gone", err)
	}
}

func TestDamagedRecord(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	c := m.create(t, shell(forever))
	record := filepath.Join(m.recordDir(t), "container.json")
	for name, content := range map[string]string{
		"cut off":        `{"id":"`,
		"of another one": `{"id":"` + c.ID + `","name":"other"}`,
	} {
		write(t, record, content)
		for _, id := range []string{c.ID, "web"} {
			_, err := m.Inspect(t.Context(), id)
			wantError(t, err, nil, "", filepath.Dir(record))
			if errors.Is(err, backend.ErrNotFound) {
				t.Errorf("%s: Inspect(%s) = %v, which looks like a container that is gone", name, id, err)
			}
		}
		if list, err := m.List(t.Context()); err != nil || len(list) != 1 || list[0].Managed {
			t.Errorf("%s: the list is %+v, %v", name, list, err)
		}
	}
}

// TestHostileGuest is about the directory that a guest can write: what it leaves
// there is neither followed nor waited for.
func TestHostileGuest(t *testing.T) {
	t.Parallel()
	for name, hostile := range map[string]func(path, secret string) error{
		"a link":       func(path, secret string) error { return os.Symlink(secret, path) },
		"a pipe":       func(path, _ string) error { return syscall.Mkfifo(path, 0o600) },
		"a device":     func(path, _ string) error { return os.Symlink("/dev/zero", path) },
		"a great file": func(path, _ string) error { return os.WriteFile(path, make([]byte, 1<<20), 0o600) },
		"no number":    func(path, _ string) error { return os.WriteFile(path, []byte("zero\n"), 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			m.run(t, shell("exit 3"))
			if _, err := m.Wait(t.Context(), "web"); err != nil {
				t.Fatal(err)
			}
			secret := filepath.Join(t.TempDir(), "secret")
			write(t, secret, "42\n")
			exits, err := filepath.Glob(filepath.Join(m.recordDir(t), "share", "*.exit"))
			if err != nil || len(exits) != 1 {
				t.Fatalf("the exit codes are %q, %v", exits, err)
			}
			if err := errors.Join(os.Remove(exits[0]), hostile(exits[0], secret)); err != nil {
				t.Fatal(err)
			}
			m.wantState(t, backend.StateExited, backend.Exit{Code: 137})
			if err := m.Remove(t.Context(), "web"); err != nil {
				t.Fatal(err)
			}
			wantThere(t, true, secret, "/dev/zero")
		})
	}
}
