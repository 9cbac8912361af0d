package docker

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/system"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// hangUp ends the connection without an answer.
func hangUp(http.ResponseWriter) { panic(http.ErrAbortHandler) }

func TestAgain(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	tests := map[string]struct {
		failures int
		err      error
		want     error
		attempts int
	}{
		"answers":                  {0, nil, nil, 1},
		"breaks off twice":         {2, io.ErrUnexpectedEOF, nil, 3},
		"fails for another reason": {9, broken, broken, 1},
		"stays away":               {9, io.EOF, io.EOF, 5},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				attempts := 0
				_, err := again(t.Context(), func() (int, error) {
					if attempts++; attempts <= test.failures {
						return 0, test.err
					}
					return attempts, nil
				})
				if !errors.Is(err, test.want) || attempts != test.attempts {
					t.Errorf("got %v after %d attempts, want %v after %d", err, attempts, test.want, test.attempts)
				}
			})
		})
	}
}

// An interruption does not wait for an engine that is away.
func TestAgainInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	attempts := 0
	_, err := again(ctx, func() (int, error) {
		attempts++
		cancel()
		return 0, io.EOF
	})
	if !errors.Is(err, io.EOF) || attempts != 1 {
		t.Errorf("got %v after %d attempts", err, attempts)
	}
}

// An answer that comes within the grace is heard, and one that comes later is
// not waited for.
func TestLingering(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		takes, want time.Duration
		err         error
	}{
		"answered within the grace": {takes: 4 * time.Second, want: 4 * time.Second},
		"not answered":              {takes: time.Hour, want: 7 * time.Second, err: context.Canceled},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				began := time.Now()
				got, err := lingering(ctx, 6*time.Second, func(ctx context.Context) (string, error) {
					select {
					case <-time.After(test.takes):
						return "answer", nil
					case <-ctx.Done():
						return "", ctx.Err()
					}
				})
				if !errors.Is(err, test.err) || err == nil && got != "answer" {
					t.Errorf("got %q, %v, want the error %v", got, err, test.err)
				}
				if took := time.Since(began); took != test.want {
					t.Errorf("it took %s, want %s", took, test.want)
				}
			})
		})
	}
}

// A capture that is interrupted before it commits does not commit.
func TestLingeringInterruptedBefore(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := lingering(ctx, time.Second, func(context.Context) (int, error) {
		t.Error("the request was made")
		return 0, nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// A job whose start was answered to nobody has run, and is not run again.
func TestStartLosesItsAnswer(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		heard int32 // from which request on the engine hears of it
		want  int32
	}{
		"the engine had started it":      {heard: 1, want: 1},
		"the engine had not heard of it": {heard: 2, want: 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var requests atomic.Int32
			b := fakeEngine(t, map[string]http.HandlerFunc{
				"GET /containers/job/json": func(w http.ResponseWriter, _ *http.Request) {
					state := &container.State{Status: "created", StartedAt: "0001-01-01T00:00:00Z"}
					if requests.Load() >= test.heard {
						state = &container.State{Status: "exited", StartedAt: "2026-01-01T00:00:00Z"}
					}
					reply(w, http.StatusOK, container.InspectResponse{
						ContainerJSONBase: &container.ContainerJSONBase{ID: "job", State: state, HostConfig: &container.HostConfig{}},
						Config:            &container.Config{},
					})
				},
				"POST /containers/job/start": func(w http.ResponseWriter, _ *http.Request) {
					if requests.Add(1) == 1 {
						hangUp(w)
					}
					w.WriteHeader(http.StatusNoContent)
				},
			})
			if err := b.Start(t.Context(), "job", backend.Spec{Name: "job"}); err != nil {
				t.Fatal(err)
			}
			if got := requests.Load(); got != test.want {
				t.Errorf("the engine was asked %d times to start it, want %d", got, test.want)
			}
		})
	}
}

// A container whose creation was answered to nobody is taken for what it is,
// and one of somebody else's that has the name is not.
func TestCreateLosesItsAnswer(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		owner string
		want  error
	}{
		"it is there":                {owner: "this operation"},
		"somebody else has the name": {owner: "another", want: backend.ErrNameTaken},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var creations atomic.Int32
			b := fakeEngine(t, map[string]http.HandlerFunc{
				"POST /containers/create": func(w http.ResponseWriter, _ *http.Request) {
					if creations.Add(1) == 1 {
						hangUp(w)
					}
					reply(w, http.StatusConflict, map[string]string{"message": "the name is taken"})
				},
				"GET /containers/web/json": func(w http.ResponseWriter, _ *http.Request) {
					reply(w, http.StatusOK, container.InspectResponse{
						ContainerJSONBase: &container.ContainerJSONBase{ID: "made", State: &container.State{}, HostConfig: &container.HostConfig{}},
						Config:            &container.Config{Labels: map[string]string{labelOwner: test.owner}},
					})
				},
			})
			spec := backend.Spec{Name: "web", Image: "app", Owner: "this operation"}
			id, err := b.createContainer(t.Context(), spec, "sha256:1", "sha256:1")
			if !errors.Is(err, test.want) {
				t.Fatalf("got %v, want %v", err, test.want)
			}
			if err == nil && (id != "made" || creations.Load() != 1) {
				t.Errorf("got container %q after %d creations", id, creations.Load())
			}
		})
	}
}

