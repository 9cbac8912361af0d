//go:build unix

package microsandbox_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// patient is a grace that no test reaches.
const patient = time.Minute

func TestLifecycle(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	since := m.mark()
	created := m.create(t, shell(forever))
	wantCommands(t, since(), "--version", "image inspect", "inspect", "create", "exec kill --")
	if inspected := m.wantState(t, backend.StateCreated, backend.Exit{}); cmp.Diff(created, inspected) != "" {
		t.Errorf("create and inspect do not agree (-create +inspect):\n%s", cmp.Diff(created, inspected))
	}

	since = m.mark()
	if err := m.Start(t.Context(), created.ID, shell(forever)); err != nil {
		t.Fatal(err)
	}
	wantCommands(t, since(), "inspect", "exec workload")
	running := m.wantState(t, backend.StateRunning, backend.Exit{})
	if err := m.Start(t.Context(), "web", shell(forever)); err != nil {
		t.Fatal(err)
	}
	if again := m.wantState(t, backend.StateRunning, backend.Exit{}); !again.StartedAt.Equal(running.StartedAt) {
		t.Error("what ran was started again")
	}

	since = m.mark()
	if err := m.Stop(t.Context(), created.ID, patient); err != nil {
		t.Fatal(err)
	}
	wantCommands(t, since(), "inspect", "exec kill TERM", "stop")
	m.wantState(t, backend.StateExited, backend.Exit{Code: 7})
	since = m.mark()
	if err := m.Stop(t.Context(), created.ID, patient); err != nil {
		t.Fatal(err)
	}
	wantCommands(t, since(), "inspect")

	since = m.mark()
	if err := m.Start(t.Context(), created.ID, shell(forever)); err != nil {
		t.Fatal(err)
	}
	wantCommands(t, since(), "inspect", "start", "exec workload")
	if again := m.wantState(t, backend.StateRunning, backend.Exit{}); !again.StartedAt.After(running.StartedAt) {
		t.Errorf("the second run is said to have started at %s, the first one at %s", again.StartedAt, running.StartedAt)
	}

	for range 2 {
		if err := m.Remove(t.Context(), created.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(m.recordDir(t)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the record is still there (%v)", err)
		}
	}
	_, err := m.Inspect(t.Context(), created.ID)
	wantError(t, err, backend.ErrNotFound, "", created.ID)
}

func TestStopKills(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		script string
		grace  time.Duration
		want   []string
	}{
		"what does not end":    {`trap '' TERM; while :; do sleep 0.05; done`, 100 * time.Millisecond, []string{"inspect", "exec kill TERM", "exec kill KILL", "stop"}},
		"at once if it must":   {forever, 0, []string{"inspect", "exec kill KILL", "stop"}},
		"nothing that is over": {`exit 137`, patient, []string{"inspect", "stop"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			m.run(t, shell(test.script))
			if test.script == `exit 137` {
				if exit, err := m.Wait(t.Context(), "web"); err != nil || exit.Code != 137 {
					t.Fatalf("Wait() = %+v, %v", exit, err)
				}
			}
			since := m.mark()
			if err := m.Stop(t.Context(), "web", test.grace); err != nil {
				t.Fatal(err)
			}
			wantCommands(t, since(), test.want...)
			m.wantState(t, backend.StateExited, backend.Exit{Code: 137})
		})
	}
}

// TestStopOfWhatCannotBeReached is about a guest in which no command can be run
// any more, and about a provider that was killed before the process was there.
func TestStopOfWhatCannotBeReached(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(*testing.T, *machine){
		"no command runs": func(t *testing.T, m *machine) {
			m.set(t, "fail-exec", "error: failed to exec \"/bin/sh\"\n  → exec: no memory\n")
		},
		"no process id": func(t *testing.T, m *machine) {
			files, err := filepath.Glob(filepath.Join(m.recordDir(t), "share", "*.pid"))
			if err != nil || len(files) != 1 {
				t.Fatalf("there are %d files with a process id (%v)", len(files), err)
			}
			if err := os.Remove(files[0]); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			m.run(t, shell(forever))
			prepare(t, m)
			if err := m.Stop(t.Context(), "web", 50*time.Millisecond); err != nil {
				t.Fatal(err)
			}
			m.wantState(t, backend.StateExited, backend.Exit{Code: 137})
		})
	}
}

