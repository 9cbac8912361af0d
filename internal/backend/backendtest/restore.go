package backendtest

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

var restoreCases = []testCase{
	{"copies side by side are independent", restoreTwice},
	{"a copy has the environment and command of the original", restoreDefaults},
	{"a copy's own environment and command win", restoreOverrides},
	{"a copy was given nothing of what the original was", restoreGiven},
	{"a copy gets files on top", restoreFiles},
	{"a copy keeps its own data over a restart", restoreRestart},
}

func restoreTwice(t *testing.T, s *suite) {
	original := s.relay(t, s.spec(s.Relay()))
	s.write(t, original.ID, "/data", "captured")
	artifact := s.capture(t, original.ID, s.name())
	one := s.relay(t, s.restored(artifact, s.Relay()))
	two := s.relay(t, s.restored(artifact, s.Relay()))
	s.write(t, one.ID, "/data", "one")
	s.write(t, two.ID, "/other", "two")
	s.wantFile(t, one.ID, "/data", "one")
	s.wantFile(t, two.ID, "/data", "captured")
	s.wantFile(t, original.ID, "/data", "captured")
	s.wantNoFile(t, one.ID, "/other")
	three := s.relay(t, s.restored(artifact, s.Relay()))
	s.wantFile(t, three.ID, "/data", "captured")
}

// job returns the artifact of a container that printed a variable.
func (s *suite) job(t *testing.T) backend.Artifact {
	t.Helper()
	spec := s.spec(s.PrintEnv("GREETING"))
	spec.Env = map[string]string{"GREETING": "original", "OTHER": "kept"}
	spec.Labels = map[string]string{"org.example.owner": "original"}
	spec.WorkingDir = "/etc"
	spec.Limits = backend.Limits{MemoryMB: s.memory(4)}
	c := s.start(t, spec)
	s.wait(t, c.ID)
	return s.capture(t, c.ID, s.name())
}

func restoreDefaults(t *testing.T, s *suite) {
	if got := s.output(t, s.restored(s.job(t), nil)); got != "original\n" {
		t.Errorf("the copy printed %q", got)
	}
}

func restoreOverrides(t *testing.T, s *suite) {
	artifact := s.job(t)
	spec := s.restored(artifact, nil)
	spec.Env = map[string]string{"GREETING": "copy"}
	if got := s.output(t, spec); got != "copy\n" {
		t.Errorf("the copy with its own environment printed %q", got)
	}
	if got := s.output(t, s.restored(artifact, s.PrintEnv("OTHER"))); got != "kept\n" {
		t.Errorf("the copy with its own command printed %q", got)
	}
}

func restoreGiven(t *testing.T, s *suite) {
	given := s.create(t, s.restored(s.job(t), nil)).Given
	// How an artifact is named there is the backend's own affair.
	given.Image = ""
	if diff := cmp.Diff(backend.Given{}, given); diff != "" {
		t.Errorf("a copy that was given nothing (-want +got):\n%s", diff)
	}
}

func restoreFiles(t *testing.T, s *suite) {
	original := s.relay(t, s.spec(s.Relay()))
	s.write(t, original.ID, "/data", "captured")
	s.write(t, original.ID, "/other", "captured")
	spec := s.restored(s.captureLast(t, original.ID, s.name()), s.Relay())
	spec.Files = []backend.File{{Path: "/data", Content: []byte("on top")}}
	copied := s.relay(t, spec)
	s.wantFile(t, copied.ID, "/data", "on top")
	s.wantFile(t, copied.ID, "/other", "captured")
}

func restoreRestart(t *testing.T, s *suite) {
	original := s.relay(t, s.spec(s.Relay()))
	s.write(t, original.ID, "/data", "captured")
	spec := s.restored(s.captureLast(t, original.ID, s.name()), s.Relay())
	copied := s.relay(t, spec)
	s.write(t, copied.ID, "/data", "changed")
	s.stop(t, copied.ID)
	if err := s.Start(s.context(t), copied.ID, spec); err != nil {
		t.Fatal(err)
	}
	s.awaitLine(t, copied.ID, "ready", 2)
	s.wantFile(t, copied.ID, "/data", "changed")
}
