package faults

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// checkpointOf is a checkpoint whose data is given.
func (s *stack) checkpointOf(data, lifecycle string) string {
	return fmt.Sprintf(`
resource "rightsize_checkpoint" "it" {
  name     = %q
  triggers = { data = %[3]q }
  seed = {
    image       = %[2]q
    pull_policy = "never"
    exec        = [{ command = ["sh", "-c", "echo %[3]s > /srv/data"] }]
  }
  %[4]s
}
output "artifact" { value = rightsize_checkpoint.it.artifact_id }
`, s.name, s.image, data, lifecycle)
}

// copyOf is a container that runs from what the stack's checkpoint holds at the
// time of its creation.
func (s *stack) copyOf(checkpoint string) string {
	return fmt.Sprintf(`
resource "rightsize_container" "copy" {
  name            = "%s-copy"
  from_checkpoint = %s
}
`, s.name, checkpoint)
}

// libraryCaptures captures under the stack's name as a rightsize library does on
// Docker: it drops the old one, commits to the name, and rewrites the entry.
func (s *stack) libraryCaptures(t *testing.T, data string) {
	t.Helper()
	e, ref := s.engine, "rightsize/checkpoint:"+s.name
	source := s.name + "-library"
	e.docker(t, "run", "-d", "--name", source, "--entrypoint", "sh", s.image, "-c", "mkdir /data; echo "+data+" > /data/it; sleep 600")
	defer e.docker(t, "rm", "-f", "-v", source)
	_, _ = e.tryDocker("rmi", ref)
	e.docker(t, "commit", source, ref)
	entry := map[string]any{
		"name": s.name, "ref": ref, "backend": "docker", "createdIso": "2026-01-02T03:04:05.678Z",
		"spec": map[string]any{"env": map[string]string{}, "command": nil, "exposedPorts": []int{}, "memoryLimitMb": nil},
	}
	text, err := json.Marshal(entry)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(s.cacheDir+"/checkpoints", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.entryPath(s.name), text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// forgetLibrary removes what libraryCaptures has made, as that library would.
func (s *stack) forgetLibrary(t *testing.T) {
	t.Helper()
	s.engine.docker(t, "rmi", "rightsize/checkpoint:"+s.name)
	if err := os.Remove(s.entryPath(s.name)); err != nil {
		t.Fatal(err)
	}
}

func (s *stack) wantData(t *testing.T, want string) {
	t.Helper()
	if got := s.restored(t); got != want {
		checkpointsLost.Add(1)
		t.Errorf("the checkpoint holds %q, want %q", got, want)
	}
}

func (s *stack) wantArtifacts(t *testing.T, want int) {
	t.Helper()
	if got := s.artifacts(); len(got) != want {
		t.Errorf("there are %d artifacts, want %d: %v", len(got), want, got)
	}
}

// identityCases each bring about that what state names is not what the name
// stands for, or not all that there is.
var identityCases = map[string]func(t *testing.T, s *stack){
	"create_before_destroy": func(t *testing.T, s *stack) {
		const lifecycle = "lifecycle {\n    create_before_destroy = true\n    replace_triggered_by  = [terraform_data.version]\n  }"
		version := func(v string) string {
			return s.checkpointOf(v, lifecycle) + "resource \"terraform_data\" \"version\" {\n  input = \"" + v + "\"\n}\n"
		}
		s.write(version("one"))
		s.mustApply()
		s.write(version("two"))
		if r := s.plan(); !strings.Contains(r.output, "create replacement and then destroy") {
			t.Errorf("the plan does not replace:\n%s", r.output)
		}
		s.mustApply()
		s.wantData(t, "two")
		s.wantArtifacts(t, 1)
		s.mustDestroy()
	},
	"two stacks": func(t *testing.T, s *stack) {
		other := s.sibling()
		s.write(s.checkpointOf("one", ""))
		s.mustApply()
		other.write(s.checkpointOf("two", ""))
		other.mustApply()
		s.wantData(t, "two")
		// The loser is told who holds the name, before anything is done.
		if r := s.plan(); r.code != 2 || !strings.Contains(r.output, "Checkpoint Was Replaced") {
			t.Errorf("the plan of the loser ended with %d:\n%s", r.code, r.output)
		}
		s.mustDestroy()
		s.wantData(t, "two")
		other.mustPlanNothing()
		other.mustDestroy()
	},
	"two stacks, in turn": func(t *testing.T, s *stack) {
		other := s.sibling()
		s.write(s.checkpointOf("one", ""))
		s.mustApply()
		other.write(s.checkpointOf("two", ""))
		other.mustApply()
		s.mustApply()
		s.wantData(t, "one")
		s.wantArtifacts(t, 1)
		other.mustDestroy()
		s.wantData(t, "one")
		s.mustPlanNothing()
		s.mustDestroy()
	},
	"a library captured again": func(t *testing.T, s *stack) {
		s.write(s.checkpointOf("one", ""))
		s.mustApply()
		s.libraryCaptures(t, "theirs")
		if r := s.plan(); r.code != 2 || !strings.Contains(r.output, "Checkpoint Was Replaced") {
			t.Errorf("the plan ended with %d:\n%s", r.code, r.output)
		}
		theirs := s.artifactID(t, s.registered(t))
		s.mustDestroy()
		if got := s.artifactID(t, s.registered(t)); got != theirs {
			checkpointsLost.Add(1)
			t.Errorf("a destroy left %s of the library's %s", got, theirs)
		}
		s.forgetLibrary(t)
	},
	"a library captured again, and so does the stack": func(t *testing.T, s *stack) {
		s.write(s.checkpointOf("one", ""))
		s.mustApply()
		s.libraryCaptures(t, "theirs")
		s.mustApply()
		s.wantData(t, "one")
		s.wantArtifacts(t, 1)
		s.mustDestroy()
	},
	"capture again while copies run": func(t *testing.T, s *stack) {
		s.write(s.checkpointOf("one", ""))
		s.mustApply()
		// Of another stack, which does not follow.
		other := s.sibling()
		other.write(s.copyOf(`"` + s.name + `"`))
		other.mustApply()
		s.write(s.checkpointOf("two", ""))
		s.mustApply()
		s.wantData(t, "two")
		if got := s.engine.docker(t, "exec", s.name+"-copy", "cat", "/srv/data"); got != "one" {
			t.Errorf("the copy that ran holds %q", got)
		}
		// What it runs from has no name any more, and goes with it.
		s.wantArtifacts(t, 2)
		other.mustDestroy()
		s.wantArtifacts(t, 1)
		s.mustDestroy()
	},
	"destroy while copies run": func(t *testing.T, s *stack) {
		s.write(s.checkpointOf("one", ""))
		s.mustApply()
		other := s.sibling()
		other.write(s.copyOf(`"` + s.name + `"`))
		other.mustApply()
		s.mustDestroy()
		if ref := s.registered(t); ref != "" {
			t.Errorf("the name still stands for %s", ref)
		}
		if got := s.engine.docker(t, "exec", s.name+"-copy", "cat", "/srv/data"); got != "one" {
			t.Errorf("the copy that ran holds %q", got)
		}
		other.mustPlanNothing()
		other.mustDestroy()
	},
	"a copy that was stopped while the checkpoint was destroyed": func(t *testing.T, s *stack) {
		s.write(s.checkpointOf("one", ""))
		s.mustApply()
		other := s.sibling()
		other.write(s.copyOf(`"` + s.name + `"`))
		other.mustApply()
		s.engine.docker(t, "stop", "-t", "1", s.name+"-copy")
		s.mustDestroy()
		s.engine.docker(t, "start", s.name+"-copy")
		if got := s.engine.docker(t, "exec", s.name+"-copy", "cat", "/srv/data"); got != "one" {
			t.Errorf("the copy that was stopped holds %q", got)
		}
		other.mustDestroy()
	},
	"the artifact was removed": func(t *testing.T, s *stack) {
		s.write(s.checkpointOf("one", ""))
		s.mustApply()
		s.engine.docker(t, "rmi", "rightsize/checkpoint:"+s.name)
		if r := s.plan(); r.code != 2 || !strings.Contains(r.output, "Checkpoint Is Incomplete") {
			t.Errorf("the plan ended with %d:\n%s", r.code, r.output)
		}
		s.mustApply()
		s.wantData(t, "one")
		s.engine.docker(t, "rmi", "rightsize/checkpoint:"+s.name)
		s.mustDestroy()
	},
	"the entry was removed": func(t *testing.T, s *stack) {
		s.write(s.checkpointOf("one", ""))
		s.mustApply()
		if err := os.Remove(s.entryPath(s.name)); err != nil {
			t.Fatal(err)
		}
		s.mustDestroy()
	},
	"state from a backup": func(t *testing.T, s *stack) {
		s.write(s.checkpointOf("one", ""))
		s.mustApply()
		backup, err := os.ReadFile(s.statePath())
		if err != nil {
			t.Fatal(err)
		}
		s.write(s.checkpointOf("two", ""))
		s.mustApply()
		newer := s.artifacts()
		if err := os.WriteFile(s.statePath(), backup, 0o600); err != nil {
			t.Fatal(err)
		}
		// The old state names what is gone: a destroy keeps the newer capture.
		old := s.sibling()
		old.write(s.checkpointOf("one", ""))
		if err := os.WriteFile(old.statePath(), backup, 0o600); err != nil {
			t.Fatal(err)
		}
		old.mustDestroy()
		s.wantData(t, "two")
		if got := s.artifacts(); !slices.Equal(got, newer) {
			t.Errorf("the artifacts are %v, want %v", got, newer)
		}
		// An apply says so and captures what is configured.
		if r := s.plan(); r.code != 2 || !strings.Contains(r.output, "Checkpoint Was Replaced") {
			t.Errorf("the plan ended with %d:\n%s", r.code, r.output)
		}
		s.mustApply()
		s.wantData(t, "two")
		s.wantArtifacts(t, 1)
		s.mustDestroy()
	},
}

// TestIdentity checks that an update and a destroy touch what state names, and
// nothing else.
func TestIdentity(t *testing.T) {
	onEachEngine(t, func(t *testing.T, e engine) {
		if reduced() && e != defaultEngine() {
			return
		}
		for name, test := range identityCases {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				s := newStack(t, e)
				test(t, s)
				s.nothingLeft()
			})
		}
	})
}
