package backendtest

import (
	"context"
	"errors"
	"testing"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

var waitCases = []testCase{
	{"wait returns when the process ends", waitRunning},
	{"wait returns at once if the process does not run", waitNotRunning},
	{"wait returns when the container is removed", waitRemoved},
	{"wait ends when its context does", waitCancelled},
	{"wait healthy is unsupported without a health check", waitNoHealthCheck},
	{"wait healthy returns when the check passes", waitHealthy},
	{"wait healthy fails when the process ends", waitHealthyDead},
	{"wait healthy ends when its context does", waitHealthyCancelled},
}

type waited struct {
	exit backend.Exit
	err  error
}

// waiting waits for a container's end in the background.
func (s *suite) waiting(ctx context.Context, id string) <-chan waited {
	ended := make(chan waited, 1)
	go func() {
		exit, err := s.Wait(ctx, id)
		ended <- waited{exit, err}
	}()
	return ended
}

func waitRunning(t *testing.T, s *suite) {
	c := s.relay(t, s.spec(s.Relay()))
	ended := s.waiting(s.context(t), c.ID)
	select {
	case early := <-ended:
		t.Fatalf("wait returned %+v while the process ran", early)
	default:
	}
	s.quit(t, c.ID, 7)
	if got, want := <-ended, (waited{exit: backend.Exit{Code: 7}}); got != want {
		t.Errorf("wait returned %+v, want %+v", got, want)
	}
	if after := s.inspect(t, c.ID); after.State != backend.StateExited || after.Exit.Code != 7 {
		t.Errorf("inspect says that the container is %s with %+v", after.State, after.Exit)
	}
}

func waitNotRunning(t *testing.T, s *suite) {
	spec := s.spec(s.Exit(5))
	c := s.create(t, spec)
	if got := s.wait(t, c.ID); got != (backend.Exit{}) {
		t.Errorf("before the start wait returned %+v", got)
	}
	if err := s.Start(s.context(t), c.ID, spec); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if got := s.wait(t, c.ID); got.Code != 5 {
			t.Errorf("after the end wait returned %+v", got)
		}
	}
}

func waitRemoved(t *testing.T, s *suite) {
	c := s.relay(t, s.spec(s.Relay()))
	ended := s.waiting(s.context(t), c.ID)
	s.remove(t, c.ID)
	// Either is right: the process was killed, and the container is not there.
	if got := <-ended; got.err == nil && got.exit.Code == 0 || got.err != nil && !errors.Is(got.err, backend.ErrNotFound) {
		t.Errorf("wait returned %+v", got)
	}
}

func waitCancelled(t *testing.T, s *suite) {
	c := s.resident(t)
	ctx, cancel := context.WithCancel(s.context(t))
	ended := s.waiting(ctx, c.ID)
	cancel()
	wantKind(t, (<-ended).err, context.Canceled)
	if state := s.inspect(t, c.ID).State; state != backend.StateRunning {
		t.Errorf("the container is %s", state)
	}
}

func waitNoHealthCheck(t *testing.T, s *suite) {
	c := s.resident(t)
	wantKind(t, s.WaitHealthy(s.context(t), c.ID), backend.ErrUnsupported)
}

func waitHealthy(t *testing.T, s *suite) {
	c := s.start(t, s.healthy(t))
	if err := s.WaitHealthy(s.context(t), c.ID); err != nil {
		t.Error(err)
	}
	if err := s.WaitHealthy(s.context(t), c.ID); err != nil {
		t.Errorf("of a container that is healthy: %v", err)
	}
}

func waitHealthyDead(t *testing.T, s *suite) {
	c := s.relay(t, s.healthy(t))
	ended := s.waitingHealthy(s.context(t), c.ID)
	s.quit(t, c.ID, 7)
	if err := <-ended; err == nil || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("wait healthy returned %v", err)
	}
}

func waitHealthyCancelled(t *testing.T, s *suite) {
	c := s.relay(t, s.healthy(t))
	ctx, cancel := context.WithCancel(s.context(t))
	ended := s.waitingHealthy(ctx, c.ID)
	cancel()
	wantCancelled(t, s, ended)
}

// healthy returns the definition of a container with a health check.
func (s *suite) healthy(t *testing.T) backend.Spec {
	t.Helper()
	if s.harness.Images.Healthy == "" {
		t.Skip("this engine has no health checks")
	}
	return backend.Spec{Name: s.name(), Image: s.harness.Images.Healthy}
}

func (s *suite) waitingHealthy(ctx context.Context, id string) <-chan error {
	ended := make(chan error, 1)
	go func() { ended <- s.WaitHealthy(ctx, id) }()
	return ended
}
