package backendtest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// What a harness that says nothing else means.
const (
	defaultDeadline     = 2 * time.Minute
	defaultMany         = 8
	defaultMemoryUnitMB = 16
)

// suite is one run of the contract.
type suite struct {
	backend.Backend
	Commands

	harness Harness
	engine  backend.Engine
	prefix  string
	counter atomic.Int64

	shared shared

	mu   sync.Mutex
	refs []string
}

// context returns the context of a case.
func (s *suite) context(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), s.harness.Deadline, errors.New("the backend hangs"))
	t.Cleanup(cancel)
	return ctx
}

// name returns a new name for a container or a checkpoint. No name begins with
// another one.
func (s *suite) name() string { return fmt.Sprintf("%s%04d", s.prefix, s.counter.Add(1)) }

// spec returns the definition of a container of the base image that runs argv.
func (s *suite) spec(argv []string) backend.Spec {
	return backend.Spec{Name: s.name(), Image: s.harness.Images.Base, Entrypoint: argv[:1], Command: argv[1:]}
}

// restored returns the definition of a container that runs argv, or what the
// artifact says if argv is nil.
func (s *suite) restored(artifact backend.Artifact, argv []string) backend.Spec {
	spec := backend.Spec{Name: s.name(), From: &artifact}
	if argv != nil {
		spec.Entrypoint, spec.Command = argv[:1], argv[1:]
	}
	return spec
}

// create makes a container that the end of the case removes.
func (s *suite) create(t *testing.T, spec backend.Spec) backend.Container {
	t.Helper()
	s.removeLater(t, spec.Name)
	c, err := s.Create(s.context(t), spec)
	if err != nil {
		t.Fatalf("create: %v", err)
	}
	return c
}

// removeLater removes a container, which may not even be there, when the case
// ends.
func (s *suite) removeLater(t *testing.T, name string) {
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), s.harness.Deadline)
		defer cancel()
		if err := s.Remove(ctx, name); err != nil {
			t.Errorf("clean up: %v", err)
		}
	})
}

// start makes a container and starts it. A host port that somebody else took
// since it was chosen is chosen again.
func (s *suite) start(t *testing.T, spec backend.Spec) backend.Container {
	t.Helper()
	for range 5 {
		c := s.create(t, spec)
		err := s.Start(s.context(t), c.ID, spec)
		if errors.Is(err, backend.ErrPortTaken) && len(spec.Ports) > 0 {
			spec.Name = s.name()
			for i := range spec.Ports {
				spec.Ports[i].Host = freePort(t)
			}
			continue
		}
		if err != nil {
			t.Fatalf("start: %v", err)
		}
		return s.inspect(t, c.ID)
	}
	t.Fatal("start: five times a free port was taken before it could be used")
	panic("unreachable")
}

// memory returns a number of small amounts of memory, in MiB.
func (s *suite) memory(units int64) int64 { return units * s.harness.MemoryUnitMB }

// relay makes a container with a Relay that can be told what to do.
func (s *suite) relay(t *testing.T, spec backend.Spec) backend.Container {
	t.Helper()
	argv := s.Relay()
	spec.Entrypoint, spec.Command = argv[:1], argv[1:]
	c := s.start(t, spec)
	s.awaitLine(t, c.ID, "ready", 1)
	return c
}

// output runs a container to its end and returns what it printed.
func (s *suite) output(t *testing.T, spec backend.Spec) string {
	t.Helper()
	c := s.start(t, spec)
	exit := s.wait(t, c.ID)
	text := s.logs(t, c.ID, backend.LogOptions{})
	if exit.Code != 0 {
		t.Fatalf("the process ended with %d and printed %q", exit.Code, text)
	}
	return text
}

func (s *suite) wait(t *testing.T, id string) backend.Exit {
	t.Helper()
	exit, err := s.Wait(s.context(t), id)
	if err != nil {
		t.Fatalf("wait: %v", err)
	}
	return exit
}

func (s *suite) stop(t *testing.T, id string) {
	t.Helper()
	if err := s.Stop(s.context(t), id, backend.DefaultStopTimeout); err != nil {
		t.Fatalf("stop: %v", err)
	}
}

func (s *suite) remove(t *testing.T, id string) {
	t.Helper()
	if err := s.Remove(s.context(t), id); err != nil {
		t.Fatalf("remove: %v", err)
	}
}

func (s *suite) inspect(t *testing.T, id string) backend.Container {
	t.Helper()
	c, err := s.Inspect(s.context(t), id)
	if err != nil {
		t.Fatalf("inspect: %v", err)
	}
	return c
}

// exec runs a command that must succeed and returns what it printed.
func (s *suite) exec(t *testing.T, id string, argv []string) string {
	t.Helper()
	code, stdout, stderr := s.run(t, id, backend.Exec{Command: argv})
	if code != 0 {
		t.Fatalf("%q ended with %d and printed %q to standard error", argv, code, stderr)
	}
	return stdout
}

// quit makes a container's Relay end. How the command ends that tells it to is
// of no matter: the end of the container may come first and take it along.
func (s *suite) quit(t *testing.T, id string, code int) {
	t.Helper()
	_, _ = s.Exec(s.context(t), id, backend.Exec{Command: s.Quit(code)})
}

