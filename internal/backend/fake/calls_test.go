package fake_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/fake"
)

func TestCalls(t *testing.T) {
	t.Parallel()
	b := newBackend(t)
	spec := running(t, b, "web")
	_, _ = b.Inspect(t.Context(), "web")
	_, _ = b.List(t.Context())
	_, _ = b.Exec(t.Context(), "web", backend.Exec{Command: []string{"true"}})
	_, _ = b.Inspect(t.Context(), "missing")

	if diff := cmp.Diff([]fake.Method{fake.Create, fake.Start, fake.Inspect, fake.List, fake.Exec, fake.Inspect}, b.Methods()); diff != "" {
		t.Errorf("the calls (-want +got):\n%s", diff)
	}
	want := []fake.Call{
		{Method: fake.Create, Target: "web", Spec: spec},
		{Method: fake.Start, Target: "web", Spec: spec},
		{Method: fake.Exec, Target: "web", Exec: backend.Exec{Command: []string{"true"}}},
	}
	if diff := cmp.Diff(want, b.Mutations()); diff != "" {
		t.Errorf("the mutations (-want +got):\n%s", diff)
	}
	if got := b.Count(fake.Inspect); got != 2 {
		t.Errorf("inspect was called %d times", got)
	}
	b.ResetCalls()
	if calls := b.Calls(); len(calls) > 0 {
		t.Errorf("after a reset there are %v", calls)
	}
}
