package msb_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/msb"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/msbtest"
)

// TestExecCode tells the exit code of a command from a failure of msb itself,
// which come by the same way.
func TestExecCode(t *testing.T) {
	t.Parallel()
	const notFound = "error: failed to exec \"x\"\n  → not found: spawn \"x\": No such file or directory (os error 2) (ENOENT)\n"
	tests := map[string]struct {
		sandbox, sample string
		stderr          string
		exit            int
		want            int
		err             error
		fails           bool
	}{
		"success":                      {sample: "exec/ok"},
		"exit code of the command":     {sample: "exec/exit5", want: 5},
		"command not found":            {sample: "exec/not-found", want: 127},
		"command not executable":       {sample: "exec/not-executable", want: 126},
		"streamed command not found":   {sample: "exec/stream-not-found", want: 127},
		"streamed, not executable":     {sample: "exec/stream-not-executable", want: 126},
		"streamed, in no directory":    {sample: "exec/stream-bad-workdir", want: 127},
		"streamed as no user":          {sample: "exec/stream-bad-user", err: msb.ErrInvalid, fails: true},
		"working directory not there":  {sample: "exec/bad-workdir", want: 127},
		"command killed by a signal":   {sample: "exec/signal-killed", want: 255},
		"no such user":                 {sample: "exec/bad-user", err: msb.ErrInvalid, fails: true},
		"no such group":                {sample: "exec/bad-group", err: msb.ErrInvalid, fails: true},
		"no users at all":              {sample: "sandbox/run-foreground-no-passwd", err: msb.ErrInvalid, fails: true},
		"no such sandbox":              {sandbox: "nope", sample: "exec/missing-sandbox", err: msb.ErrNotFound, fails: true},
		"sandbox in its boot":          {sandbox: "k1", sample: "exec/starting-sandbox", err: msb.ErrStarting, fails: true},
		"sandbox that does not boot":   {sandbox: "box", sample: "exec/stopped-sandbox-boot-failed", err: msb.ErrBoot, fails: true},
		"took too long":                {sample: "exec/timeout", err: msb.ErrTimeout, fails: true},
		"VM died":                      {sample: "exec/vm-died", err: msb.ErrVMDied, fails: true},
		"VM died in the midst of text": {stderr: "50% doneerror: runtime error: exec session ended without exit event\n", exit: 1, err: msb.ErrVMDied, fails: true},
		"VM died after other errors":   {stderr: "error: of the guest\n  → x\nerror: runtime error: exec session ended without exit event\n", exit: 1, err: msb.ErrVMDied, fails: true},
		"locked state":                 {sample: "misc/state-locked", err: msb.ErrLocked, fails: true},
		"newer state":                  {sample: "misc/schema-newer-than-binary", err: msb.ErrSchemaNewer, fails: true},
		"broken configuration":         {sample: "misc/bad-config-json", err: msb.ErrInvalid, fails: true},
		"flag that msb does not know": {
			stderr: "error: unexpected argument '--stream' found\n\nUsage: msb exec [OPTIONS] <NAME> [-- <COMMAND>...]\n\nFor more information, try '--help'.\n",
			exit:   2, err: msb.ErrUsage, fails: true,
		},

		// Commands speak of errors too.
		"command that reports an error":       {stderr: "error: could not compile\n", exit: 1, want: 1},
		"command that reports with causes":    {stderr: "error: could not compile\n  → because\n", exit: 1, want: 1},
		"command that says what msb says":     {stderr: "error: sandbox not found: w1\nbut I go on\n", exit: 1, want: 1},
		"command that misses another sandbox": {stderr: "error: sandbox not found: other\n", exit: 1, want: 1},
		"command that quotes msb":             {stderr: "app: error: runtime error: x\n", exit: 1, want: 1},
		"command with a usage error":          {sandbox: "w1", stderr: "error: unexpected argument\n\nUsage: tool [OPTIONS]\n\nFor more information, try '--help'.\n", exit: 2, want: 2},
		"command that is msb":                 {sandbox: "w1", stderr: msbtest.Load("misc/usage-error-unknown-flag").Stderr, exit: 2, want: 2},
		"command that runs a missing one":     {stderr: notFound, exit: 3, want: 3},
		"command that ends with 127 itself":   {stderr: "sh: 1: x: not found\n", exit: 127, want: 127},
		"command that ends with 134":          {stderr: "Aborted\n", exit: 134, want: 134},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sandbox := test.sandbox
			if sandbox == "" {
				sandbox = "w1"
			}
			client, fake := newClient(t)
			reply := fake.Handle("exec").Stderr(test.stderr)
			switch {
			case test.sample != "":
				reply.Sample(test.sample)
			case test.exit > 128:
				// The code of a guest's command, not a signal to msb.
				reply.ExitCode(test.exit)
			default:
				reply.Exit(test.exit)
			}
			var stderr strings.Builder
			code, err := client.Exec(t.Context(), sandbox, msb.Exec{Command: []string{"cmd"}, Stderr: &stderr})
			if (err != nil) != test.fails || !errors.Is(err, test.err) {
				t.Fatalf("Exec() failed with %v, want %v", err, test.err)
			}
			if code != test.want {
				t.Errorf("Exec() = %d, want %d", code, test.want)
			}
			want := test.stderr
			if test.sample != "" {
				want = msbtest.Load(test.sample).Stderr
			}
			if stderr.String() != want {
				t.Errorf("standard error is %q, want %q", stderr.String(), want)
			}
		})
	}
}

