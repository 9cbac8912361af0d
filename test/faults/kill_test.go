package faults

import (
	"os"
	"testing"
)

// A provider that is killed, at whichever step, costs one more apply.
func TestKill(t *testing.T) {
	onEachEngine(t, func(t *testing.T, e engine) {
		eachInterruption(t, e, func(_ *testing.T, s *stack, sc scenario, point string) {
			if sc.destroys {
				s.killedAt(point, (*stack).destroy)
			} else {
				s.applyKilledAt(point)
			}
			sc.converges(s)
		})
	})
}

func (s *stack) applyKilledAt(point string) {
	s.t.Helper()
	s.killedAt(point, (*stack).apply)
}

// killedAt runs Terraform with a provider that kills itself at the step.
func (s *stack) killedAt(point string, run func(s *stack, args ...string) result) {
	s.t.Helper()
	faulty, reached := s.faulty("RIGHTSIZE_FAULT_KILL", point)
	r := run(faulty)
	if _, err := os.Stat(reached); err != nil {
		s.t.Fatalf("the step %q is not reached:\n%s", point, r.output)
	}
	if r.code == 0 {
		s.t.Fatalf("Terraform succeeds although the provider was killed:\n%s", r.output)
	}
	stepsKilled.Add(1)
}