func TestStopGivenUp(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.run(t, shell(`trap '' TERM; while :; do sleep 0.05; done`))
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		m.fake.WaitForCall("exec", "--stream", "--user=root", "web", "--", "/bin/sh", "-c", `kill -s "$0" "$1"`, "TERM")
		cancel()
	}()
	if err := m.Stop(ctx, "web", patient); !errors.Is(err, context.Canceled) {
		t.Errorf("Stop() = %v, want that it was given up", err)
	}
	m.wantState(t, backend.StateRunning, backend.Exit{})
}

// TestStates is about what is found after something has gone on without us.
func TestStates(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		script  string
		happens func(*testing.T, *machine)
		want    backend.State
		exit    backend.Exit
	}{
		"ended by itself":         {`exit 3`, nil, backend.StateExited, backend.Exit{Code: 3}},
		"ended by a signal":       {`kill -TERM $$`, nil, backend.StateExited, backend.Exit{Code: 143}},
		"went with its VM":        {forever, crash, backend.StateExited, backend.Exit{Code: 137}},
		"paused":                  {forever, func(t *testing.T, m *machine) { m.set(t, "status", "Paused") }, backend.StatePaused, backend.Exit{}},
		"its VM is being stopped": {forever, func(t *testing.T, m *machine) { m.set(t, "status", "Draining") }, backend.StateExited, backend.Exit{Code: 137}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			m.run(t, shell(test.script))
			if test.happens != nil {
				test.happens(t, m)
			} else if exit, err := m.Wait(t.Context(), "web"); err != nil || exit != test.exit {
				t.Errorf("Wait() = %+v, %v, want %+v", exit, err, test.exit)
			}
			c := m.wantState(t, test.want, test.exit)
			if test.want == backend.StateExited && c.EndedAt.Before(c.StartedAt) {
				t.Errorf("it ended at %s, before its start at %s", c.EndedAt, c.StartedAt)
			}
		})
	}
}

func crash(t *testing.T, m *machine) { m.crash(t) }

// TestWaitAsksNobody is about a wait that ends although msb would answer
// nothing.
func TestWaitAsksNobody(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.run(t, shell(`while [ ! -f `+m.dir+`/go ]; do sleep 0.02; done; exit 9`))
	since := m.mark()
	time.AfterFunc(50*time.Millisecond, func() { m.set(t, "go", "") })
	if exit, err := m.Wait(t.Context(), "web"); err != nil || exit.Code != 9 {
		t.Errorf("Wait() = %+v, %v, want exit code 9", exit, err)
	}
	wantCommands(t, since())
}

func TestExec(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	spec := shell(forever)
	spec.User, spec.WorkingDir = "nobody", "/srv"
	c := m.run(t, spec)
	tests := map[string]struct {
		cmd   backend.Exec
		flags []string
		code  int
	}{
		"as the container's process": {backend.Exec{Command: []string{"/bin/sh", "-c", "exit 5"}}, []string{"--user=nobody", "--workdir=/srv"}, 5},
		"as somebody else, elsewhere": {
			backend.Exec{Command: []string{"true"}, User: "root", WorkingDir: "/", Env: map[string]string{"TOKEN": "hunter2"}},
			[]string{"--user=root", "--workdir=/", "--env=TOKEN"}, 0,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			before := len(m.fake.Calls())
			code, err := m.Exec(t.Context(), c.ID, test.cmd)
			if code != test.code || err != nil {
				t.Errorf("Exec() = %d, %v, want %d", code, err, test.code)
			}
			calls := m.fake.Calls()[before:]
			want := append(append([]string{"exec", "--stream"}, test.flags...), append([]string{"web", "--"}, test.cmd.Command...)...)
			// One call: that it runs is known without msb.
			if len(calls) != 1 || cmp.Diff(want, calls[0].Args) != "" {
				t.Errorf("calls are %v, want %q", calls, want)
			}
		})
	}

	m.crash(t)
	_, err := m.Exec(t.Context(), c.ID, backend.Exec{Command: []string{"true"}})
	wantError(t, err, nil, "", "not running", "exited")
	if err := os.Remove(filepath.Join(m.dir, "status")); err != nil {
		t.Fatal(err)
	}
	_, err = m.Exec(t.Context(), c.ID, backend.Exec{Command: []string{"true"}})
	wantError(t, err, backend.ErrNotFound, "")
}

