package backendtest

import (
	"slices"
	"testing"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

var captureCases = []testCase{
	{"capture keeps the files of a running container", captureRunning},
	{"capture keeps the data of a declared volume", captureVolume},
	{"capture keeps the files of a stopped container", captureStopped},
	{"capture keeps a container that is not needed afterwards", captureDiscard},
	{"capture of a copy holds what both wrote", captureOfCopy},
	{"capture of a missing container is not found", captureMissing},
	{"capture refuses what it cannot hold and changes nothing", captureRefused},
	{"capture tells its steps", captureProgress},
}

func captureRunning(t *testing.T, s *suite) {
	before := s.relay(t, s.spec(s.Relay()))
	s.write(t, before.ID, "/data", "captured")
	artifact := s.capture(t, before.ID, s.name())
	if artifact.ID == "" || artifact.Ref != "" || artifact.SizeBytes <= 0 || artifact.CreatedAt.IsZero() {
		t.Errorf("the artifact is %+v", artifact)
	}

	after := s.inspect(t, before.ID)
	if after.State != backend.StateRunning {
		t.Errorf("after the capture the container is %s", after.State)
	}
	restarted := !after.StartedAt.Equal(before.StartedAt)
	if want := s.engine.Capabilities.CheckpointRestartsWorkload; restarted != want {
		t.Errorf("the capture started the process again: %t, want %t", restarted, want)
	}
	s.write(t, before.ID, "/data", "later")

	copied := s.relay(t, s.restored(artifact, s.Relay()))
	s.wantFile(t, copied.ID, "/data", "captured")
	s.wantFile(t, before.ID, "/data", "later")
	if copied.ImageID != artifact.ID {
		t.Errorf("the copy says that it is made from %s, want %s", copied.ImageID, artifact.ID)
	}
}

func captureVolume(t *testing.T, s *suite) {
	dir := s.harness.Images.VolumePath
	spec := s.spec(s.Relay())
	spec.Image = s.harness.Images.Volume
	spec.Files = []backend.File{{Path: dir + "/given", Content: []byte("given"), Owner: "1234:5678", Mode: mode(0o640)}}
	c := s.relay(t, spec)
	s.write(t, c.ID, dir+"/written", "written")
	first := s.relay(t, s.restored(s.captureLast(t, c.ID, s.name()), s.Relay()))
	s.wantFile(t, first.ID, dir+"/given", "given")
	s.wantFile(t, first.ID, dir+"/written", "written")
	if got, want := s.exec(t, first.ID, s.Stat(dir+"/given")), "640 1234 5678\n"; got != want {
		t.Errorf("in the copy %s/given is %q, want %q", dir, got, want)
	}

	s.write(t, first.ID, dir+"/written", "again")
	second := s.relay(t, s.restored(s.captureLast(t, first.ID, s.name()), s.Relay()))
	s.wantFile(t, second.ID, dir+"/written", "again")
}

func captureStopped(t *testing.T, s *suite) {
	c := s.source(t, 0)
	artifact := s.capture(t, c.ID, s.name())
	if state := s.inspect(t, c.ID).State; state != backend.StateExited {
		t.Errorf("after the capture the container is %s", state)
	}
	s.wantVersion(t, artifact, version(0))
}

func captureDiscard(t *testing.T, s *suite) {
	copied := s.relay(t, s.restored(s.written(t), s.Relay()))
	s.wantFile(t, copied.ID, "/data", "captured")
}

func captureOfCopy(t *testing.T, s *suite) {
	first := s.written(t)
	copied := s.relay(t, s.restored(first, s.Relay()))
	s.write(t, copied.ID, "/second", "2")
	second := s.captureLast(t, copied.ID, s.name())
	if first.ID == second.ID {
		t.Fatalf("two captures of other content are both %s", first.ID)
	}
	if first.Layers > 0 && second.Layers <= first.Layers {
		t.Errorf("the capture of a copy has %d layers, what it was copied from %d", second.Layers, first.Layers)
	}
	last := s.relay(t, s.restored(second, s.Relay()))
	s.wantFile(t, last.ID, "/data", "captured")
	s.wantFile(t, last.ID, "/second", "2")
}

func captureMissing(t *testing.T, s *suite) {
	_, err := s.Capture(s.context(t), s.name(), backend.CaptureOptions{Name: s.name()})
	wantKind(t, err, backend.ErrNotFound)
}

func captureRefused(t *testing.T, s *suite) {
	checkpoint := s.name()
	name := s.name()
	s.removeLater(t, name)
	s.harness.MakeUncapturable(t, name)
	before := s.inspect(t, name)
	_, err := s.Capture(s.context(t), name, backend.CaptureOptions{Name: checkpoint})
	wantKind(t, err, backend.ErrUncapturable)
	after := s.inspect(t, name)
	if after.State != backend.StateRunning || !after.StartedAt.Equal(before.StartedAt) {
		t.Errorf("the capture that failed left the container %s, started at %s", after.State, after.StartedAt)
	}
	if left := s.harness.Leftovers(t, checkpoint); len(left) > 0 {
		t.Errorf("the capture that failed left %q", left)
	}
}

func captureProgress(t *testing.T, s *suite) {
	checkpoint := s.name()
	var steps []string
	artifact, err := s.Capture(s.context(t), s.source(t, 0).ID, backend.CaptureOptions{
		Name:     checkpoint,
		Progress: func(step string) { steps = append(steps, step) },
	})
	if err != nil {
		t.Fatal(err)
	}
	s.dropLater(t, checkpoint, artifact.ID)
	if len(steps) == 0 || slices.Contains(steps, "") {
		t.Errorf("the steps are %q", steps)
	}
}

func captureIsUnsupported(t *testing.T, s *suite) {
	c := s.relay(t, s.spec(s.Relay()))
	_, err := s.Capture(s.context(t), c.ID, backend.CaptureOptions{Name: s.name()})
	wantKind(t, err, backend.ErrUnsupported)
}
