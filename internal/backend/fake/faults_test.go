package fake_test

import (
	"context"
	"errors"
	"testing"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/fake"
)

var errBroken = errors.New("broken")

func newBackend(t *testing.T, options ...fake.Option) *fake.Backend {
	t.Helper()
	b := fake.New(append([]fake.Option{fake.WithImage("app:1", fake.Image{Program: fake.Idle})}, options...)...)
	t.Cleanup(b.Close)
	return b
}

// running makes a container of app:1 and starts it.
func running(t *testing.T, b *fake.Backend, name string) backend.Spec {
	t.Helper()
	spec := backend.Spec{Name: name, Image: "app:1"}
	if _, err := b.Create(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
	if err := b.Start(t.Context(), name, spec); err != nil {
		t.Fatal(err)
	}
	return spec
}

func state(t *testing.T, b *fake.Backend, name string) backend.State {
	t.Helper()
	for _, c := range b.Containers() {
		if c.Name == name {
			return c.State
		}
	}
	t.Fatalf("there is no container %s", name)
	panic("unreachable")
}

func TestFail(t *testing.T) {
	t.Parallel()
	b := newBackend(t)
	errOther := errors.New("other")
	b.Fail(fake.Create, errBroken, 2)
	b.Fail(fake.Create, errOther, 1)
	spec := backend.Spec{Name: "web", Image: "app:1"}
	for _, want := range []error{errBroken, errBroken, errOther} {
		if _, err := b.Create(t.Context(), spec); !errors.Is(err, want) {
			t.Errorf("the error is %v, want %v", err, want)
		}
	}
	if left := b.Containers(); len(left) > 0 {
		t.Errorf("creations that failed made %v", left)
	}
	if _, err := b.Create(t.Context(), spec); err != nil {
		t.Errorf("after all failures are used up: %v", err)
	}
}

func TestFailAlways(t *testing.T) {
	t.Parallel()
	b := newBackend(t)
	b.Fail(fake.List, errBroken, fake.Always)
	for range 10 {
		if _, err := b.List(t.Context()); !errors.Is(err, errBroken) {
			t.Fatalf("the error is %v", err)
		}
	}
}

func TestFailAfter(t *testing.T) {
	t.Parallel()
	b := newBackend(t)
	b.FailAfter(fake.Create, errBroken, 1)
	spec := backend.Spec{Name: "web", Image: "app:1"}
	if _, err := b.Create(t.Context(), spec); !errors.Is(err, errBroken) {
		t.Errorf("the error is %v", err)
	}
	if got := state(t, b, "web"); got != backend.StateCreated {
		t.Errorf("the container is %s", got)
	}

	// A call that fails by itself does not use the failure up.
	b.FailAfter(fake.Create, errBroken, 1)
	if _, err := b.Create(t.Context(), spec); !errors.Is(err, backend.ErrNameTaken) {
		t.Errorf("the error is %v", err)
	}
	spec.Name = "other"
	if _, err := b.Create(t.Context(), spec); !errors.Is(err, errBroken) {
		t.Errorf("the error is %v", err)
	}
}

func TestHook(t *testing.T) {
	t.Parallel()
	b := newBackend(t)
	running(t, b, "web")
	b.Hook(fake.Stop, func(_ context.Context, call fake.Call) error {
		b.RemoveOutOfBand(call.Target)
		return nil
	})
	if err := b.Stop(t.Context(), "web", 0); !errors.Is(err, backend.ErrNotFound) {
		t.Errorf("the error is %v", err)
	}

	b.Hook(fake.Inspect, func(context.Context, fake.Call) error { return errBroken })
	if _, err := b.Inspect(t.Context(), "web"); !errors.Is(err, errBroken) {
		t.Errorf("the error is %v", err)
	}
}

func TestBlock(t *testing.T) {
	t.Parallel()
	b := newBackend(t)
	release := b.Block(fake.Create)
	created := make(chan error, 1)
	go func() {
		_, err := b.Create(t.Context(), backend.Spec{Name: "web", Image: "app:1"})
		created <- err
	}()
	if err := b.AwaitCalls(t.Context(), fake.Create, 1); err != nil {
		t.Fatal(err)
	}
	if made := b.Containers(); len(made) > 0 {
		t.Errorf("the call that is held made %v", made)
	}
	release()
	release()
	if err := <-created; err != nil {
		t.Error(err)
	}
	running(t, b, "after")
}

func TestBlockEndsWithContext(t *testing.T) {
	t.Parallel()
	b := newBackend(t)
	b.Block(fake.List)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.List(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	if err := b.AwaitCalls(ctx, fake.List, 2); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}

func TestAvailability(t *testing.T) {
	t.Parallel()
	b := newBackend(t)
	running(t, b, "web")
	b.SetAvailable(false)
	if _, err := b.Engine(t.Context()); !errors.Is(err, backend.ErrUnavailable) {
		t.Errorf("the error is %v", err)
	}
	if _, err := b.Inspect(t.Context(), "web"); !errors.Is(err, backend.ErrUnavailable) || errors.Is(err, backend.ErrNotFound) {
		t.Errorf("the error is %v", err)
	}
	b.SetAvailable(true)
	if c, err := b.Inspect(t.Context(), "web"); err != nil || c.State != backend.StateRunning {
		t.Errorf("the container is %s (%v)", c.State, err)
	}
}

func TestUnknownMethodPanics(t *testing.T) {
	t.Parallel()
	for name, call := range map[string]func(*fake.Backend){
		"fail":  func(b *fake.Backend) { b.Fail("Craete", errBroken, 1) },
		"block": func(b *fake.Backend) { b.Block("Craete") },
		"count": func(b *fake.Backend) { b.Count("Craete") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			defer func() {
				if recover() == nil {
					t.Error("a method that does not exist is no error")
				}
			}()
			call(newBackend(t))
		})
	}
}