func TestStartOfWhatCannotRun(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		command []string
		field   backend.Field
		say     string
	}{
		"no such command":      {[]string{"/no/such", "--flag"}, backend.FieldCommand, `"/no/such"`},
		"not on the PATH":      {[]string{"no-such-command"}, backend.FieldCommand, `"no-such-command"`},
		"a directory":          {[]string{"/etc"}, backend.FieldCommand, `"/etc"`},
		"what is no program":   {[]string{"/etc/passwd"}, backend.FieldCommand, `"/etc/passwd"`},
		"an option of a shell": {[]string{"-c"}, backend.FieldCommand, `"-c"`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			spec := shell("")
			spec.Entrypoint, spec.Command = test.command[:1], test.command[1:]
			c := m.create(t, spec)
			wantError(t, m.Start(t.Context(), c.ID, spec), nil, test.field, test.say)
			m.wantState(t, backend.StateExited, backend.Exit{Code: 127})
			if exit, err := m.Wait(t.Context(), c.ID); err != nil || exit.Code != 127 {
				t.Errorf("Wait() = %+v, %v", exit, err)
			}
		})
	}
}

// TestStartWithoutAGuestThatCanRunIt is about an exec that msb refuses: it says
// so to nobody, and is asked once more.
func TestStartWithoutAGuestThatCanRunIt(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	spec := shell(forever)
	m.create(t, spec)
	m.set(t, "fail-exec", "error: failed to exec \"/bin/sh\"\n  → exec: exec session error: guest user not found: web\n")
	err := m.Start(t.Context(), "web", spec)
	if err == nil || !strings.Contains(err.Error(), "guest user not found") {
		t.Errorf("Start() = %v, want what msb says", err)
	}
}

// TestStartAfterAKill is about a provider that was killed after it had written
// down that it was about to run the workload.
func TestStartAfterAKill(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	spec := shell(forever)
	c := m.create(t, spec)
	m.set(t, "fail-exec", "error: failed to exec \"/bin/sh\"\n")
	if err := m.Start(t.Context(), c.ID, spec); err == nil {
		t.Fatal("it started")
	}
	m.unset(t, "fail-exec")
	since := m.mark()
	if err := m.Start(t.Context(), c.ID, spec); err != nil {
		t.Fatal(err)
	}
	// What may run in the VM is not known: it is booted afresh.
	wantCommands(t, since(), "inspect", "stop", "start", "exec workload")
	m.wantState(t, backend.StateRunning, backend.Exit{})
}

// TestStartFromElsewhere is about the next process, which has only what the
// first one left.
func TestStartFromElsewhere(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	c := m.run(t, shell(forever))
	next := m.open(t)
	since := m.mark()
	if err := next.Start(t.Context(), c.ID, backend.Spec{}); err != nil {
		t.Fatal(err)
	}
	wantCommands(t, since(), "--version", "inspect")
	if err := next.Stop(t.Context(), c.ID, patient); err != nil {
		t.Fatal(err)
	}
	m.wantState(t, backend.StateExited, backend.Exit{Code: 7})
}
