package faults

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/rightsize/terraform-provider-rightsize/internal/faultpoint"
)

// eachInterruption runs a test for each step of each scenario, and for a sample
// of them on a second engine: what is interrupted is the provider. In the reduced
// form that has only what its image store does in another way.
func eachInterruption(t *testing.T, e engine, test func(t *testing.T, s *stack, sc scenario, point string)) {
	t.Helper()
	for name, sc := range scenarios {
		chosen := sc.points
		if reduced() || e != defaultEngine() {
			chosen = reducedPoints[name]
		}
		if reduced() && e != defaultEngine() && !sc.stores {
			continue
		}
		for _, point := range chosen {
			t.Run(name+"/"+point, func(t *testing.T) {
				t.Parallel()
				if sc.ephemeral {
					requireEphemeral(t)
				}
				s := newStack(t, e)
				if sc.before != nil {
					sc.before(s)
				}
				s.write(sc.config(s))
				test(t, s, sc, point)
			})
		}
	}
}

// A step that no scenario interrupts would be one of which nothing is known.
func TestEveryStepIsInterrupted(t *testing.T) {
	t.Parallel()
	for _, point := range faultpoint.All() {
		found := false
		for _, all := range []map[string]scenario{scenarios, microVMScenarios()} {
			for _, sc := range all {
				found = found || slices.Contains(sc.points, string(point))
			}
		}
		if !found {
			t.Errorf("no scenario is interrupted at %q", point)
		}
	}
}

// converges applies what was interrupted, looks whether that reaches the
// configured state, destroys it and looks for left-overs.
func (sc scenario) converges(s *stack) {
	s.t.Helper()
	if !sc.destroys && !sc.lasting {
		s.wantExpiring()
	}
	if sc.kept {
		s.wantSomeCheckpoint()
	}
	s.mustApply()
	sc.check(s)
	s.mustDestroy()
	s.nothingLeft()
}

// requireEphemeral skips a test where Terraform is older than ephemeral
// resources.
func requireEphemeral(t *testing.T) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), terraformPath, "version").Output()
	if err != nil {
		t.Fatal(err)
	}
	var name string
	var major, minor int
	if _, err := fmt.Sscanf(string(out), "%s v%d.%d", &name, &major, &minor); err != nil {
		t.Fatalf("%q is no version: %v", out, err)
	}
	if since := map[string]int{"Terraform": 10, "OpenTofu": 11}[name]; major == 1 && minor < since {
		t.Skipf("%s 1.%d knows no ephemeral resources, which come with 1.%d", name, minor, since)
	}
}

// faultsCLI builds the provider whose steps can be interrupted.
var faultsCLI = sync.OnceValues(func() (string, error) { return buildProvider("faults", "faults") })

// faulty returns the stack with the provider whose steps can be interrupted,
// and the file that is there as soon as the step is reached.
func (s *stack) faulty(env, point string) (*stack, string) {
	s.t.Helper()
	cli, err := faultsCLI()
	if err != nil {
		s.t.Fatal(err)
	}
	other := *s
	reached := filepath.Join(s.t.TempDir(), "reached")
	other.cli = cli
	other.env = append(slices.Clone(s.env), env+"="+point, "RIGHTSIZE_FAULT_REACHED="+reached)
	return &other, reached
}
