package backendtest

import (
	"testing"
)

var collectCases = []testCase{
	{"collect deletes what was never published, except one", collectUnpublished},
	{"collect leaves other names alone", collectOtherName},
	{"collect leaves what is in use", collectInUse},
	{"collect of an unknown name is no error", collectUnknown},
}

func (s *suite) collect(t *testing.T, checkpoint, keep string) {
	t.Helper()
	if err := s.Collect(s.context(t), checkpoint, keep); err != nil {
		t.Fatalf("collect: %v", err)
	}
}

func collectUnpublished(t *testing.T, s *suite) {
	checkpoint := s.name()
	published := s.version(t, checkpoint, 0)
	kept := s.version(t, checkpoint, 1)
	left := s.version(t, checkpoint, 2)
	ref := s.publish(t, checkpoint, published)

	s.collect(t, checkpoint, kept.ID)
	s.wantGone(t, left)
	s.wantVersion(t, kept, version(1))
	s.wantRef(t, ref, published)

	s.collect(t, checkpoint, published.ID)
	s.wantGone(t, kept)
	s.wantVersion(t, published, version(0))
}

func collectOtherName(t *testing.T, s *suite) {
	checkpoint := s.name()
	longer := checkpoint + "-longer"
	other := s.version(t, longer, 0)
	s.collect(t, checkpoint, "")
	s.wantVersion(t, other, version(0))
}

func collectInUse(t *testing.T, s *suite) {
	checkpoint := s.name()
	artifact := s.version(t, checkpoint, 0)
	c := s.create(t, s.restored(artifact, s.Relay()))
	s.collect(t, checkpoint, "")
	s.wantVersion(t, artifact, version(0))
	s.remove(t, c.ID)
	s.collect(t, checkpoint, "")
}

func collectUnknown(t *testing.T, s *suite) {
	s.collect(t, s.name(), "")
}
