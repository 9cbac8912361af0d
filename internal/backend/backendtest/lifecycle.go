package backendtest

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

var lifecycleCases = []testCase{
	{"create then start then inspect", createStartInspect},
	{"list contains containers in every state", listContains},
	{"start of a running container is no error", startTwice},
	{"start again runs the process again and keeps the files", startAgain},
	{"start of a missing command fails and names the command", startMissingCommand},
	{"stop asks the process to end", stopAsks},
	{"stop kills after the grace", stopKills},
	{"stop of what does not run is no error", stopIdle},
	{"remove deletes what runs and is idempotent", removeTwice},
	{"a name is taken until its container is removed", nameTaken},
	{"a missing container is not found", missingContainer},
}

func createStartInspect(t *testing.T, s *suite) {
	spec := s.spec(s.Relay())
	created := s.create(t, spec)
	if created.State != backend.StateCreated || created.Name != spec.Name || created.ID == "" || !created.StartedAt.IsZero() {
		t.Errorf("after create the container is %+v", created)
	}
	if age := time.Since(created.CreatedAt); age < -time.Hour || age > time.Hour {
		t.Errorf("the container was made at %s", created.CreatedAt)
	}
	if diff := cmp.Diff(created, s.inspect(t, created.ID)); diff != "" {
		t.Errorf("create and inspect do not agree (-create +inspect):\n%s", diff)
	}

	if err := s.Start(s.context(t), created.ID, spec); err != nil {
		t.Fatal(err)
	}
	running := s.inspect(t, spec.Name)
	if !running.CreatedAt.Equal(created.CreatedAt) {
		t.Errorf("after its start the container was made at %s, before at %s", running.CreatedAt, created.CreatedAt)
	}
	if running.State != backend.StateRunning || running.StartedAt.IsZero() || running.ID != created.ID {
		t.Errorf("after start the container is %+v", running)
	}
	if s.engine.Local && running.Host != "127.0.0.1" {
		t.Errorf("ports of an engine on this host are reached at %q", running.Host)
	}
}

func listContains(t *testing.T, s *suite) {
	created := s.create(t, s.spec(s.Relay()))
	running := s.start(t, s.server(t, "x"))
	exited := s.source(t, 0)
	created, running, exited = s.inspect(t, created.ID), s.inspect(t, running.ID), s.inspect(t, exited.ID)

	list, err := s.List(s.context(t))
	if err != nil {
		t.Fatal(err)
	}
	for state, c := range map[backend.State]backend.Container{
		backend.StateCreated: created, backend.StateRunning: running, backend.StateExited: exited,
	} {
		if c.State != state {
			t.Errorf("inspect says that %s is %s, want %s", c.Name, c.State, state)
		}
		i := slices.IndexFunc(list, func(listed backend.Summary) bool { return listed.ID == c.ID })
		if i < 0 {
			t.Errorf("the list lacks %s", c.Name)
			continue
		}
		listed := list[i]
		if state != backend.StateRunning {
			// An engine may tell ports only while they are bound.
			listed.Ports = c.Ports
		}
		if diff := cmp.Diff(c.Summary, listed); diff != "" {
			t.Errorf("inspect and list do not agree (-inspect +list):\n%s", diff)
		}
		if !listed.Managed {
			t.Errorf("%s is not said to be managed", listed.Name)
		}
	}
}

func startTwice(t *testing.T, s *suite) {
	c := s.resident(t)
	if err := s.Start(s.context(t), c.ID, s.spec(s.Relay())); err != nil {
		t.Error(err)
	}
	if again := s.inspect(t, c.ID); !again.StartedAt.Equal(c.StartedAt) {
		t.Errorf("the process was started again at %s", again.StartedAt)
	}
}

