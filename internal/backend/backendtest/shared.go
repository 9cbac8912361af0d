package backendtest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// shared is what several cases use and none of them changes: to make a container
// is dear on some backends. Each thing is made when the first case asks for it,
// and removed when the last one has ended.
type shared struct {
	group    *testing.T
	resident func() (backend.Container, error)
	written  func() (backend.Artifact, error)
	job      func() (backend.Artifact, error)
	source   [3]func() (backend.Container, error)
}

// share prepares what the cases of a group share.
func (s *suite) share(group *testing.T) {
	s.shared.group = group
	s.shared.resident = sync.OnceValues(func() (backend.Container, error) {
		return s.startShared(s.spec(s.Relay()))
	})
	s.shared.written = sync.OnceValues(func() (backend.Artifact, error) {
		return s.captureWritten()
	})
	s.shared.job = sync.OnceValues(func() (backend.Artifact, error) {
		spec := s.spec(s.PrintEnv("GREETING"))
		spec.Env = map[string]string{"GREETING": "original", "OTHER": "kept"}
		spec.Labels = map[string]string{"org.example.owner": "original"}
		spec.WorkingDir = "/etc"
		spec.Limits = backend.Limits{MemoryMB: s.memory(4)}
		c, err := s.runShared(spec)
		if err != nil {
			return backend.Artifact{}, err
		}
		return s.captureShared(c.ID, false)
	})
	for i := range s.shared.source {
		s.shared.source[i] = sync.OnceValues(func() (backend.Container, error) {
			spec := s.spec(s.Exit(0))
			spec.Files = []backend.File{{Path: "/version", Content: []byte(version(i))}}
			return s.runShared(spec)
		})
	}
}

// need returns something shared, for a case that goes no further without it.
func need[T any](t *testing.T, value func() (T, error)) T {
	t.Helper()
	got, err := value()
	if err != nil {
		t.Fatalf("what several cases share could not be made: %v", err)
	}
	return got
}

// resident returns a Relay that runs. Cases run commands in it that leave nothing
// behind; they neither make it print, nor stop it.
func (s *suite) resident(t *testing.T) backend.Container {
	t.Helper()
	return need(t, s.shared.resident)
}

// written returns an artifact with "captured" in /data and /other. The container
// that wrote it is gone.
func (s *suite) written(t *testing.T) backend.Artifact {
	t.Helper()
	return need(t, s.shared.written)
}

// job returns an artifact of a container that printed a variable.
func (s *suite) job(t *testing.T) backend.Artifact {
	t.Helper()
	return need(t, s.shared.job)
}

// source returns a container that has ended, with [version](i) in /version.
func (s *suite) source(t *testing.T, i int) backend.Container {
	t.Helper()
	return need(t, s.shared.source[i])
}

// version returns the text that tells the sources, and what is captured of them,
// apart.
func version(i int) string { return fmt.Sprintf("version %d", i) }

func (s *suite) sharedContext() (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(context.Background(), s.harness.Deadline, errors.New("the backend hangs"))
}

// startShared starts a Relay.
func (s *suite) startShared(spec backend.Spec) (backend.Container, error) {
	ctx, cancel := s.sharedContext()
	defer cancel()
	s.removeLater(s.shared.group, spec.Name)
	c, err := s.Create(ctx, spec)
	if err == nil {
		err = s.Start(ctx, c.ID, spec)
	}
	if err == nil {
		err = s.readLines(ctx, c.ID, "ready", 1)
	}
	if err != nil {
		return backend.Container{}, err
	}
	return s.Inspect(ctx, c.ID)
}

// runShared runs a container to its end.
func (s *suite) runShared(spec backend.Spec) (backend.Container, error) {
	ctx, cancel := s.sharedContext()
	defer cancel()
	s.removeLater(s.shared.group, spec.Name)
	c, err := s.Create(ctx, spec)
	if err == nil {
		err = s.Start(ctx, c.ID, spec)
	}
	if err == nil {
		_, err = s.Wait(ctx, c.ID)
	}
	if err != nil {
		return backend.Container{}, err
	}
	return s.Inspect(ctx, c.ID)
}

func (s *suite) captureShared(id string, discard bool) (backend.Artifact, error) {
	ctx, cancel := s.sharedContext()
	defer cancel()
	checkpoint := s.name()
	artifact, err := s.Capture(ctx, id, backend.CaptureOptions{Name: checkpoint, Discard: discard})
	if err != nil {
		return backend.Artifact{}, err
	}
	s.dropLater(s.shared.group, checkpoint, artifact.ID)
	// One that no name stands for may go with the last copy of it.
	ref, err := s.Publish(ctx, checkpoint, artifact)
	s.noteRef(ref)
	return artifact, err
}

// captureWritten makes what written returns.
func (s *suite) captureWritten() (backend.Artifact, error) {
	c, err := s.startShared(s.spec(s.Relay()))
	if err != nil {
		return backend.Artifact{}, err
	}
	ctx, cancel := s.sharedContext()
	defer cancel()
	for _, path := range []string{"/data", "/other"} {
		if _, err := s.Exec(ctx, c.ID, backend.Exec{Command: s.WriteFile(path, "captured")}); err != nil {
			return backend.Artifact{}, err
		}
	}
	artifact, err := s.captureShared(c.ID, true)
	if err == nil {
		err = s.Remove(ctx, c.ID)
	}
	return artifact, err
}