// The engine goes on with a creation whose client has left, and nobody would
// learn of the container.
func TestCreateIsNotInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	b := fakeEngine(t, map[string]http.HandlerFunc{
		"POST /containers/create": func(w http.ResponseWriter, r *http.Request) {
			cancel()
			select {
			case <-r.Context().Done():
			case <-time.After(100 * time.Millisecond):
			}
			reply(w, http.StatusCreated, map[string]string{"Id": "made"})
		},
	})
	id, err := b.createContainer(ctx, backend.Spec{Name: "web", Image: "app"}, "sha256:1", "sha256:1")
	if err != nil || id != "made" {
		t.Errorf("got %q, %v", id, err)
	}
}

// The copy of the image that a container ran from goes with it, also if the
// engine's answer to the removal is lost.
func TestRemoveLosesItsAnswer(t *testing.T) {
	t.Parallel()
	var removals, untagged atomic.Int32
	b := fakeEngine(t, map[string]http.HandlerFunc{
		"GET /containers/web/json": func(w http.ResponseWriter, _ *http.Request) {
			reply(w, http.StatusOK, container.InspectResponse{
				ContainerJSONBase: &container.ContainerJSONBase{ID: "web", Image: "sha256:1", State: &container.State{}, HostConfig: &container.HostConfig{}},
				Config:            &container.Config{},
			})
		},
		"DELETE /containers/web": func(w http.ResponseWriter, _ *http.Request) {
			if removals.Add(1) == 1 {
				hangUp(w)
			}
			reply(w, http.StatusNotFound, map[string]string{"message": "gone"})
		},
		"GET /images/sha256:1/json": func(w http.ResponseWriter, _ *http.Request) {
			reply(w, http.StatusOK, map[string]any{
				"Id": "sha256:1", "RepoTags": []string{baseRepository + ":1"},
				"Config": map[string]any{"Labels": map[string]string{labelBaseOf: "sha256:0"}},
			})
		},
		"DELETE /images/" + baseRepository + ":1": func(w http.ResponseWriter, _ *http.Request) {
			untagged.Add(1)
			reply(w, http.StatusOK, []any{})
		},
	})
	if err := b.Remove(t.Context(), "web"); err != nil {
		t.Fatal(err)
	}
	if untagged.Load() != 1 {
		t.Errorf("the copy was removed %d times, want once", untagged.Load())
	}
}

// A command that may have run is not run again: its answer was lost, not what it
// did.
func TestExecIsNotRunTwice(t *testing.T) {
	t.Parallel()
	var runs atomic.Int32
	b := fakeEngine(t, map[string]http.HandlerFunc{
		"POST /containers/web/exec": func(w http.ResponseWriter, _ *http.Request) {
			reply(w, http.StatusCreated, map[string]string{"Id": "command"})
		},
		"POST /exec/command/start": func(w http.ResponseWriter, _ *http.Request) {
			runs.Add(1)
			hangUp(w)
		},
	})
	_, err := b.Exec(t.Context(), "web", backend.Exec{Command: []string{"psql", "-f", "seed.sql"}})
	if !errors.Is(err, backend.ErrUnavailable) || runs.Load() != 1 {
		t.Errorf("got %v after %d runs, want one run and its failure", err, runs.Load())
	}
}

