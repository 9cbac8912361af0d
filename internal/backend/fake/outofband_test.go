package fake_test

import (
	"errors"
	"testing"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/fake"
)

func TestOutOfBandContainer(t *testing.T) {
	t.Parallel()
	b := newBackend(t)
	running(t, b, "web")
	b.ResetCalls()

	b.PauseOutOfBand("web")
	if got := state(t, b, "web"); got != backend.StatePaused {
		t.Errorf("the container is %s", got)
	}
	if _, err := b.Exec(t.Context(), "web", backend.Exec{Command: []string{"true"}}); err == nil {
		t.Error("a command ran in a paused container")
	}
	b.StartOutOfBand("web")
	b.StopOutOfBand("web")
	if exit, err := b.Wait(t.Context(), "web"); err != nil || exit.Code != 0 {
		t.Errorf("the process ended with %+v (%v)", exit, err)
	}
	b.StartOutOfBand("web")
	crash := backend.Exit{Code: 137, OOMKilled: true}
	b.ExitOutOfBand("web", crash)
	if exit, err := b.Wait(t.Context(), "web"); err != nil || exit != crash {
		t.Errorf("the process ended with %+v (%v)", exit, err)
	}
	b.StartOutOfBand("web")
	b.RemoveOutOfBand("web")
	if left := b.Containers(); len(left) > 0 {
		t.Errorf("after the removal there is %v", left)
	}
	if mutations := b.Mutations(); len(mutations) != 1 {
		t.Errorf("beside the one command there are calls %v", mutations)
	}
}

func TestMarks(t *testing.T) {
	t.Parallel()
	b := newBackend(t)
	running(t, b, "web")
	b.MarkForeign("web")
	if c, err := b.Inspect(t.Context(), "web"); err != nil || c.Managed {
		t.Errorf("the container is managed (%v)", err)
	}
	b.MarkUncapturable("web", "/mnt")
	if _, err := b.Capture(t.Context(), "web", backend.CaptureOptions{Name: "data"}); !errors.Is(err, backend.ErrUncapturable) {
		t.Errorf("the error is %v", err)
	}
}

func TestOutOfBandArtifact(t *testing.T) {
	t.Parallel()
	b := newBackend(t)
	running(t, b, "web")
	one, ref := published(t, b, "web", "data")
	two, _ := published(t, b, "web", "other")

	b.RetagArtifact(ref, two.ID)
	if a, err := b.Artifact(t.Context(), ref); err != nil || a.ID != two.ID {
		t.Errorf("after a retag the ref stands for %s (%v)", a.ID, err)
	}
	b.RetagArtifact(ref, one.ID)

	b.DropArtifact(ref)
	if _, err := b.Artifact(t.Context(), ref); !errors.Is(err, backend.ErrNotFound) {
		t.Errorf("the error is %v", err)
	}
	if _, err := b.Create(t.Context(), backend.Spec{Name: "copy", From: &one}); !errors.Is(err, backend.ErrNotFound) {
		t.Errorf("the error is %v", err)
	}
	if all := b.AllArtifacts(); len(all) != 1 || all[0].ID != two.ID || all[0].Ref == "" {
		t.Errorf("left is %+v", all)
	}
}

func published(t *testing.T, b *fake.Backend, container, name string) (backend.Artifact, string) {
	t.Helper()
	a, err := b.Capture(t.Context(), container, backend.CaptureOptions{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	ref, err := b.Publish(t.Context(), name, a)
	if err != nil {
		t.Fatal(err)
	}
	return a, ref
}
