package backendtest

import (
	"testing"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

var rootCases = []testCase{
	{"a disk is bounded, or that is unsupported", boundedDisk},
	{"a root in memory is not captured, or is unsupported", rootInMemory},
	{"a container without a network runs commands", noNetwork},
}

// createIf is create for what an engine may be unable to do; it must then say
// so, and leave nothing.
func (s *suite) createIf(t *testing.T, spec backend.Spec, field backend.Field) (c backend.Container, ok bool) {
	t.Helper()
	s.removeLater(t, spec.Name)
	c, err := s.Create(s.context(t), spec)
	if err == nil {
		return c, true
	}
	wantKind(t, err, backend.ErrUnsupported)
	wantField(t, err, field)
	_, err = s.Inspect(s.context(t), spec.Name)
	wantKind(t, err, backend.ErrNotFound)
	return backend.Container{}, false
}

func boundedDisk(t *testing.T, s *suite) {
	spec := s.spec(s.Relay())
	spec.DiskMB = 128
	c, ok := s.createIf(t, spec, backend.FieldDiskLimit)
	if !ok {
		return
	}
	if c.Given.DiskMB != spec.DiskMB {
		t.Errorf("the disk has %d MiB, want %d", c.Given.DiskMB, spec.DiskMB)
	}
}

func rootInMemory(t *testing.T, s *suite) {
	spec := s.spec(s.Relay())
	spec.TmpfsRootMB = 64
	spec.Files = []backend.File{{Path: "/given", Content: []byte("of the spec")}}
	c, ok := s.createIf(t, spec, backend.FieldTmpfsRoot)
	if !ok {
		return
	}
	if c.Given.TmpfsRootMB != spec.TmpfsRootMB {
		t.Errorf("the root is in %d MiB of memory, want %d", c.Given.TmpfsRootMB, spec.TmpfsRootMB)
	}
	if err := s.Start(s.context(t), c.ID, spec); err != nil {
		t.Fatal(err)
	}
	s.wantFile(t, c.ID, "/given", "of the spec")
	if s.engine.Capabilities.Checkpoint {
		_, err := s.Capture(s.context(t), c.ID, backend.CaptureOptions{Name: s.name()})
		wantKind(t, err, backend.ErrUncapturable)
		if state := s.inspect(t, c.ID).State; state != backend.StateRunning {
			t.Errorf("after a capture that was refused it is %s", state)
		}
	}
	if s.engine.Capabilities.LimitsRestartWorkload {
		err := s.Update(s.context(t), c.ID, backend.Limits{MemoryMB: s.memory(4)})
		wantKind(t, err, backend.ErrUnsupported)
		wantField(t, err, backend.FieldLimits)
		if after := s.inspect(t, c.ID); after.State != backend.StateRunning || after.Given.Limits != (backend.Limits{}) {
			t.Errorf("after an update that was refused it is %s with limits %+v", after.State, after.Given.Limits)
		}
	}
	s.stop(t, c.ID)
	if err := s.Start(s.context(t), c.ID, spec); err != nil {
		t.Fatal(err)
	}
	s.wantFile(t, c.ID, "/given", "of the spec")
}

func noNetwork(t *testing.T, s *suite) {
	spec := s.spec(s.Relay())
	spec.NetworkDisabled = true
	c := s.relay(t, spec)
	s.wantNoNetwork(t, c)
	s.write(t, c.ID, "/data", "captured")
	if !s.engine.Capabilities.Checkpoint {
		return
	}
	copied := s.restored(s.capture(t, c.ID, s.name()), s.Relay())
	copied.NetworkDisabled = true
	c = s.relay(t, copied)
	s.wantNoNetwork(t, c)
	s.wantFile(t, c.ID, "/data", "captured")
}

func (s *suite) wantNoNetwork(t *testing.T, c backend.Container) {
	t.Helper()
	if !c.Given.NetworkDisabled || len(c.Ports) > 0 {
		t.Errorf("without a network: %t, published: %v", c.Given.NetworkDisabled, c.Ports)
	}
}