// The client alone would wait for ever.
func TestExecLeavesAnEngineThatStalls(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	release := make(chan struct{})
	b := fakeEngine(t, map[string]http.HandlerFunc{
		"POST /containers/web/exec": func(w http.ResponseWriter, _ *http.Request) {
			reply(w, http.StatusCreated, map[string]string{"Id": "command"})
		},
		"POST /exec/command/start": func(http.ResponseWriter, *http.Request) {
			cancel()
			<-release
		},
	})
	// Before the server is closed, which waits for its handlers.
	t.Cleanup(func() { close(release) })
	if _, err := b.Exec(ctx, "web", backend.Exec{Command: []string{"true"}}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// Removals of images with one parent hinder each other.
func TestRemoveArtifactIsHindered(t *testing.T) {
	t.Parallel()
	var removals atomic.Int32
	b := fakeEngine(t, map[string]http.HandlerFunc{
		"GET /images/sha256:1/json": func(w http.ResponseWriter, _ *http.Request) {
			reply(w, http.StatusOK, map[string]any{"Id": "sha256:1", "RepoTags": []string{checkpointRepository + ":orders"}})
		},
		"DELETE /images/" + checkpointRepository + ":orders": func(w http.ResponseWriter, _ *http.Request) {
			if removals.Add(1) == 1 {
				reply(w, http.StatusInternalServerError, map[string]string{"message": "unrecognized image ID sha256:0"})
				return
			}
			reply(w, http.StatusOK, []any{})
		},
	})
	if err := b.RemoveArtifact(t.Context(), "sha256:1"); err != nil {
		t.Error(err)
	}
	if removals.Load() != 2 {
		t.Errorf("the tag was removed %d times, want twice", removals.Load())
	}
}

// A tag that moves is not gone.
func TestArtifactOfARefThatMoves(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		driver [2]string
		absent int32
		want   error
	}{
		"containerd store":                {[2]string{"driver-type", "io.containerd.snapshotter.v1"}, 2, nil},
		"containerd store, gone for good": {[2]string{"driver-type", "io.containerd.snapshotter.v1"}, 99, backend.ErrNotFound},
		"graph driver":                    {[2]string{"Backing Filesystem", "extfs"}, 1, backend.ErrNotFound},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var looks atomic.Int32
			b := fakeEngine(t, map[string]http.HandlerFunc{
				"GET /info": func(w http.ResponseWriter, _ *http.Request) {
					reply(w, http.StatusOK, system.Info{ID: "engine", DriverStatus: [][2]string{test.driver}})
				},
				"GET /version": func(w http.ResponseWriter, _ *http.Request) { reply(w, http.StatusOK, struct{}{}) },
				"GET /images/" + checkpointRepository + ":orders/json": func(w http.ResponseWriter, _ *http.Request) {
					if looks.Add(1) <= test.absent {
						reply(w, http.StatusNotFound, map[string]string{"message": "no such image"})
						return
					}
					reply(w, http.StatusOK, map[string]any{"Id": "sha256:1"})
				},
			})
			if _, err := b.Artifact(t.Context(), checkpointRepository+":orders"); !errors.Is(err, test.want) {
				t.Errorf("got %v after %d looks, want %v", err, looks.Load(), test.want)
			}
		})
	}
}

// A list that fails because an image goes while it is made says nothing about
// the images that stay: taken for "not found", it would cost state its
// checkpoints.
func TestListArtifactsWhileAnotherImageGoes(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		status, failures int
		want             bool
	}{
		"404 once":  {status: http.StatusNotFound, failures: 1, want: true},
		"500 once":  {status: http.StatusInternalServerError, failures: 1, want: true},
		"404 again": {status: http.StatusNotFound, failures: 100},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var lists atomic.Int32
			b := fakeEngine(t, map[string]http.HandlerFunc{
				"GET /images/json": func(w http.ResponseWriter, _ *http.Request) {
					if int(lists.Add(1)) <= test.failures {
						reply(w, test.status, map[string]string{"message": "content digest sha256:1: not found"})
						return
					}
					reply(w, http.StatusOK, []map[string]any{{"Id": "sha256:2", "RepoTags": []string{checkpointRepository + ":orders"}}})
				},
			})
			artifacts, err := b.ListArtifacts(t.Context())
			if got := err == nil && len(artifacts) == 1; got != test.want {
				t.Errorf("got %v, %v", artifacts, err)
			}
			if errors.Is(err, backend.ErrNotFound) {
				t.Errorf("%v is taken for an artifact that is not there", err)
			}
		})
	}
}
