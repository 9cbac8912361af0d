package docker

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/docker/docker/api/types"
	"github.com/docker/docker/api/types/system"
	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

func ping(version string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Api-Version", version) }
}

func TestConnectUnavailable(t *testing.T) {
	t.Parallel()
	socket := filepath.Join(t.TempDir(), "none.sock")
	tests := map[string]struct {
		cfg      Config
		env      map[string]string
		mentions []string
		silent   []string
	}{
		"configured": {
			cfg:      Config{Host: "unix://" + socket},
			env:      map[string]string{"DOCKER_HOST": "unix:///other.sock"},
			mentions: []string{"unix://" + socket, "chosen by the configured host"},
			silent:   []string{"other.sock", "DOCKER_HOST"},
		},
		"environment": {
			env: map[string]string{"DOCKER_HOST": "unix://" + socket, "DOCKER_CONTEXT": "unused"},
			mentions: []string{
				"chosen by DOCKER_HOST", "configured host and context: not set", "DOCKER_HOST: unix://" + socket,
			},
			silent: []string{"unused"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := New(test.cfg)
			b.env = testEnvironment(t, test.env)
			_, err := b.api(t.Context())
			var failure *backend.Error
			if !errors.As(err, &failure) || !errors.Is(failure.Kind, backend.ErrUnavailable) {
				t.Fatalf("got %v, want ErrUnavailable", err)
			}
			if failure.Remedy == "" {
				t.Error("it does not say what to do")
			}
			for _, part := range test.mentions {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q does not mention %q", err, part)
				}
			}
			for _, part := range test.silent {
				if strings.Contains(err.Error(), part) {
					t.Errorf("%q mentions %q, which had no part in it", err, part)
				}
			}
		})
	}
}

func TestConnectListsEveryPlace(t *testing.T) {
	t.Parallel()
	env := testEnvironment(t, nil)
	ep, err := resolve(Config{}, env)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"configured host and context: not set",
		"DOCKER_HOST: not set",
		"DOCKER_CONTEXT: not set",
		"current context of " + filepath.Join(env.configDir(), "config.json") + ": not set",
		"default: " + ep.Host,
	}
	if diff := cmp.Diff(want, ep.places); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestConnectOldEngine(t *testing.T) {
	t.Parallel()
	b := fakeEngine(t, map[string]http.HandlerFunc{"HEAD /_ping": ping("1.40")})
	_, err := b.api(t.Context())
	if !errors.Is(err, backend.ErrUnavailable) || !strings.Contains(err.Error(), "1.40") || !strings.Contains(err.Error(), minAPIVersion) {
		t.Errorf("got %v, want ErrUnavailable with both versions", err)
	}
}

func TestConnectNegotiates(t *testing.T) {
	t.Parallel()
	b := fakeEngine(t, map[string]http.HandlerFunc{"HEAD /_ping": ping("1.43")})
	api, err := b.api(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := api.ClientVersion(); got != "1.43" {
		t.Errorf("speaks %s, want 1.43", got)
	}
}

func TestConnectOnceAndAgainAfterFailure(t *testing.T) {
	t.Parallel()
	var pings atomic.Int32
	b := fakeEngine(t, map[string]http.HandlerFunc{"HEAD /_ping": func(w http.ResponseWriter, r *http.Request) {
		if pings.Add(1) == 1 {
			ping("1.40")(w, r)
			return
		}
		ping("1.41")(w, r)
	}})
	if _, err := b.api(t.Context()); err == nil {
		t.Fatal("connected to an engine that is too old")
	}

	first, err := b.api(t.Context())
	if err != nil {
		t.Fatalf("after a failure: %v", err)
	}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if again, err := b.api(t.Context()); again != first || err != nil {
				t.Errorf("another client: %v", err)
			}
		})
	}
	group.Wait()
	if got := pings.Load(); got != 2 {
		t.Errorf("pinged %d times, want twice", got)
	}
}

func TestConnectInterrupted(t *testing.T) {
	t.Parallel()
	b := fakeEngine(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.api(ctx); !errors.Is(err, context.Canceled) || errors.Is(err, backend.ErrUnavailable) {
		t.Errorf("got %v, want the interruption alone", err)
	}
}

func TestEngine(t *testing.T) {
	t.Parallel()
	b := fakeEngine(t, map[string]http.HandlerFunc{
		"GET /info": func(w http.ResponseWriter, _ *http.Request) {
			reply(w, http.StatusOK, system.Info{ID: "AB:CD", ServerVersion: "26.1.5"})
		},
		"GET /version": func(w http.ResponseWriter, _ *http.Request) { reply(w, http.StatusOK, types.Version{}) },
	})
	got, err := b.Engine(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := backend.Engine{
		ID: "AB:CD", Version: "26.1.5", Address: b.cfg.Host,
		Capabilities: backend.Capabilities{Checkpoint: true, LayerLimit: 125, Networks: true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNewDescription(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		info    system.Info
		version types.Version
		want    description
	}{
		"graph driver": {
			info: system.Info{ID: "x", ServerVersion: "1", DriverStatus: [][2]string{{"Backing Filesystem", "extfs"}}},
			want: description{id: "x", version: "1"},
		},
		"containerd store": {
			info: system.Info{ID: "x", DriverStatus: [][2]string{{"driver-type", "io.containerd.snapshotter.v1"}}},
			want: description{id: "x", containerdStore: true},
		},
		"podman": {
			info:    system.Info{ID: "random", Name: "host", DockerRootDir: "/var/lib/containers"},
			version: types.Version{Components: []types.ComponentVersion{{Name: "Podman Engine"}}},
			want:    description{id: "host:/var/lib/containers"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := newDescription(test.info, test.version); got != test.want {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
		})
	}
}
