package msbtest_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/msbtest"
)

func TestMain(m *testing.M) { msbtest.Main(m) }

// call runs the fake and returns its output and exit code.
func call(t *testing.T, fake *msbtest.Fake, args ...string) (stdout, stderr string, exit int) {
	t.Helper()
	var out, errs strings.Builder
	cmd := exec.CommandContext(t.Context(), fake.Path(), args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run()
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

func TestReplies(t *testing.T) {
	t.Parallel()
	fake := msbtest.New(t)
	fake.Expect("inspect", "web").Stdout("first").Exit(3)
	fake.Expect("inspect", "web").Stderr("second\xff")
	fake.Handle("inspect").Stdout("any")
	fake.Handle("pull").Sample("misc/no-ca-bundle-panic")
	fake.Handle("exec").ExitCode(137)
	type answer struct {
		Stdout, Stderr string
		Exit           int
	}
	panicked := msbtest.Load("misc/no-ca-bundle-panic").Stderr
	for _, test := range []struct {
		args string
		want answer
	}{
		{"inspect web", answer{Stdout: "first", Exit: 3}},
		{"inspect web", answer{Stderr: "second\xff"}},
		{"inspect web", answer{Stdout: "any"}},
		{"inspect db", answer{Stdout: "any"}},
		// It ends by a signal, which is no exit code to Go.
		{"pull app", answer{Stderr: panicked, Exit: -1}},
		{"exec web", answer{Exit: 137}},
	} {
		var got answer
		got.Stdout, got.Stderr, got.Exit = call(t, fake, strings.Fields(test.args)...)
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("msb %s (-want +got):\n%s", test.args, diff)
		}
	}
	want := []string{"inspect web", "inspect web", "inspect web", "inspect db", "pull app", "exec web"}
	if diff := cmp.Diff(want, fake.Lines()); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

// failures stands for a test that must fail.
type failures struct {
	testing.TB
	cleanups []func()
	failed   []string
}

func (f *failures) Helper()          {}
func (f *failures) Cleanup(c func()) { f.cleanups = append(f.cleanups, c) }
func (f *failures) Errorf(format string, _ ...any) {
	f.failed = append(f.failed, strings.TrimSpace(format))
}

func TestFailures(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		prepare func(*msbtest.Fake)
		calls   []string
		want    int
	}{
		"as expected":        {func(f *msbtest.Fake) { f.Expect("ps") }, []string{"ps"}, 0},
		"nothing":            {func(f *msbtest.Fake) { f.Handle("ps") }, nil, 0},
		"a call is missing":  {func(f *msbtest.Fake) { f.Expect("ps") }, nil, 1},
		"a call too many":    {func(f *msbtest.Fake) { f.Expect("ps") }, []string{"ps", "ps"}, 1},
		"other arguments":    {func(f *msbtest.Fake) { f.Expect("ps") }, []string{"ps --all"}, 2},
		"nothing is allowed": {func(*msbtest.Fake) {}, []string{"doctor"}, 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			recorder := &failures{TB: t}
			fake := msbtest.New(recorder)
			test.prepare(fake)
			for _, line := range test.calls {
				call(t, fake, strings.Fields(line)...)
			}
			for _, cleanup := range recorder.cleanups {
				cleanup()
			}
			if len(recorder.failed) != test.want {
				t.Errorf("the test fails %d times, want %d: %q", len(recorder.failed), test.want, recorder.failed)
			}
		})
	}
}