// TestExecKilled is about the program that is killed instead of the command.
func TestExecKilled(t *testing.T) {
	t.Parallel()
	client, fake := newClient(t)
	fake.Handle("exec").Exit(128 + 9)
	code, err := client.Exec(t.Context(), "web", msb.Exec{Command: []string{"cmd"}})
	var failure *msb.Error
	if !errors.As(err, &failure) || failure.Exit != 137 || !strings.Contains(failure.Message, "killed") {
		t.Errorf("Exec() = %d, %v, want an error that names the signal", code, err)
	}
}

func TestExecStreams(t *testing.T) {
	t.Parallel()
	client, fake := newClient(t)
	// More than a pipe holds, and more than is kept of standard error.
	big := strings.Repeat("0123456789abcdef", 20_000)
	fake.Handle("exec").ReadStdin().Stdout("\x00\xff" + big).Stderr("e" + big)
	var stdout, stderr bytes.Buffer
	code, err := client.Exec(t.Context(), "web", msb.Exec{
		Command: []string{"cat"}, Stdin: strings.NewReader("in" + big), Stdout: &stdout, Stderr: &stderr,
	})
	if code != 0 || err != nil {
		t.Fatalf("Exec() = %d, %v", code, err)
	}
	for stream, equal := range map[string]bool{
		"standard input":  string(onlyCall(t, fake).Stdin) == "in"+big,
		"standard output": stdout.String() == "\x00\xff"+big,
		"standard error":  stderr.String() == "e"+big,
	} {
		if !equal {
			t.Errorf("%s did not arrive as it was", stream)
		}
	}
}

// TestExecWithoutStdin would hang if msb inherited an open stream.
func TestExecWithoutStdin(t *testing.T) {
	t.Parallel()
	client, fake := newClient(t)
	fake.Handle("exec").ReadStdin()
	if code, err := client.Exec(t.Context(), "web", msb.Exec{Command: []string{"cat"}}); code != 0 || err != nil {
		t.Fatalf("Exec() = %d, %v", code, err)
	}
	if got := onlyCall(t, fake).Stdin; len(got) != 0 {
		t.Errorf("the command has read %q", got)
	}
}

// TestExecEndsBeforeItsStdin is about a reader that neither ends nor fails.
func TestExecEndsBeforeItsStdin(t *testing.T) {
	t.Parallel()
	client, fake := newClient(t)
	fake.Handle("exec").Exit(3)
	never, writer := io.Pipe()
	defer writer.Close()
	code, err := client.Exec(t.Context(), "web", msb.Exec{Command: []string{"true"}, Stdin: never})
	if code != 3 || err != nil {
		t.Errorf("Exec() = %d, %v, want 3", code, err)
	}
}

// TestExecWriterFails is about output that has nowhere to go.
func TestExecWriterFails(t *testing.T) {
	t.Parallel()
	client, fake := newClient(t)
	fake.Handle("exec").Stdout("text")
	full := errors.New("no space left")
	_, err := client.Exec(t.Context(), "web", msb.Exec{Command: []string{"true"}, Stdout: failingWriter{full}})
	if !errors.Is(err, full) {
		t.Errorf("Exec() = %v, want %v", err, full)
	}
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

func TestExecRefused(t *testing.T) {
	t.Parallel()
	client, _ := newClient(t)
	for name, cmd := range map[string]msb.Exec{
		"no command":           {},
		"an argument with NUL": {Command: []string{"a", "\x00"}},
		"a bad variable":       {Command: []string{"a"}, Env: map[string]string{"a=": "b"}},
	} {
		if _, err := client.Exec(t.Context(), "web", cmd); !errors.Is(err, msb.ErrInvalid) {
			t.Errorf("Exec with %s = %v, want ErrInvalid", name, err)
		}
		if err := client.Detach("web", cmd, nil); !errors.Is(err, msb.ErrInvalid) {
			t.Errorf("Detach with %s = %v, want ErrInvalid", name, err)
		}
	}
}

// TestDetach is about a command that must outlive the provider, with its
// secrets where they belong.
func TestDetach(t *testing.T) {
	t.Parallel()
	client, fake := newClient(t)
	fake.Handle("exec").ReadStdin().Stdout("lost").Stderr("lost").Exit(1)
	alive, err := os.Create(filepath.Join(t.TempDir(), "alive"))
	if err != nil {
		t.Fatal(err)
	}
	defer alive.Close()
	cmd := msb.Exec{Command: []string{"workload", "arg"}, User: "root", Env: map[string]string{"TOKEN": "s3cret"}}
	if err := client.Detach("web", cmd, alive); err != nil {
		t.Fatal(err)
	}
	call := fake.WaitForCall("exec")
	if got, want := strings.Join(call.Args, " "), "exec --stream --user=root --env=TOKEN web -- workload arg"; got != want {
		t.Errorf("arguments are %q, want %q", got, want)
	}
	if call.Env["TOKEN"] != "s3cret" || call.Env["MSB_HOME"] != fake.Home() {
		t.Errorf("the environment lacks something: %v", call.Env)
	}
	if call.Dir != "/" {
		t.Errorf("it runs in %s, which it would keep busy", call.Dir)
	}
	if !call.Group || !call.Session {
		t.Errorf("it has a process group of its own: %t, a session: %t; want both", call.Group, call.Session)
	}
}

func TestDetachWithoutProgram(t *testing.T) {
	t.Parallel()
	client := msb.New(msb.Config{Path: filepath.Join(t.TempDir(), "msb")})
	if err := client.Detach("web", msb.Exec{Command: []string{"true"}}, nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Detach() = %v, want os.ErrNotExist", err)
	}
}
