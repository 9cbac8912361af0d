package docker

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/system"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// committing is an engine that has a container of each image and commits any of
// them by the given handler. The image is built upon the container's.
func committing(images []string, commit http.HandlerFunc) map[string]http.HandlerFunc {
	routes := map[string]http.HandlerFunc{
		"POST /commit": commit,
		"GET /info":    func(w http.ResponseWriter, _ *http.Request) { reply(w, http.StatusOK, system.Info{ID: "engine"}) },
		"GET /version": func(w http.ResponseWriter, _ *http.Request) { reply(w, http.StatusOK, struct{}{}) },
	}
	describe := func(id string, layers ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			reply(w, http.StatusOK, map[string]any{"Id": id, "RootFS": map[string]any{"Layers": layers}})
		}
	}
	for _, image := range images {
		routes["GET /containers/of-"+image+"/json"] = func(w http.ResponseWriter, _ *http.Request) {
			reply(w, http.StatusOK, container.InspectResponse{
				ContainerJSONBase: &container.ContainerJSONBase{ID: "of-" + image, Image: image, State: &container.State{}, HostConfig: &container.HostConfig{}},
				Config:            &container.Config{},
			})
		}
		routes["GET /images/"+image+"/json"] = describe(image, "layer of "+image)
		routes["GET /images/captured-"+image+"/json"] = describe("captured-"+image, "layer of "+image, "more")
	}
	return routes
}

// captured answers a commit.
func captured(w http.ResponseWriter, r *http.Request) {
	image := strings.TrimPrefix(r.URL.Query().Get("container"), "of-")
	reply(w, http.StatusCreated, map[string]string{"Id": "captured-" + image})
}

// captureBoth captures the containers of two images at once, with a backend for
// each, as two processes would, and shared locks.
func captureBoth(t *testing.T, images [2]string, commit http.HandlerFunc) {
	t.Helper()
	first := fakeEngine(t, committing(images[:], commit))
	first.cfg.LockDir = t.TempDir()
	second := New(first.cfg)
	second.env = first.env
	results := make(chan error, 2)
	for i, b := range []*Backend{first, second} {
		go func() {
			_, err := b.Capture(t.Context(), "of-"+images[i], backend.CaptureOptions{Name: "orders"})
			results <- err
		}()
	}
	for range 2 {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
}

// Commits on top of one image come one after the other, in all processes: the
// containerd store does not stand two at once.
func TestCommitsOfOneImageTakeTurns(t *testing.T) {
	t.Parallel()
	var atOnce atomic.Int32
	overlap := make(chan struct{}, 2)
	captureBoth(t, [2]string{"base", "base"}, func(w http.ResponseWriter, r *http.Request) {
		if atOnce.Add(1) > 1 {
			overlap <- struct{}{}
		}
		select {
		case <-overlap:
			t.Error("two commits on top of one image at once")
		case <-time.After(200 * time.Millisecond): // the time for another to come
		}
		atOnce.Add(-1)
		captured(w, r)
	})
}

// Commits on top of different images do not wait for each other.
func TestCommitsOfTwoImagesAtOnce(t *testing.T) {
	t.Parallel()
	var arrived atomic.Int32
	both := make(chan struct{})
	captureBoth(t, [2]string{"base", "other"}, func(w http.ResponseWriter, r *http.Request) {
		if arrived.Add(1) == 2 {
			close(both)
		}
		select {
		case <-both:
		case <-time.After(10 * time.Second):
			t.Error("one commit waits for another on top of another image")
		}
		captured(w, r)
	})
}

// A commit whose answer is lost is made again: the image of the first has no
// name, and is collected.
func TestCommitLosesItsAnswer(t *testing.T) {
	t.Parallel()
	var commits atomic.Int32
	b := fakeEngine(t, committing([]string{"base"}, func(w http.ResponseWriter, r *http.Request) {
		if commits.Add(1) == 1 {
			hangUp(w)
		}
		if labels := r.URL.Query()["changes"]; !strings.Contains(strings.Join(labels, "\n"), "LABEL "+labelCheckpoint+"=orders") {
			t.Errorf("the image would not be found by its label: %q", labels)
		}
		captured(w, r)
	}))
	artifact, err := b.Capture(t.Context(), "of-base", backend.CaptureOptions{Name: "orders"})
	if err != nil || artifact.ID != "captured-base" || commits.Load() != 2 {
		t.Errorf("got %+v, %v after %d commits", artifact, err, commits.Load())
	}
}

// An image that is not what was to be captured is no artifact, and is removed.
func TestCaptureVerifies(t *testing.T) {
	t.Parallel()
	for name, inspect := range map[string]http.HandlerFunc{
		"lacks layers of its parent": func(w http.ResponseWriter, _ *http.Request) {
			reply(w, http.StatusOK, map[string]any{"Id": "captured-base", "RootFS": map[string]any{"Layers": []string{"more"}}})
		},
		"is not there": func(w http.ResponseWriter, _ *http.Request) {
			reply(w, http.StatusNotFound, map[string]string{"message": "no such image"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var removals atomic.Int32
			routes := committing([]string{"base"}, captured)
			routes["GET /images/captured-base/json"] = inspect
			routes["DELETE /images/captured-base"] = func(w http.ResponseWriter, _ *http.Request) {
				removals.Add(1)
				reply(w, http.StatusOK, []any{})
			}
			artifact, err := fakeEngine(t, routes).Capture(t.Context(), "of-base", backend.CaptureOptions{Name: "orders"})
			if err == nil {
				t.Errorf("%+v passes for what was captured", artifact)
			}
			if removals.Load() != 1 {
				t.Errorf("the image was removed %d times, want once", removals.Load())
			}
		})
	}
}

// A commit that is interrupted makes an image all the same, which is removed.
func TestCaptureInterruptedInCommit(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	var removals atomic.Int32
	routes := committing([]string{"base"}, func(w http.ResponseWriter, r *http.Request) {
		cancel()
		// As engines do (20.10), it goes on without its client; one that has left
		// does not hear of what was made.
		select {
		case <-r.Context().Done():
		case <-time.After(200 * time.Millisecond):
		}
		captured(w, r)
	})
	routes["DELETE /images/captured-base"] = func(w http.ResponseWriter, _ *http.Request) {
		removals.Add(1)
		reply(w, http.StatusOK, []any{})
	}
	_, err := fakeEngine(t, routes).Capture(ctx, "of-base", backend.CaptureOptions{Name: "orders"})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if removals.Load() != 1 {
		t.Errorf("the image was removed %d times, want once", removals.Load())
	}
}

// Of a commit that was given up nobody knows what it makes.
func TestCaptureLeavesAnUnfinishedCommit(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	routes := committing([]string{"base"}, func(w http.ResponseWriter, _ *http.Request) {
		cancel()
		hangUp(w)
	})
	_, err := fakeEngine(t, routes).Capture(ctx, "of-base", backend.CaptureOptions{Name: "orders"})
	if !errors.Is(err, backend.ErrUnfinished) || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want one that says both", err)
	}
}
