package backendtest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// flattenCases are for backends whose artifacts have layers.
var flattenCases = []testCase{
	{"a flattened capture is one layer and keeps the files", flattenFiles},
	{"a flattened capture keeps what the container was made with", flattenConfig},
	{"a flattened capture keeps the data of a declared volume", flattenVolume},
	{"a flattened capture of a copy holds what both wrote", flattenCopy},
}

// flattened is capture for an artifact of one layer.
func (s *suite) flattened(t *testing.T, id string) backend.Artifact {
	t.Helper()
	artifact := s.captureWith(t, id, backend.CaptureOptions{Name: s.name(), Flatten: true})
	if artifact.Layers != 1 {
		t.Errorf("the flattened artifact has %d layers", artifact.Layers)
	}
	if artifact.ID == "" || artifact.Ref != "" || artifact.SizeBytes <= 0 || artifact.CreatedAt.IsZero() {
		t.Errorf("the artifact is %+v", artifact)
	}
	return artifact
}

func flattenFiles(t *testing.T, s *suite) {
	tree := t.TempDir()
	if err := os.WriteFile(filepath.Join(tree, "file"), []byte("of the tree"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("file", filepath.Join(tree, "link")); err != nil {
		t.Fatal(err)
	}
	spec := s.spec(s.Relay())
	spec.Files = []backend.File{
		{Path: "/given", Content: []byte("given"), Owner: "1234:5678", Mode: mode(0o640)},
		{Path: "/tree", Source: tree},
	}
	before := s.relay(t, spec)
	s.write(t, before.ID, "/written", "captured")
	artifact := s.flattened(t, before.ID)
	if after := s.inspect(t, before.ID); after.State != backend.StateRunning {
		t.Errorf("after the capture the container is %s", after.State)
	}
	s.write(t, before.ID, "/written", "later")

	copied := s.relay(t, s.restored(artifact, s.Relay()))
	s.wantFile(t, copied.ID, "/written", "captured")
	s.wantFile(t, copied.ID, "/given", "given")
	if got, want := s.exec(t, copied.ID, s.Stat("/given")), "640 1234 5678\n"; got != want {
		t.Errorf("in the copy /given is %q, want %q", got, want)
	}
	// A link, and not a copy of what it leads to.
	s.write(t, copied.ID, "/tree/file", "changed")
	s.wantFile(t, copied.ID, "/tree/link", "changed")
}

func flattenConfig(t *testing.T, s *suite) {
	spec := s.spec(s.Echo("of", "the"))
	spec.Command = append(spec.Command, "original")
	spec.Env = map[string]string{"GREETING": "two words, a \"quote\", a $dollar\nand a line", "EMPTY": ""}
	spec.WorkingDir, spec.User = "/etc", "1234"
	c := s.start(t, spec)
	s.wait(t, c.ID)
	artifact := s.flattened(t, c.ID)
	for name, tt := range map[string]struct {
		argv []string
		want string
	}{
		"entry point and command": {nil, "of the original\n"},
		"environment":             {s.PrintEnv("GREETING"), spec.Env["GREETING"] + "\n"},
		"empty variable":          {s.PrintEnv("EMPTY"), "\n"},
		"working directory":       {s.PrintWorkingDir(), "/etc\n"},
		"user":                    {s.PrintUserID(), "1234\n"},
	} {
		if got := s.output(t, s.restored(artifact, tt.argv)); got != tt.want {
			t.Errorf("%s: the copy printed %q, want %q", name, got, tt.want)
		}
	}
}

func flattenVolume(t *testing.T, s *suite) {
	dir := s.harness.Images.VolumePath
	spec := s.spec(s.Relay())
	spec.Image = s.harness.Images.Volume
	c := s.relay(t, spec)
	s.write(t, c.ID, dir+"/written", "written")
	first := s.relay(t, s.restored(s.flattened(t, c.ID), s.Relay()))
	s.wantFile(t, first.ID, dir+"/written", "written")

	s.write(t, first.ID, dir+"/written", "again")
	second := s.relay(t, s.restored(s.captureLast(t, first.ID, s.name()), s.Relay()))
	s.wantFile(t, second.ID, dir+"/written", "again")
}

func flattenCopy(t *testing.T, s *suite) {
	original := s.relay(t, s.spec(s.Relay()))
	s.write(t, original.ID, "/first", "1")
	s.write(t, original.ID, "/dropped", "1")
	copied := s.relay(t, s.restored(s.captureLast(t, original.ID, s.name()), s.Relay()))
	s.write(t, copied.ID, "/second", "2")
	s.write(t, copied.ID, "/dropped", "2")
	flat := s.flattened(t, copied.ID)
	last := s.relay(t, s.restored(flat, s.Relay()))
	s.wantFile(t, last.ID, "/first", "1")
	s.wantFile(t, last.ID, "/second", "2")
	s.wantFile(t, last.ID, "/dropped", "2")

	s.write(t, last.ID, "/third", "3")
	onTop := s.captureLast(t, last.ID, s.name())
	if onTop.Layers != 2 {
		t.Errorf("a capture of a copy of one layer has %d layers", onTop.Layers)
	}
}
