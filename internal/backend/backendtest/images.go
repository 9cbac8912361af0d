package backendtest

import (
	"strings"
	"testing"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

var imageCases = []testCase{
	{"an image that cannot be pulled is unavailable", imageUnavailable},
	{"an image that may not be pulled is not found", imageNotPulled},
	{"an artifact that is not there is not found", artifactNotThere},
}

func imageUnavailable(t *testing.T, s *suite) {
	for _, policy := range []backend.PullPolicy{"", backend.PullMissing, backend.PullAlways} {
		failCreate(t, s, backend.Spec{Image: s.harness.Images.Missing, PullPolicy: policy}, backend.ErrImageUnavailable, backend.FieldImage)
	}
}

func imageNotPulled(t *testing.T, s *suite) {
	failCreate(t, s, backend.Spec{Image: s.harness.Images.Missing, PullPolicy: backend.PullNever}, backend.ErrNotFound, backend.FieldImage)
}

func artifactNotThere(t *testing.T, s *suite) {
	missing := &backend.Artifact{ID: "sha256:" + strings.Repeat("0", 64)}
	s.wantGone(t, *missing)
}

// failCreate checks how the creation of a container fails, and that it leaves
// nothing behind.
func failCreate(t *testing.T, s *suite, spec backend.Spec, kind error, field backend.Field) {
	t.Helper()
	spec.Name = s.name()
	s.removeLater(t, spec.Name)
	_, err := s.Create(s.context(t), spec)
	wantKind(t, err, kind)
	wantField(t, err, field)
	_, err = s.Inspect(s.context(t), spec.Name)
	wantKind(t, err, backend.ErrNotFound)
}

// wantGone checks that no container can be made from an artifact, and that
// trying leaves nothing behind.
func (s *suite) wantGone(t *testing.T, artifact backend.Artifact) {
	t.Helper()
	spec := s.restored(artifact, s.Relay())
	s.removeLater(t, spec.Name)
	_, err := s.Create(s.context(t), spec)
	wantKind(t, err, backend.ErrNotFound)
	_, err = s.Inspect(s.context(t), spec.Name)
	wantKind(t, err, backend.ErrNotFound)
}