// run runs a command, however it ends.
func (s *suite) run(t *testing.T, id string, cmd backend.Exec) (code int, stdout, stderr string) {
	t.Helper()
	var out, diagnostics strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &diagnostics
	code, err := s.Exec(s.context(t), id, cmd)
	if err != nil {
		t.Fatalf("run %q: %v", cmd.Command, err)
	}
	return code, out.String(), diagnostics.String()
}

// write replaces a file in a running container.
func (s *suite) write(t *testing.T, id, path, text string) {
	t.Helper()
	s.exec(t, id, s.WriteFile(path, text))
}

// wantFile compares a file in a running container.
func (s *suite) wantFile(t *testing.T, id, path, want string) {
	t.Helper()
	if got := s.exec(t, id, s.ReadFile(path)); got != want {
		t.Errorf("%s holds %q, want %q", path, got, want)
	}
}

// wantNoFile checks that a file is not in a running container.
func (s *suite) wantNoFile(t *testing.T, id, path string) {
	t.Helper()
	if code, content, _ := s.run(t, id, backend.Exec{Command: s.ReadFile(path)}); code == 0 {
		t.Errorf("%s is there and holds %q", path, content)
	}
}

func (s *suite) logs(t *testing.T, id string, opts backend.LogOptions) string {
	t.Helper()
	stream, err := s.Logs(s.context(t), id, opts)
	if err != nil {
		t.Fatalf("logs: %v", err)
	}
	defer stream.Close()
	text, err := io.ReadAll(stream)
	if err != nil {
		t.Fatalf("logs: %v", err)
	}
	return string(text)
}

// awaitLine follows a container's log until a line was there n times.
func (s *suite) awaitLine(t *testing.T, id, line string, n int) {
	t.Helper()
	if err := s.readLines(s.context(t), id, line, n); err != nil {
		t.Fatal(err)
	}
}

// readLines is awaitLine for what belongs to no case.
func (s *suite) readLines(ctx context.Context, id, line string, n int) error {
	stream, err := s.Logs(ctx, id, backend.LogOptions{Follow: true})
	if err != nil {
		return fmt.Errorf("logs: %w", err)
	}
	defer stream.Close()
	var seen []string
	for scanner := bufio.NewScanner(stream); scanner.Scan(); {
		seen = append(seen, scanner.Text())
		if len(slices.DeleteFunc(slices.Clone(seen), func(l string) bool { return l != line })) == n {
			return nil
		}
	}
	return fmt.Errorf("the log ended before line %q was there %d times: %q", line, n, seen)
}

// capture keeps a container under a checkpoint's name. The end of the case
// removes the artifact.
func (s *suite) capture(t *testing.T, id, checkpoint string) backend.Artifact {
	t.Helper()
	return s.captureWith(t, id, backend.CaptureOptions{Name: checkpoint})
}

// captureLast is capture for a container that the case needs no more: a backend
// that stops it need not bring it back.
func (s *suite) captureLast(t *testing.T, id, checkpoint string) backend.Artifact {
	t.Helper()
	return s.captureWith(t, id, backend.CaptureOptions{Name: checkpoint, Discard: true})
}

func (s *suite) captureWith(t *testing.T, id string, opts backend.CaptureOptions) backend.Artifact {
	t.Helper()
	artifact, err := s.Capture(s.context(t), id, opts)
	if err != nil {
		t.Fatalf("capture: %v", err)
	}
	s.dropLater(t, opts.Name, artifact.ID)
	return artifact
}

// dropLater removes an artifact, and all that is left under the checkpoint's
// name, when the case ends. What is registered later, such as the removal of
// its copies, is done before.
func (s *suite) dropLater(t *testing.T, checkpoint, artifactID string) {
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), s.harness.Deadline)
		defer cancel()
		if err := s.RemoveArtifact(ctx, artifactID); err != nil {
			t.Errorf("clean up: %v", err)
		}
		if err := s.Collect(ctx, checkpoint, ""); err != nil {
			t.Errorf("clean up: %v", err)
		}
	})
}

// publish makes the checkpoint's name stand for an artifact.
func (s *suite) publish(t *testing.T, checkpoint string, artifact backend.Artifact) (ref string) {
	t.Helper()
	ref, err := s.Publish(s.context(t), checkpoint, artifact)
	if err != nil {
		t.Fatalf("publish: %v", err)
	}
	s.noteRef(ref)
	return ref
}

// noteRef keeps a ref that this run has published.
func (s *suite) noteRef(ref string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refs = append(s.refs, ref)
}

// published says whether this run has published something as ref.
func (s *suite) published(ref string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Contains(s.refs, ref)
}

// wantKind checks that an error is of a kind.
func wantKind(t *testing.T, err, kind error) {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Errorf("the error is %v, want one that is %v", err, kind)
	}
}

// wantField checks that an error names the part of the spec that is at fault.
func wantField(t *testing.T, err error, field backend.Field) {
	t.Helper()
	var failure *backend.Error
	if !errors.As(err, &failure) || failure.Field != field {
		t.Errorf("the error %v does not say that %s is at fault", err, field)
	}
}
