package docker

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	imagetypes "github.com/docker/docker/api/types/image"
	"github.com/docker/docker/api/types/registry"
	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// registryEngine is an engine that has no image until it has pulled one.
type registryEngine struct {
	*Backend
	pulls atomic.Int32
	// asked and auth are the last pull's image and credentials.
	asked string
	auth  registry.AuthConfig
}

// newRegistryEngine makes an engine that answers a pull with pull, and inspects
// the image inspected afterwards.
func newRegistryEngine(t *testing.T, inspected string, pull http.HandlerFunc) *registryEngine {
	t.Helper()
	e := &registryEngine{}
	e.Backend = fakeEngine(t, map[string]http.HandlerFunc{
		"POST /images/create": func(w http.ResponseWriter, r *http.Request) {
			e.asked = r.URL.Query().Get("fromImage") + ":" + r.URL.Query().Get("tag")
			e.auth = registry.AuthConfig{}
			if header := r.Header.Get(registry.AuthHeader); header != "" {
				decoded, err := base64.URLEncoding.DecodeString(header)
				if err != nil || json.Unmarshal(decoded, &e.auth) != nil {
					t.Errorf("credentials in the wrong form: %v", err)
				}
			}
			pull(w, r)
			e.pulls.Add(1)
		},
		"GET /images/" + inspected + "/json": func(w http.ResponseWriter, _ *http.Request) {
			if e.pulls.Load() == 0 {
				reply(w, http.StatusNotFound, map[string]string{"message": "no such image"})
				return
			}
			reply(w, http.StatusOK, imagetypes.InspectResponse{ID: "sha256:pulled"})
		},
	})
	return e
}

func stream(messages ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for _, message := range messages {
			_, _ = io.WriteString(w, message+"\r\n")
		}
	}
}

func status(code int, message string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { reply(w, code, map[string]string{"message": message}) }
}

var pulled = stream(`{"status":"Pulling from library/x"}`, `{"status":"Download complete","progressDetail":{}}`)

func TestResolveImagePolicy(t *testing.T) {
	t.Parallel()
	const id = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	tests := map[string]struct {
		ref, inspected string
		policy         backend.PullPolicy
		present        bool
		wantAsked      string
		wantErr        error
	}{
		"missing, absent":  {ref: "x", inspected: "x:latest", policy: backend.PullMissing, wantAsked: "docker.io/library/x:latest"},
		"missing, present": {ref: "x", inspected: "x:latest", policy: backend.PullMissing, present: true},
		"always, present": {
			ref: "team/x:1", inspected: "team/x:1", policy: backend.PullAlways, present: true, wantAsked: "docker.io/team/x:1",
		},
		"never, absent": {ref: "x", inspected: "x:latest", policy: backend.PullNever, wantErr: backend.ErrNotFound},
		"digest": {
			ref: "registry.example:5000/x@" + id, inspected: "registry.example:5000/x@" + id, policy: backend.PullMissing,
			wantAsked: "registry.example:5000/x:" + id,
		},
		"id, absent":          {ref: id, inspected: id, policy: backend.PullAlways, wantErr: backend.ErrNotFound},
		"id, present":         {ref: id, inspected: id, policy: backend.PullAlways, present: true},
		"checkpoint, absent":  {ref: checkpointRepository + ":n", inspected: checkpointRepository + ":n", policy: backend.PullMissing, wantErr: backend.ErrNotFound},
		"checkpoint, always":  {ref: checkpointRepository + ":n", inspected: checkpointRepository + ":n", policy: backend.PullAlways, present: true},
		"checkpoint, by host": {ref: "docker.io/" + checkpointRepository + ":n", inspected: checkpointRepository + ":n", policy: backend.PullAlways, wantErr: backend.ErrNotFound},
		"base, absent":        {ref: baseRepository + ":n", inspected: baseRepository + ":n", policy: backend.PullMissing, wantErr: backend.ErrNotFound},
		"checkpoint repository of another registry": {
			ref: "registry.example/" + checkpointRepository + ":n", inspected: "registry.example/" + checkpointRepository + ":n",
			policy: backend.PullMissing, wantAsked: "registry.example/" + checkpointRepository + ":n",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newRegistryEngine(t, test.inspected, pulled)
			if test.present {
				e.pulls.Add(1)
			}
			img, err := e.resolveImage(t.Context(), test.ref, test.policy)
			if !errors.Is(err, test.wantErr) {
				t.Fatalf("got %v, want %v", err, test.wantErr)
			}
			if e.asked != test.wantAsked {
				t.Errorf("pulled %q, want %q", e.asked, test.wantAsked)
			}
			if err != nil {
				var failure *backend.Error
				if !errors.As(err, &failure) || failure.Field != backend.FieldImage || failure.Remedy == "" {
					t.Errorf("%#v names no field or no remedy", err)
				}
				return
			}
			if img.ID != "sha256:pulled" || img.Ref != test.ref || img.Config == nil {
				t.Errorf("got %+v", img)
			}
		})
	}
}

