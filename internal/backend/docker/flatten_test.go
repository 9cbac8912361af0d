package docker

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/docker/docker/api/types/container"
	imagetypes "github.com/docker/docker/api/types/image"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

const importedImage = "sha256:" + "1111111111111111111111111111111111111111111111111111111111111111"

// flattening is an engine that has a container of the image "base", exports
// "files" and imports whatever it is sent.
func flattening(t *testing.T) map[string]http.HandlerFunc {
	t.Helper()
	routes := committing([]string{"base"}, func(w http.ResponseWriter, r *http.Request) {
		if from := r.URL.Query().Get("container"); from != "helper" {
			t.Errorf("container %s is committed, not the helper", from)
		}
		reply(w, http.StatusCreated, map[string]string{"Id": "flat"})
	})
	describe := func(id string, layers ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			reply(w, http.StatusOK, map[string]any{"Id": id, "RootFS": map[string]any{"Layers": layers}})
		}
	}
	routes["GET /containers/of-base/export"] = func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "files") }
	routes["POST /images/create"] = func(w http.ResponseWriter, r *http.Request) {
		files, err := io.ReadAll(r.Body)
		if err != nil || string(files) != "files" {
			t.Errorf("the engine is sent %q, %v", files, err)
		}
		if changes := r.URL.Query()["changes"]; len(changes) != 1 || changes[0] != "LABEL "+labelCheckpoint+"=orders" {
			t.Errorf("the import would not be found by its label: %q", changes)
		}
		reply(w, http.StatusOK, map[string]string{"status": importedImage})
	}
	routes["POST /containers/create"] = func(w http.ResponseWriter, _ *http.Request) {
		reply(w, http.StatusCreated, container.CreateResponse{ID: "helper"})
	}
	routes["GET /containers/helper/json"] = func(w http.ResponseWriter, _ *http.Request) {
		reply(w, http.StatusOK, container.InspectResponse{
			ContainerJSONBase: &container.ContainerJSONBase{ID: "helper", Image: importedImage, State: &container.State{}, HostConfig: &container.HostConfig{}},
			Config:            &container.Config{},
		})
	}
	routes["DELETE /containers/helper"] = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }
	routes["GET /images/flat/json"] = describe("flat", "one")
	return routes
}

func TestFlatten(t *testing.T) {
	t.Parallel()
	artifact, err := fakeEngine(t, flattening(t)).Capture(t.Context(), "of-base", backend.CaptureOptions{Name: "orders", Flatten: true})
	if err != nil || artifact.ID != "flat" || artifact.Layers != 1 {
		t.Errorf("got %+v, %v", artifact, err)
	}
}

// What is not whole is no artifact, and what was made on the way is removed.
func TestFlattenFails(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		route  string
		answer http.HandlerFunc
		says   string
		// removed is the image that must be removed.
		removed string
	}{
		"the export ends early": {
			route: "GET /containers/of-base/export",
			answer: func(w http.ResponseWriter, _ *http.Request) {
				_, _ = io.WriteString(w, "fi")
				w.(http.Flusher).Flush()
				hangUp(w)
			},
			says: "flatten container",
		},
		"the import fails in its stream": {
			route: "POST /images/create",
			answer: func(w http.ResponseWriter, _ *http.Request) {
				reply(w, http.StatusOK, map[string]string{"error": "no space left on device"})
			},
			says: "no space left on device",
		},
		"the import does not say what it made": {
			route: "POST /images/create",
			answer: func(w http.ResponseWriter, _ *http.Request) {
				reply(w, http.StatusOK, map[string]string{"status": "Done"})
			},
			says: `but "Done"`,
		},
		"no helper": {
			route: "POST /containers/create",
			answer: func(w http.ResponseWriter, _ *http.Request) {
				reply(w, http.StatusBadRequest, map[string]string{"message": "cannot be configured"})
			},
			says: "cannot be configured", removed: importedImage,
		},
		"more than one layer": {
			route: "GET /images/flat/json",
			answer: func(w http.ResponseWriter, _ *http.Request) {
				reply(w, http.StatusOK, map[string]any{"Id": "flat", "RootFS": map[string]any{"Layers": []string{"one", "two"}}})
			},
			says: "2 layers instead of one", removed: "flat",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var removals atomic.Int32
			routes := flattening(t)
			if tt.route == "GET /containers/of-base/export" {
				// It is sent what there is of it.
				routes["POST /images/create"] = func(_ http.ResponseWriter, r *http.Request) {
					if _, err := io.ReadAll(r.Body); err == nil {
						t.Error("the engine takes what was sent for all there is")
					}
				}
			}
			routes[tt.route] = tt.answer
			routes["DELETE /images/"+tt.removed] = func(w http.ResponseWriter, _ *http.Request) {
				removals.Add(1)
				reply(w, http.StatusOK, []any{})
			}
			artifact, err := fakeEngine(t, routes).Capture(t.Context(), "of-base", backend.CaptureOptions{Name: "orders", Flatten: true})
			if err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("got %+v, %v, want an error that says %q", artifact, err, tt.says)
			}
			if want := tt.removed != ""; (removals.Load() > 0) != want {
				t.Errorf("image %q was removed %d times", tt.removed, removals.Load())
			}
		})
	}
}

// Of an import that was given up nobody knows what it makes.
func TestFlattenInterruptedInImport(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	routes := flattening(t)
	routes["POST /images/create"] = func(_ http.ResponseWriter, r *http.Request) {
		// The server notices that its client has gone when all is read.
		_, _ = io.Copy(io.Discard, r.Body)
		cancel()
		<-r.Context().Done()
	}
	_, err := fakeEngine(t, routes).Capture(ctx, "of-base", backend.CaptureOptions{Name: "orders", Flatten: true})
	if !errors.Is(err, backend.ErrUnfinished) || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want one that says both", err)
	}
}

func TestCheckDepth(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		layers           int
		volumes, flatten bool
		refused          bool
	}{
		"few":                       {layers: 1},
		"the last one":              {layers: 124},
		"one too many":              {layers: 125, refused: true},
		"flattened":                 {layers: 125, flatten: true},
		"volumes":                   {layers: 123, volumes: true},
		"volumes, one too many":     {layers: 124, volumes: true, refused: true},
		"volumes, flattened":        {layers: 124, volumes: true, flatten: true},
		"volumes, flattened, ended": {layers: 125, volumes: true, flatten: true, refused: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var parent image
			parent.RootFS = imagetypes.RootFS{Layers: make([]string, tt.layers)}
			err := checkDepth(container.InspectResponse{ContainerJSONBase: &container.ContainerJSONBase{Name: "/c"}}, parent, tt.volumes, tt.flatten)
			if errors.Is(err, backend.ErrUncapturable) != tt.refused {
				t.Errorf("got %v", err)
			}
		})
	}
}