func startAgain(t *testing.T, s *suite) {
	spec := s.spec(s.Relay())
	c := s.relay(t, spec)
	s.write(t, c.ID, "/kept", "before")
	s.stop(t, c.ID)
	if err := s.Start(s.context(t), c.ID, spec); err != nil {
		t.Fatal(err)
	}
	s.awaitLine(t, c.ID, "ready", 2)
	s.wantFile(t, c.ID, "/kept", "before")
	if again := s.inspect(t, c.ID); !again.StartedAt.After(c.StartedAt) {
		t.Errorf("the process was started at %s, and again at %s", c.StartedAt, again.StartedAt)
	}
}

func startMissingCommand(t *testing.T, s *suite) {
	spec := s.spec(s.Missing())
	c := s.create(t, spec)
	err := s.Start(s.context(t), c.ID, spec)
	if err == nil {
		t.Fatal("it started")
	}
	wantField(t, err, backend.FieldCommand)
	if state := s.inspect(t, c.ID).State; state == backend.StateRunning {
		t.Errorf("the container is %s", state)
	}
}

func stopAsks(t *testing.T, s *suite) {
	c := s.relay(t, s.spec(s.Relay()))
	s.stop(t, c.ID)
	stopped := s.inspect(t, c.ID)
	if want := (backend.Exit{}); stopped.State != backend.StateExited || stopped.Exit != want {
		t.Errorf("the container is %s with %+v, want it to have ended by itself", stopped.State, stopped.Exit)
	}
}

func stopKills(t *testing.T, s *suite) {
	c := s.start(t, s.spec(s.Stubborn()))
	if err := s.Stop(s.context(t), c.ID, time.Second); err != nil {
		t.Fatal(err)
	}
	stopped := s.inspect(t, c.ID)
	if want := (backend.Exit{Code: 137}); stopped.State != backend.StateExited || stopped.Exit != want {
		t.Errorf("the container is %s with %+v, want it killed", stopped.State, stopped.Exit)
	}
}

func stopIdle(t *testing.T, s *suite) {
	spec := s.spec(s.Exit(3))
	c := s.create(t, spec)
	s.stop(t, c.ID)
	if err := s.Start(s.context(t), c.ID, spec); err != nil {
		t.Fatal(err)
	}
	s.wait(t, c.ID)
	s.stop(t, c.ID)
	if got := s.inspect(t, c.ID).Exit.Code; got != 3 {
		t.Errorf("stop changed the exit code from 3 to %d", got)
	}
}

func removeTwice(t *testing.T, s *suite) {
	c := s.start(t, s.spec(s.Stubborn()))
	for range 2 {
		s.remove(t, c.ID)
		_, err := s.Inspect(s.context(t), c.ID)
		wantKind(t, err, backend.ErrNotFound)
	}
}

func nameTaken(t *testing.T, s *suite) {
	spec := s.spec(s.Relay())
	first := s.create(t, spec)
	_, err := s.Create(s.context(t), spec)
	wantKind(t, err, backend.ErrNameTaken)
	wantField(t, err, backend.FieldName)
	s.remove(t, first.ID)
	if second := s.create(t, spec); second.ID == first.ID {
		t.Error("two containers have one id")
	}
}

func missingContainer(t *testing.T, s *suite) {
	ctx, name := s.context(t), s.name()
	calls := map[string]func() error{
		"start":        func() error { return s.Start(ctx, name, s.spec(s.Relay())) },
		"stop":         func() error { return s.Stop(ctx, name, time.Second) },
		"update":       func() error { return s.Update(ctx, name, backend.Limits{MemoryMB: s.memory(4)}) },
		"exec":         func() error { _, err := s.Exec(ctx, name, backend.Exec{Command: s.Exit(0)}); return err },
		"inspect":      func() error { _, err := s.Inspect(ctx, name); return err },
		"wait":         func() error { _, err := s.Wait(ctx, name); return err },
		"wait healthy": func() error { return s.WaitHealthy(ctx, name) },
		"logs":         func() error { _, err := s.Logs(ctx, name, backend.LogOptions{}); return err },
		"logs follow":  func() error { _, err := s.Logs(ctx, name, backend.LogOptions{Follow: true}); return err },
	}
	for call, run := range calls {
		t.Run(call, func(t *testing.T) { wantKind(t, run(), backend.ErrNotFound) })
	}
}
