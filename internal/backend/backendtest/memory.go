package backendtest

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// memoryCases are for a backend with CheckpointMemory.
var memoryCases = []testCase{
	{"memory goes on in copies side by side", memoryGoesOn},
	{"memory of a copy is as large as what was captured", memoryOfAnotherSize},
	{"memory of what does not run cannot be captured", memoryNotRunning},
}

// countFile is where a counter keeps its number.
const countFile = "/count"

// counted returns the number that a counter has reached.
func (s *suite) counted(t *testing.T, id string) int {
	t.Helper()
	text := s.exec(t, id, s.ReadFile(countFile))
	n, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil {
		t.Fatalf("the counter has left %q", text)
	}
	return n
}

// awaitCount waits until a counter is beyond a number.
func (s *suite) awaitCount(t *testing.T, id string, beyond int) int {
	t.Helper()
	for deadline := time.Now().Add(s.harness.Deadline); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		if n := s.counted(t, id); n > beyond {
			return n
		}
	}
	t.Fatalf("the counter does not go on beyond %d", beyond)
	panic("unreachable")
}

func memoryGoesOn(t *testing.T, s *suite) {
	spec := s.spec(s.harness.Counter(countFile))
	spec.Limits.MemoryMB = s.memory(4)
	source := s.start(t, spec)
	s.awaitCount(t, source.ID, 0)
	const many = 50
	before := s.awaitCount(t, source.ID, many)
	artifact := s.captureWith(t, source.ID, backend.CaptureOptions{Name: s.name(), Memory: true})
	if artifact.Memory == nil || artifact.Memory.MemoryMB != s.memory(4) || artifact.Memory.CPUs <= 0 || artifact.Memory.Engine == "" {
		t.Errorf("its memory is %+v", artifact.Memory)
	}
	if artifact.Pause <= 0 {
		t.Error("nobody knows how long the container stood still")
	}
	t.Logf("the container stood still for %s, and %d bytes were kept", artifact.Pause, artifact.SizeBytes)
	s.awaitCount(t, source.ID, before)

	one, two := s.start(t, s.restored(artifact, nil)), s.start(t, s.restored(artifact, nil))
	for _, c := range []backend.Container{one, two} {
		// A process that had begun anew would count from one on.
		if n := s.awaitCount(t, c.ID, before); n > before+1000*many {
			t.Errorf("the copy has counted to %d already, from %d on", n, before)
		}
	}
	s.write(t, one.ID, countFile+".quit", "")
	if exit := s.wait(t, one.ID); exit.Code != 5 {
		t.Errorf("the process of a copy ended with %d, want 5", exit.Code)
	}
	s.awaitCount(t, two.ID, s.counted(t, two.ID))

	s.write(t, two.ID, "/written", "on disk")
	s.stop(t, two.ID)
	if err := s.Start(s.context(t), two.ID, s.restored(artifact, nil)); err != nil {
		t.Fatalf("start: %v", err)
	}
	s.wantFile(t, two.ID, "/written", "on disk")
	if n := s.counted(t, two.ID); n >= before {
		t.Errorf("after a stop the counter is at %d, as if its memory had been kept", n)
	}
}

func memoryOfAnotherSize(t *testing.T, s *suite) {
	artifact := s.captureWith(t, s.start(t, s.spec(s.harness.Counter(countFile))).ID, backend.CaptureOptions{Name: s.name(), Memory: true})
	spec := s.restored(artifact, nil)
	spec.Limits.MemoryMB = artifact.Memory.MemoryMB + s.memory(1)
	s.removeLater(t, spec.Name)
	_, err := s.Create(s.context(t), spec)
	if failure, ok := errors.AsType[*backend.Error](err); !ok || !errors.Is(err, backend.ErrUnsupported) || failure.Field != backend.FieldLimits {
		t.Errorf("create with %d MiB: %v", spec.Limits.MemoryMB, err)
	}
	if _, err := s.Inspect(s.context(t), spec.Name); !errors.Is(err, backend.ErrNotFound) {
		t.Errorf("it was made: %v", err)
	}
}

func memoryNotRunning(t *testing.T, s *suite) {
	artifact, err := s.Capture(s.context(t), s.source(t, 0).ID, backend.CaptureOptions{Name: s.name(), Memory: true})
	if err == nil || artifact.ID != "" {
		t.Errorf("capture = %+v, %v, want an error", artifact, err)
	}
}

// memoryIsUnsupported is for a backend without.
func memoryIsUnsupported(t *testing.T, s *suite) {
	name := s.name()
	artifact, err := s.Capture(s.context(t), s.resident(t).ID, backend.CaptureOptions{Name: name, Memory: true})
	failure, ok := errors.AsType[*backend.Error](err)
	if artifact.ID != "" || !ok || !errors.Is(err, backend.ErrUnsupported) || failure.Remedy == "" {
		t.Errorf("capture = %+v, %v, want ErrUnsupported with a remedy", artifact, err)
	}
	if state := s.inspect(t, s.resident(t).ID).State; state != backend.StateRunning {
		t.Errorf("the container is %s afterwards", state)
	}
}
