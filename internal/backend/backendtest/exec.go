package backendtest

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

var execCases = []testCase{
	{"exec returns the exit code", execCodes},
	{"exec keeps standard output and standard error apart", execStreams},
	{"exec discards output that nobody wants", execDiscards},
	{"exec sends input", execInput},
	{"exec does not wait for input that is not read", execInputUnread},
	{"exec has the container's environment and its own", execEnv},
	{"exec runs as a user in a directory", execUserAndDir},
	{"exec in a container that does not run fails", execNotRunning},
	{"exec ends when its context does", execCancelled},
}

func execCodes(t *testing.T, s *suite) {
	c := s.resident(t)
	for _, want := range []int{0, 3, 127, 255} {
		if code, _, _ := s.run(t, c.ID, backend.Exec{Command: s.Exit(want)}); code != want {
			t.Errorf("the command ended with %d, want %d", code, want)
		}
	}
	// As in a shell 127 would be right, but Docker Engine (20.10) says 126.
	if code, _, _ := s.run(t, c.ID, backend.Exec{Command: s.Missing()}); code != 126 && code != 127 {
		t.Errorf("a command that is not there ended with %d, want 126 or 127", code)
	}
}

func execStreams(t *testing.T, s *suite) {
	c := s.resident(t)
	if _, stdout, stderr := s.run(t, c.ID, backend.Exec{Command: s.Echo("out")}); stdout != "out\n" || stderr != "" {
		t.Errorf("standard output is %q and standard error %q", stdout, stderr)
	}
	if _, stdout, stderr := s.run(t, c.ID, backend.Exec{Command: s.EchoError("err")}); stdout != "" || stderr != "err\n" {
		t.Errorf("standard output is %q and standard error %q", stdout, stderr)
	}
	if got := s.logs(t, c.ID, backend.LogOptions{}); got != "ready\n" {
		t.Errorf("what commands print is in the container's log: %q", got)
	}
}

func execDiscards(t *testing.T, s *suite) {
	c := s.resident(t)
	for _, argv := range [][]string{s.Echo("out"), s.EchoError("err")} {
		if code, err := s.Exec(s.context(t), c.ID, backend.Exec{Command: argv}); code != 0 || err != nil {
			t.Errorf("%q ended with %d and %v", argv, code, err)
		}
	}
}

func execInput(t *testing.T, s *suite) {
	c := s.resident(t)
	// More than any pipe in between holds.
	input := strings.Repeat("0123456789abcde\n", 1<<16)
	_, stdout, _ := s.run(t, c.ID, backend.Exec{Command: s.Cat(), Stdin: strings.NewReader(input)})
	if stdout != input {
		t.Errorf("%d bytes came back, want %d, or other ones", len(stdout), len(input))
	}
	if _, stdout, _ := s.run(t, c.ID, backend.Exec{Command: s.Cat()}); stdout != "" {
		t.Errorf("without input the command read %q", stdout)
	}
}

func execInputUnread(t *testing.T, s *suite) {
	c := s.resident(t)
	input, open := io.Pipe()
	defer open.Close()
	if code, _, _ := s.run(t, c.ID, backend.Exec{Command: s.Exit(3), Stdin: input}); code != 3 {
		t.Errorf("the command ended with %d, want 3", code)
	}
}

func execEnv(t *testing.T, s *suite) {
	spec := s.spec(s.Relay())
	spec.Env = map[string]string{"BOTH": "container", "CONTAINER": "container"}
	c := s.relay(t, spec)
	env := map[string]string{"BOTH": "exec", "EXEC": "a=b c"}
	for name, want := range map[string]string{"CONTAINER": "container\n", "BOTH": "exec\n", "EXEC": "a=b c\n"} {
		if _, got, _ := s.run(t, c.ID, backend.Exec{Command: s.PrintEnv(name), Env: env}); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

func execUserAndDir(t *testing.T, s *suite) {
	c := s.resident(t)
	if _, got, _ := s.run(t, c.ID, backend.Exec{Command: s.PrintUserID(), User: "65534"}); got != "65534\n" {
		t.Errorf("the user is %q", got)
	}
	if _, got, _ := s.run(t, c.ID, backend.Exec{Command: s.PrintUserID(), User: "root"}); got != "0\n" {
		t.Errorf("the user is %q", got)
	}
	if _, got, _ := s.run(t, c.ID, backend.Exec{Command: s.PrintWorkingDir(), WorkingDir: "/etc"}); got != "/etc\n" {
		t.Errorf("the working directory is %q", got)
	}
}

func execNotRunning(t *testing.T, s *suite) {
	spec := s.spec(s.Relay())
	c := s.create(t, spec)
	if code, err := s.Exec(s.context(t), c.ID, backend.Exec{Command: s.Exit(0)}); err == nil {
		t.Errorf("in a container that was never started the command ended with %d", code)
	} else if errors.Is(err, backend.ErrNotFound) {
		t.Errorf("the container is there, but the error says otherwise: %v", err)
	}
}

func execCancelled(t *testing.T, s *suite) {
	c := s.resident(t)
	ctx, cancel := context.WithCancel(s.context(t))
	defer cancel()
	input, feed := io.Pipe()
	defer feed.Close()
	output, echo := io.Pipe()
	defer output.Close()

	ended := make(chan error, 1)
	go func() {
		_, err := s.Exec(ctx, c.ID, backend.Exec{Command: s.Cat(), Stdin: input, Stdout: echo})
		ended <- err
	}()
	// A backend that does not send the input, or ends, must not make this wait.
	defer context.AfterFunc(s.context(t), func() {
		input.CloseWithError(context.DeadlineExceeded)
		echo.CloseWithError(context.DeadlineExceeded)
	})()
	// The command runs once it gives back what it is sent.
	if _, err := feed.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(output, make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	cancel()
	wantCancelled(t, s, ended)
	if state := s.inspect(t, c.ID).State; state != backend.StateRunning {
		t.Errorf("the container is %s", state)
	}
}

// wantCancelled checks that a call ends, and says why, after its context did.
func wantCancelled(t *testing.T, s *suite, ended <-chan error) {
	t.Helper()
	select {
	case err := <-ended:
		wantKind(t, err, context.Canceled)
	case <-s.context(t).Done():
		t.Fatal("it goes on although its context has ended")
	}
}
