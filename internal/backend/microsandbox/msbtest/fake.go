package msbtest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Fake is an msb of one test. Calls of it may run in parallel.
type Fake struct {
	t   testing.TB
	dir string

	mu    sync.Mutex
	rules int
}

// New returns an msb that expects no call. At the end of the test it fails for
// each call that nothing answered, and for each expected one that was not made.
func New(t testing.TB) *Fake {
	t.Helper()
	f := &Fake{t: t, dir: t.TempDir()}
	self, err := os.Executable()
	if err == nil {
		err = os.Symlink(self, f.Path())
	}
	if err != nil {
		t.Fatalf("make a fake msb: %v", err)
	}
	for _, dir := range []string{rulesDir, usedDir, callsDir, homeDir} {
		if err := os.Mkdir(filepath.Join(f.dir, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(f.check)
	return f
}

// Path is the program.
func (f *Fake) Path() string { return filepath.Join(f.dir, program) }

// Home is an empty directory to be its MSB_HOME.
func (f *Fake) Home() string { return filepath.Join(f.dir, homeDir) }

// Expect answers the next call with exactly these arguments, and only that
// one. Two of the same arguments answer two calls in this order.
func (f *Fake) Expect(args ...string) *Reply {
	f.t.Helper()
	return f.add(rule{Args: args, Once: true})
}

// Handle answers every call whose arguments begin with these, unless one that
// was added before does. The calls need not be made.
func (f *Fake) Handle(args ...string) *Reply {
	f.t.Helper()
	return f.add(rule{Args: args})
}

func (f *Fake) add(r rule) *Reply {
	f.t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rules++
	reply := &Reply{fake: f, file: fmt.Sprintf("%06d", f.rules), rule: r}
	reply.save()
	return reply
}

// Call is a call that was made.
type Call struct {
	Args []string
	// Env is its whole environment.
	Env map[string]string
	// Stdin is what it read, if its reply says that it reads.
	Stdin []byte
	// Dir is the directory it was run in.
	Dir string
	// Group says that it was the leader of a process group of its own, Session
	// that it was that of a session.
	Group, Session bool
	// Answered says that there was a reply to it.
	Answered bool
}

// String is the call as in a shell.
func (c Call) String() string { return "msb " + strings.Join(c.Args, " ") }

// Calls returns the calls so far, in the order in which they began.
func (f *Fake) Calls() []Call {
	f.t.Helper()
	calls, err := readCalls(f.dir)
	if err != nil {
		f.t.Fatal(err)
	}
	return calls
}

// Lines returns the calls so far, each as one string without the name of the
// program.
func (f *Fake) Lines() []string {
	f.t.Helper()
	var lines []string
	for _, call := range f.Calls() {
		lines = append(lines, strings.Join(call.Args, " "))
	}
	return lines
}

// patience bounds how long a call that a test waits for may take to begin. It
// is never reached unless the test fails.
const patience = 30 * time.Second

// WaitForCall returns once a call has begun whose arguments begin with these.
func (f *Fake) WaitForCall(args ...string) Call {
	f.t.Helper()
	// What a process writes to a directory can only be polled for.
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		for _, call := range f.Calls() {
			if hasPrefix(call.Args, args) {
				return call
			}
		}
	}
	// Not Fatal: tests wait in goroutines of their own.
	f.t.Errorf("there was no call msb %s", strings.Join(args, " "))
	return Call{}
}

// WaitForFile returns once a file or directory is there that a call makes.
func (f *Fake) WaitForFile(path string) {
	f.t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if _, err := os.Lstat(path); err == nil {
			return
		}
	}
	f.t.Errorf("%s was not made", path)
}

func (f *Fake) check() {
	for _, call := range f.Calls() {
		if !call.Answered {
			f.t.Errorf("nobody expected the call %s", call)
		}
	}
	rules, err := readRules(f.dir)
	if err != nil {
		f.t.Error(err)
	}
	for _, r := range rules {
		if _, err := os.Stat(filepath.Join(f.dir, usedDir, r.file)); r.Once && err != nil {
			f.t.Errorf("the call msb %s was expected and not made", strings.Join(r.Args, " "))
		}
	}
}

// hasPrefix says whether a call begins with these arguments.
func hasPrefix(args, prefix []string) bool {
	return len(args) >= len(prefix) && slices.Equal(args[:len(prefix)], prefix)
}

// Reply is what a call answers: nothing, and exit code 0, until told otherwise.
// It holds for calls made after it was told.
type Reply struct {
	fake *Fake
	file string
	rule rule
}

// Sample answers what the real msb did.
func (r *Reply) Sample(name string) *Reply {
	sample := Load(name)
	r.rule.Stdout, r.rule.Stderr = []byte(sample.Stdout), []byte(sample.Stderr)
	r.rule.Exit, r.rule.Literal = sample.Exit, false
	return r.save()
}

// Stdout is written to standard output.
func (r *Reply) Stdout(s string) *Reply {
	r.rule.Stdout = []byte(s)
	return r.save()
}

// Stderr is written to standard error.
func (r *Reply) Stderr(s string) *Reply {
	r.rule.Stderr = []byte(s)
	return r.save()
}

// Exit is the exit code. One above 128 is what a shell makes of a signal, and
// the program ends by that signal.
func (r *Reply) Exit(code int) *Reply {
	r.rule.Exit, r.rule.Literal = code, false
	return r.save()
}

// ExitCode is the exit code, also if it is one above 128: that of a command in
// a sandbox.
func (r *Reply) ExitCode(code int) *Reply {
	r.rule.Exit, r.rule.Literal = code, true
	return r.save()
}

// ReadStdin reads standard input to its end before anything is answered.
func (r *Reply) ReadStdin() *Reply {
	r.rule.ReadStdin = true
	return r.save()
}

// Mkdir makes a directory before anything is answered.
func (r *Reply) Mkdir(dir string) *Reply {
	r.rule.Mkdir = dir
	return r.save()
}

// WaitFor answers once there is a file or directory of that path.
func (r *Reply) WaitFor(path string) *Reply {
	r.rule.WaitFor = path
	return r.save()
}

// Shell has a script for a shell answer, with the arguments of the call as its
// own. It inherits the call's streams, its environment and its files.
func (r *Reply) Shell(script string) *Reply {
	r.rule.Shell = script
	return r.save()
}

// Hang never ends by itself after it has answered. A signal ends it.
func (r *Reply) Hang() *Reply {
	r.rule.Hang = true
	return r.save()
}

// Stubborn ignores every signal that can be ignored.
func (r *Reply) Stubborn() *Reply {
	r.rule.Stubborn = true
	return r.save()
}

// Straggler starts a process that holds the standard streams open and outlives
// the call. It also holds the file open for writing, which may be a pipe,
// and makes one of the same name and ".started" when it does.
func (r *Reply) Straggler(file string) *Reply {
	r.rule.Straggler = file
	return r.save()
}

func (r *Reply) save() *Reply {
	r.fake.t.Helper()
	data, err := json.Marshal(r.rule)
	if err == nil {
		err = replaceFile(filepath.Join(r.fake.dir, rulesDir, r.file), data)
	}
	if err != nil {
		r.fake.t.Fatal(err)
	}
	return r
}
