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
	artifact := s.written(t)
	one := s.relay(t, s.restored(artifact, s.Relay()))
	two := s.relay(t, s.restored(artifact, s.Relay()))
	s.write(t, one.ID, "/data", "one")
	s.write(t, two.ID, "/new", "two")
	s.wantFile(t, one.ID, "/data", "one")
	s.wantFile(t, two.ID, "/data", "captured")
	s.wantNoFile(t, one.ID, "/new")
	three := s.relay(t, s.restored(artifact, s.Relay()))
	s.wantFile(t, three.ID, "/data", "captured")
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
	spec := s.restored(s.written(t), s.Relay())
	spec.Files = []backend.File{{Path: "/data", Content: []byte("on top")}}
	copied := s.relay(t, spec)
	s.wantFile(t, copied.ID, "/data", "on top")
	s.wantFile(t, copied.ID, "/other", "captured")
}

func restoreRestart(t *testing.T, s *suite) {
	spec := s.restored(s.written(t), s.Relay())
	copied := s.relay(t, spec)
	s.write(t, copied.ID, "/data", "changed")
	s.stop(t, copied.ID)
	if err := s.Start(s.context(t), copied.ID, spec); err != nil {
		t.Fatal(err)
	}
	s.awaitLine(t, copied.ID, "ready", 2)
	s.wantFile(t, copied.ID, "/data", "changed")
}
