package backendtest

import (
	"errors"
	"strconv"
	"sync"
	"testing"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

var concurrencyCases = []testCase{
	{"one of many creations gets the name", concurrentName},
	{"many containers start and are captured at a time", concurrentLives},
	{"many copies of one artifact start at a time", concurrentCopies},
	{"many captures of one container differ", concurrentCaptures},
}

// concurrently runs fn many times at a time. Unlike its caller, fn must not use
// t.Fatal and what does.
func (s *suite) concurrently(fn func(i int)) {
	var group sync.WaitGroup
	for i := range s.harness.Many {
		group.Go(func() { fn(i) })
	}
	group.Wait()
}

func concurrentName(t *testing.T, s *suite) {
	spec := s.spec(s.Relay())
	s.removeLater(t, spec.Name)
	ctx := s.context(t)
	errs := make([]error, s.harness.Many)
	s.concurrently(func(i int) { _, errs[i] = s.Create(ctx, spec) })
	created := 0
	for _, err := range errs {
		if err == nil {
			created++
		} else if !errors.Is(err, backend.ErrNameTaken) {
			t.Errorf("the error is %v, want one that is %v", err, backend.ErrNameTaken)
		}
	}
	if created != 1 {
		t.Errorf("%d containers got the name", created)
	}
}

func concurrentLives(t *testing.T, s *suite) {
	s.needCheckpoints(t)
	ctx := s.context(t)
	specs, artifacts := make([]backend.Spec, s.harness.Many), make([]backend.Artifact, s.harness.Many)
	for i := range specs {
		specs[i] = s.spec(s.Exit(0))
		specs[i].Files = []backend.File{{Path: "/version", Content: []byte(strconv.Itoa(i))}}
		s.removeLater(t, specs[i].Name)
	}
	errs := make([]error, s.harness.Many)
	s.concurrently(func(i int) {
		c, err := s.Create(ctx, specs[i])
		if err == nil {
			err = s.Start(ctx, c.ID, specs[i])
		}
		if err == nil {
			_, err = s.Wait(ctx, c.ID)
		}
		if err == nil {
			artifacts[i], err = s.Capture(ctx, c.ID, backend.CaptureOptions{Name: specs[i].Name})
		}
		errs[i] = err
	})
	for i, artifact := range artifacts {
		if artifact.ID != "" {
			s.dropLater(t, specs[i].Name, artifact.ID)
		}
	}
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	for i, artifact := range artifacts {
		s.wantVersion(t, artifact, strconv.Itoa(i))
	}
}

func concurrentCopies(t *testing.T, s *suite) {
	s.needCheckpoints(t)
	ctx := s.context(t)
	artifact := s.version(t, s.name(), 1)
	specs, errs := make([]backend.Spec, s.harness.Many), make([]error, s.harness.Many)
	for i := range specs {
		specs[i] = s.restored(artifact, s.ReadFile("/version"))
		s.removeLater(t, specs[i].Name)
	}
	s.concurrently(func(i int) {
		c, err := s.Create(ctx, specs[i])
		if err == nil {
			err = s.Start(ctx, c.ID, specs[i])
		}
		errs[i] = err
	})
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	for _, spec := range specs {
		if exit := s.wait(t, spec.Name); exit.Code != 0 {
			t.Errorf("a copy ended with %d", exit.Code)
		}
		if got := s.logs(t, spec.Name, backend.LogOptions{}); got != version(1) {
			t.Errorf("a copy holds version %q", got)
		}
	}
}

func concurrentCaptures(t *testing.T, s *suite) {
	s.needCheckpoints(t)
	ctx := s.context(t)
	c := s.relay(t, s.spec(s.Relay()))
	s.write(t, c.ID, "/version", "1")
	checkpoints, artifacts, errs := make([]string, s.harness.Many), make([]backend.Artifact, s.harness.Many), make([]error, s.harness.Many)
	for i := range checkpoints {
		checkpoints[i] = s.name()
	}
	s.concurrently(func(i int) {
		artifacts[i], errs[i] = s.Capture(ctx, c.ID, backend.CaptureOptions{Name: checkpoints[i]})
	})
	ids := make(map[string]bool)
	for i, artifact := range artifacts {
		if artifact.ID != "" {
			s.dropLater(t, checkpoints[i], artifact.ID)
			ids[artifact.ID] = true
		}
	}
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	if len(ids) != s.harness.Many {
		t.Errorf("%d captures made %d artifacts", s.harness.Many, len(ids))
	}
	if state := s.inspect(t, c.ID).State; state != backend.StateRunning {
		t.Errorf("after the captures the container is %s", state)
	}
}

func (s *suite) needCheckpoints(t *testing.T) {
	t.Helper()
	if !s.engine.Capabilities.Checkpoint {
		t.Skip("this engine has no checkpoints")
	}
}
