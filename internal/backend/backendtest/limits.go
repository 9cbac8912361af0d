package backendtest

import (
	"testing"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

var limitCases = []testCase{
	{"limits change in place", limitsChange},
}

func limitsChange(t *testing.T, s *suite) {
	spec := s.spec(s.Relay())
	spec.Limits = backend.Limits{MemoryMB: s.memory(4), CPUs: 0.5}
	c := s.relay(t, spec)
	// Up, down, one of them gone, both of them gone, and from none.
	for _, limits := range []backend.Limits{
		{MemoryMB: s.memory(16), CPUs: 1}, {MemoryMB: s.memory(2), CPUs: 0.25}, {MemoryMB: s.memory(3)}, {}, {MemoryMB: s.memory(6), CPUs: 0.75},
	} {
		if err := s.Update(s.context(t), c.ID, limits); err != nil {
			t.Fatalf("update to %+v: %v", limits, err)
		}
		after := s.inspect(t, c.ID)
		if after.Given.Limits != limits {
			t.Errorf("after an update to %+v the limits are %+v", limits, after.Given.Limits)
		}
		if after.ID != c.ID {
			t.Error("the update made another container")
		}
		restarted := !after.StartedAt.Equal(c.StartedAt)
		if want := s.engine.Capabilities.LimitsRestartWorkload; restarted != want {
			t.Errorf("the update started the process again: %t, want %t", restarted, want)
		}
	}
}
