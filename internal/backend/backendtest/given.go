package backendtest

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

var givenCases = []testCase{
	{"inspect returns exactly what was given", givenInFull},
	{"inspect returns nothing that was not given", givenNothing},
	{"inspect identifies the image", imageID},
	{"inspect and list return the owner of the container alone", owner},
}

func givenInFull(t *testing.T, s *suite) {
	argv := s.Echo("one")
	spec := s.spec(argv)
	spec.Env = map[string]string{"EMPTY": "", "EQUALS": "a=b", "SPACES": " a  b ", "LINES": "a\nb", "UNICODE": "ä€"}
	spec.WorkingDir = "/etc"
	spec.User = "65534:65534"
	spec.Labels = map[string]string{"org.example.purpose": "contract", "org.example.empty": ""}
	spec.Limits = backend.Limits{MemoryMB: s.memory(4), CPUs: 0.5}
	spec.Ports = []backend.PortBinding{
		{Port: backend.Port{Number: 8080, Protocol: backend.TCP}, Host: freePort(t)},
		{Port: backend.Port{Number: 8080, Protocol: backend.UDP}, Host: freePort(t)},
		{Port: backend.Port{Number: 9090, Protocol: backend.TCP}, Host: freePort(t)},
	}

	spec.Complete = true

	c := s.create(t, spec)
	want := backend.Given{
		Image:        spec.Image,
		Env:          spec.Env,
		Command:      spec.Command,
		Entrypoint:   spec.Entrypoint,
		WorkingDir:   spec.WorkingDir,
		User:         spec.User,
		Labels:       spec.Labels,
		ExposedPorts: []backend.Port{spec.Ports[0].Port, spec.Ports[1].Port, spec.Ports[2].Port},
		Limits:       spec.Limits,
		Complete:     true,
	}
	if diff := cmp.Diff(want, c.Given); diff != "" {
		t.Errorf("what was given does not come back (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(spec.Ports, c.Ports); diff != "" {
		t.Errorf("the published ports do not come back (-want +got):\n%s", diff)
	}
}

func givenNothing(t *testing.T, s *suite) {
	// The image with a volume is the one that a backend may have to replace by
	// another one that it derives.
	for _, image := range []string{s.harness.Images.Base, s.harness.Images.Volume} {
		c := s.create(t, backend.Spec{Name: s.name(), Image: image})
		if diff := cmp.Diff(backend.Given{Image: image}, c.Given); diff != "" {
			t.Errorf("a container of %s that was given nothing (-want +got):\n%s", image, diff)
		}
		if len(c.Ports) > 0 {
			t.Errorf("a container of %s that was given no ports publishes %v", image, c.Ports)
		}
	}
}

func imageID(t *testing.T, s *suite) {
	one := s.resident(t)
	two := s.create(t, s.spec(s.Echo("other")))
	other := s.create(t, backend.Spec{Name: s.name(), Image: s.harness.Images.Volume})
	if one.ImageID == "" || one.ImageID != two.ImageID {
		t.Errorf("two containers of one image have images %q and %q", one.ImageID, two.ImageID)
	}
	if one.ImageID == other.ImageID {
		t.Errorf("containers of two images have one image %q", one.ImageID)
	}
}

// An interrupted operation is found by its token. A container that is restored
// belongs to another operation, and must not be taken for a left-over of the
// one that made what was captured.
func owner(t *testing.T, s *suite) {
	spec := s.spec(s.Relay())
	spec.Owner = "token-of-an-operation"
	made := s.create(t, spec)
	s.wantOwner(t, made, spec.Owner)
	if !s.engine.Capabilities.Checkpoint {
		return
	}
	restored := s.create(t, s.restored(s.captureLast(t, made.ID, s.name()), nil))
	s.wantOwner(t, restored, "")
}

func (s *suite) wantOwner(t *testing.T, c backend.Container, want string) {
	t.Helper()
	if got := s.inspect(t, c.ID).Owner; got != want {
		t.Errorf("inspect: container %s has owner %q, want %q", c.Name, got, want)
	}
	summaries, err := s.List(s.context(t))
	if err != nil {
		t.Fatalf("list: %v", err)
	}
	at := slices.IndexFunc(summaries, func(listed backend.Summary) bool { return listed.ID == c.ID })
	if at < 0 {
		t.Fatalf("list: container %s is missing", c.Name)
	}
	if got := summaries[at].Owner; got != want {
		t.Errorf("list: container %s has owner %q, want %q", c.Name, got, want)
	}
}