func TestPullErrors(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		answer     http.HandlerFunc
		wantCause  string
		wantRemedy string
	}{
		"in the stream": {
			answer:     stream(`{"status":"Pulling fs layer"}`, `{"errorDetail":{"message":"disk full"},"error":"disk full"}`),
			wantCause:  "disk full",
			wantRemedy: "can reach registry.example",
		},
		"in the stream, old form": {
			answer:     stream(`{"error":"disk full"}`),
			wantCause:  "disk full",
			wantRemedy: "can reach registry.example",
		},
		"in the stream, with a code": {
			answer:     stream(`{"errorDetail":{"code":401,"message":"no"},"error":"no"}`),
			wantCause:  "no",
			wantRemedy: `"docker login registry.example"`,
		},
		"forbidden": {
			answer:     status(http.StatusForbidden, "denied"),
			wantCause:  "denied",
			wantRemedy: `"docker login registry.example"`,
		},
		"no such image": {
			answer:     status(http.StatusNotFound, "manifest unknown"),
			wantCause:  "manifest unknown",
			wantRemedy: "Check the name and the tag",
		},
		"offline": {
			answer:     status(http.StatusInternalServerError, "no such host"),
			wantCause:  "no such host",
			wantRemedy: "can reach registry.example",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newRegistryEngine(t, "registry.example/x:1", test.answer)
			_, err := e.resolveImage(t.Context(), "registry.example/x:1", backend.PullMissing)
			var failure *backend.Error
			if !errors.As(err, &failure) || !errors.Is(err, backend.ErrImageUnavailable) {
				t.Fatalf("got %v, want ErrImageUnavailable", err)
			}
			if failure.Field != backend.FieldImage {
				t.Errorf("field %q", failure.Field)
			}
			if !strings.Contains(err.Error(), test.wantCause) || !strings.Contains(err.Error(), "registry.example/x:1") {
				t.Errorf("%q does not name the image and %q", err, test.wantCause)
			}
			if !strings.Contains(failure.Remedy, test.wantRemedy) {
				t.Errorf("remedy %q does not say %q", failure.Remedy, test.wantRemedy)
			}
		})
	}
}

func TestPullCutOff(t *testing.T) {
	t.Parallel()
	e := newRegistryEngine(t, "x:latest", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"status":"Pulling fs layer"}`+"\n")
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	})
	if _, err := e.resolveImage(t.Context(), "x", backend.PullMissing); !errors.Is(err, backend.ErrUnavailable) {
		t.Errorf("got %v, want ErrUnavailable", err)
	}
}

func TestPullIsShared(t *testing.T) {
	t.Parallel()
	started, release := make(chan struct{}, 8), make(chan struct{})
	e := newRegistryEngine(t, "x:latest", func(w http.ResponseWriter, r *http.Request) {
		started <- struct{}{}
		<-release
		pulled(w, r)
	})
	var group sync.WaitGroup
	resolve := func(ref string) {
		group.Go(func() {
			if _, err := e.resolveImage(t.Context(), ref, backend.PullMissing); err != nil {
				t.Error(err)
			}
		})
	}
	resolve("x")
	<-started
	for _, ref := range []string{"x", "x:latest", "docker.io/library/x"} {
		resolve(ref)
	}
	close(release)
	group.Wait()
	if got := e.pulls.Load(); got != 1 {
		t.Errorf("pulled %d times, want once", got)
	}
}

func TestPullInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	e := newRegistryEngine(t, "x:latest", func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done() // the client has hung up
		close(ended)
	})
	if _, err := e.resolveImage(ctx, "x", backend.PullMissing); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the interruption", err)
	}
	<-ended
}

func TestPullCredentials(t *testing.T) {
	t.Parallel()
	basic := base64.StdEncoding.EncodeToString([]byte("me:s3cret"))
	tests := map[string]struct {
		ref, config string
		want        registry.AuthConfig
	}{
		"none configured": {ref: "registry.example/x:1"},
		"private registry": {
			ref:    "registry.example:5000/x:1",
			config: `{"auths":{"registry.example:5000":{"auth":"` + basic + `"},"registry.example":{"auth":"b3RoZXI6b3RoZXI="}}}`,
			want:   registry.AuthConfig{Username: "me", Password: "s3cret", ServerAddress: "registry.example:5000"},
		},
		"Docker Hub": {
			ref:    "team/x:1",
			config: `{"auths":{"https://index.docker.io/v1/":{"auth":"` + basic + `"}}}`,
			want:   registry.AuthConfig{Username: "me", Password: "s3cret", ServerAddress: "https://index.docker.io/v1/"},
		},
		"another registry's": {
			ref:    "registry.example/x:1",
			config: `{"auths":{"https://index.docker.io/v1/":{"auth":"` + basic + `"}}}`,
		},
		"identity token": {
			ref:    "registry.example/x:1",
			config: `{"auths":{"registry.example":{"identitytoken":"t0ken"}}}`,
			want:   registry.AuthConfig{IdentityToken: "t0ken", ServerAddress: "registry.example"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newRegistryEngine(t, test.ref, pulled)
			if test.config != "" {
				writeFile(t, filepath.Join(e.env.configDir(), "config.json"), test.config)
			}
			if _, err := e.resolveImage(t.Context(), test.ref, backend.PullAlways); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, e.auth); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestPullErrorsTellNoSecret(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]string{
		"refused":         `{"auths":{"registry.example":{"auth":"` + base64.StdEncoding.EncodeToString([]byte("me:s3cret")) + `"}}}`,
		"damaged":         `{"auths":{"registry.example":{"auth":"me:s3cret"}}}`,
		"no such helper":  `{"credHelpers":{"registry.example":"s3cret-helper"}}`,
		"not JSON at all": `s3cret`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newRegistryEngine(t, "registry.example/x:1", status(http.StatusUnauthorized, "who are you"))
			writeFile(t, filepath.Join(e.env.configDir(), "config.json"), config)
			_, err := e.resolveImage(t.Context(), "registry.example/x:1", backend.PullMissing)
			if !errors.Is(err, backend.ErrImageUnavailable) {
				t.Fatalf("got %v, want ErrImageUnavailable", err)
			}
			if strings.Contains(err.Error(), "s3cret") {
				t.Errorf("%q tells a secret", err)
			}
			if unread := name != "refused"; unread != strings.Contains(err.Error(), "could not be read") {
				t.Errorf("%q: says that credentials could not be read: want %t", err, unread)
			}
		})
	}
}
