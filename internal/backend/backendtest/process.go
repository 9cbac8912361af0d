package backendtest

import (
	"strings"
	"testing"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

var processCases = []testCase{
	{"the process gets its environment", processEnv},
	{"the process gets entrypoint and command", processCommand},
	{"the process gets its working directory", processWorkingDir},
	{"the process gets its user", processUser},
	{"standard error is part of the log", processStderr},
}

func processEnv(t *testing.T, s *suite) {
	spec := s.spec(s.PrintEnv("GREETING"))
	spec.Env = map[string]string{"GREETING": "hello = \"world\" $HOME"}
	if got, want := s.output(t, spec), spec.Env["GREETING"]+"\n"; got != want {
		t.Errorf("the process printed %q, want %q", got, want)
	}
}

func processCommand(t *testing.T, s *suite) {
	spec := s.spec(s.Echo("one"))
	spec.Entrypoint = s.Echo("one")
	spec.Command = []string{"two words", "*", ""}
	if got, want := s.output(t, spec), "one two words * \n"; got != want {
		t.Errorf("the process printed %q, want %q", got, want)
	}
}

func processWorkingDir(t *testing.T, s *suite) {
	spec := s.spec(s.PrintWorkingDir())
	spec.WorkingDir = "/etc"
	if got := s.output(t, spec); got != "/etc\n" {
		t.Errorf("the process runs in %q", got)
	}
}

func processUser(t *testing.T, s *suite) {
	spec := s.spec(s.PrintUserID())
	spec.User = "65534"
	if got := s.output(t, spec); got != "65534\n" {
		t.Errorf("the process runs as %q", got)
	}
}

func processStderr(t *testing.T, s *suite) {
	c := s.start(t, s.spec(s.EchoError("on the wrong side")))
	s.wait(t, c.ID)
	if got := s.logs(t, c.ID, backend.LogOptions{}); !strings.Contains(got, "on the wrong side\n") {
		t.Errorf("the log is %q", got)
	}
}
