package backendtest

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// testCase is one promise of the contract.
type testCase struct {
	name string
	run  func(t *testing.T, s *suite)
}

// Run tests that a backend keeps the contract.
func Run(t *testing.T, harness Harness) {
	b := harness.Open(t)
	engine, err := b.Engine(t.Context())
	if err != nil {
		t.Fatalf("the engine does not answer: %v", err)
	}
	harness.Deadline = cmp.Or(harness.Deadline, defaultDeadline)
	harness.Many = cmp.Or(harness.Many, defaultMany)
	harness.MemoryUnitMB = cmp.Or(harness.MemoryUnitMB, defaultMemoryUnitMB)
	s := &suite{Backend: b, Commands: harness.Commands, harness: harness, engine: engine, prefix: newPrefix()}

	cases := slices.Concat(engineCases, lifecycleCases, givenCases, processCases, fileCases, imageCases, portCases,
		execCases, copyFromCases, logCases, waitCases, limitCases, rootCases, concurrencyCases)
	if engine.Capabilities.Checkpoint {
		cases = slices.Concat(cases, captureCases, restoreCases, publishCases, collectCases)
		switch {
		case !engine.Capabilities.CheckpointMemory:
			cases = append(cases, testCase{"memory is unsupported", memoryIsUnsupported})
		case harness.Counter != nil:
			cases = slices.Concat(cases, memoryCases)
		}
		if engine.Capabilities.LayerLimit > 0 {
			cases = slices.Concat(cases, flattenCases)
		}
	} else {
		cases = append(cases, testCase{"capture is unsupported", captureIsUnsupported})
	}
	if engine.Capabilities.Networks {
		cases = slices.Concat(cases, networkCases, attachCases)
	} else {
		cases = append(cases, testCase{"networks are unsupported", networksAreUnsupported})
	}
	// A group, so that what follows runs after the last of its parallel cases.
	t.Run("contract", func(t *testing.T) {
		s.share(t)
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				c.run(t, s)
			})
		}
	})
	t.Run("nothing is left", func(t *testing.T) { nothingIsLeft(t, s) })
}

// newPrefix returns the beginning of every name of a run. It is short, because
// the name of a checkpoint has 41 characters at most.
func newPrefix() string {
	random := make([]byte, 4)
	// It never fails.
	_, _ = rand.Read(random)
	return "bt-" + hex.EncodeToString(random) + "-"
}

func nothingIsLeft(t *testing.T, s *suite) {
	containers, err := s.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range containers {
		if strings.HasPrefix(c.Name, s.prefix) {
			t.Errorf("container %s is left, %s", c.Name, c.State)
		}
	}
	artifacts, err := s.ListArtifacts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range artifacts {
		if s.published(a.Ref) {
			t.Errorf("artifact %s is left, published as %s", a.ID, a.Ref)
		}
	}
	if s.engine.Capabilities.Networks {
		networks, err := s.ListNetworks(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range networks {
			if strings.HasPrefix(n.Name, s.prefix) {
				t.Errorf("network %s is left", n.Name)
			}
		}
	}
	for _, what := range s.harness.Leftovers(t, s.prefix) {
		t.Errorf("%s is left", what)
	}
}

var engineCases = []testCase{
	{"engine identifies itself", func(t *testing.T, s *suite) {
		again, err := s.Engine(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if again != s.engine {
			t.Errorf("the engine is %+v at first and %+v then", s.engine, again)
		}
		if s.engine.ID == "" || s.engine.Version == "" || s.engine.Address == "" {
			t.Errorf("the engine does not say what it is: %+v", s.engine)
		}
		if name := s.Name(); name != backend.Docker && name != backend.Microsandbox {
			t.Errorf("the rightsize libraries know no backend %q", name)
		}
	}},
}
