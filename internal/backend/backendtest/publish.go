package backendtest

import (
	"slices"
	"testing"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

var publishCases = []testCase{
	{"publish makes the artifact found by its ref", publishFound},
	{"publish moves the ref and leaves the old artifact", publishMoves},
	{"publish again changes nothing", publishAgain},
	{"publish of an artifact that is gone is not found", publishGone},
	{"remove artifact is idempotent", removeArtifactTwice},
	{"remove artifact leaves a container that runs from it", removeArtifactInUse},
}

// version returns an artifact whose /version holds [version](i).
func (s *suite) version(t *testing.T, checkpoint string, i int) backend.Artifact {
	t.Helper()
	return s.capture(t, s.source(t, i).ID, checkpoint)
}

// wantVersion checks what a copy of an artifact holds.
func (s *suite) wantVersion(t *testing.T, artifact backend.Artifact, want string) {
	t.Helper()
	spec := s.restored(artifact, s.ReadFile("/version"))
	if got := s.output(t, spec); got != want {
		t.Errorf("a copy of %s holds version %q, want %q", artifact.ID, got, want)
	}
	// So that it does not keep the artifact.
	s.remove(t, spec.Name)
}

// wantRef checks what a ref stands for.
func (s *suite) wantRef(t *testing.T, ref string, want backend.Artifact) backend.Artifact {
	t.Helper()
	got, err := s.Artifact(s.context(t), ref)
	if err != nil {
		t.Fatalf("artifact: %v", err)
	}
	if got.ID != want.ID || got.Ref != ref {
		t.Errorf("%s stands for %+v, want %s", ref, got, want.ID)
	}
	return got
}

// wantNoRef checks that a ref stands for nothing.
func (s *suite) wantNoRef(t *testing.T, ref string) {
	t.Helper()
	_, err := s.Artifact(s.context(t), ref)
	wantKind(t, err, backend.ErrNotFound)
	if slices.Contains(s.listed(t), ref) {
		t.Errorf("%s is listed", ref)
	}
}

// listed returns the ref of every published artifact.
func (s *suite) listed(t *testing.T) []string {
	t.Helper()
	artifacts, err := s.ListArtifacts(s.context(t))
	if err != nil {
		t.Fatalf("list artifacts: %v", err)
	}
	var refs []string
	for _, a := range artifacts {
		if a.Ref == "" || a.ID == "" || a.SizeBytes <= 0 || a.CreatedAt.IsZero() {
			t.Errorf("the list has artifact %+v", a)
		}
		refs = append(refs, a.Ref)
	}
	return refs
}

func publishFound(t *testing.T, s *suite) {
	checkpoint := s.name()
	artifact := s.version(t, checkpoint, 1)
	ref := s.publish(t, checkpoint, artifact)
	found := s.wantRef(t, ref, artifact)
	if !found.CreatedAt.Equal(artifact.CreatedAt) || found.SizeBytes != artifact.SizeBytes || found.Layers != artifact.Layers {
		t.Errorf("capture returned %+v, and the ref stands for %+v", artifact, found)
	}
	if !slices.Contains(s.listed(t), ref) {
		t.Errorf("%s is not listed", ref)
	}
	s.wantVersion(t, found, version(1))
}

func publishMoves(t *testing.T, s *suite) {
	checkpoint := s.name()
	one := s.version(t, checkpoint, 1)
	ref := s.publish(t, checkpoint, one)
	one.Ref = ref
	two := s.version(t, checkpoint, 2)
	s.wantRef(t, ref, one)

	moved := s.publish(t, checkpoint, two)
	s.wantRef(t, moved, two)
	// The ref that the caller still has of it says nothing any more: the id does.
	s.wantVersion(t, one, version(1))

	if err := s.RemoveArtifact(s.context(t), one.ID); err != nil {
		t.Fatal(err)
	}
	s.collect(t, checkpoint, two.ID)
	s.wantGone(t, one)
	s.wantRef(t, moved, two)
	s.wantVersion(t, two, version(2))
}

func publishAgain(t *testing.T, s *suite) {
	checkpoint := s.name()
	artifact := s.version(t, checkpoint, 1)
	ref := s.publish(t, checkpoint, artifact)
	if again := s.publish(t, checkpoint, artifact); again != ref {
		t.Errorf("the ref was %s and is %s", ref, again)
	}
	s.wantRef(t, ref, artifact)
}

func publishGone(t *testing.T, s *suite) {
	checkpoint := s.name()
	artifact := s.version(t, checkpoint, 1)
	if err := s.RemoveArtifact(s.context(t), artifact.ID); err != nil {
		t.Fatal(err)
	}
	_, err := s.Publish(s.context(t), checkpoint, artifact)
	wantKind(t, err, backend.ErrNotFound)
}

func removeArtifactTwice(t *testing.T, s *suite) {
	checkpoint := s.name()
	artifact := s.version(t, checkpoint, 1)
	ref := s.publish(t, checkpoint, artifact)
	for range 2 {
		if err := s.RemoveArtifact(s.context(t), artifact.ID); err != nil {
			t.Fatal(err)
		}
		s.wantNoRef(t, ref)
		s.wantGone(t, artifact)
	}
}

func removeArtifactInUse(t *testing.T, s *suite) {
	checkpoint := s.name()
	artifact := s.version(t, checkpoint, 1)
	ref := s.publish(t, checkpoint, artifact)
	running, stopped := s.restored(artifact, s.Relay()), s.restored(artifact, s.Relay())
	one, two := s.relay(t, running), s.relay(t, stopped)
	s.stop(t, two.ID)
	if err := s.RemoveArtifact(s.context(t), artifact.ID); err != nil {
		t.Fatal(err)
	}
	s.wantNoRef(t, ref)

	s.wantFile(t, one.ID, "/version", version(1))
	if err := s.Start(s.context(t), two.ID, stopped); err != nil {
		t.Fatalf("start of a copy whose artifact was removed: %v", err)
	}
	s.awaitLine(t, two.ID, "ready", 2)
	s.wantFile(t, two.ID, "/version", version(1))

	for _, id := range []string{one.ID, two.ID} {
		s.remove(t, id)
	}
	s.collect(t, checkpoint, "")
	s.wantGone(t, artifact)
}
