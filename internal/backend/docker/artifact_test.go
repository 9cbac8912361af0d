package docker

import (
	"net/http"
	"slices"
	"sync"
	"testing"

	"github.com/docker/docker/api/types/filters"
	"github.com/google/go-cmp/cmp"
)

// A removal takes the tags of checkpoints and leaves the user's, with the image
// under them. A tag is taken by force only where the engine refuses: by force it
// would take the image from under a stopped container.
func TestRemoveArtifact(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		tags  []string
		inUse bool
		want  []string
	}{
		"a checkpoint":           {tags: []string{"rightsize/checkpoint:a"}, want: []string{"rightsize/checkpoint:a", "sha256:1"}},
		"several":                {tags: []string{"rightsize/checkpoint:a", "rightsize/checkpoint:b"}, want: []string{"rightsize/checkpoint:a", "rightsize/checkpoint:b", "sha256:1"}},
		"with a tag of a user's": {tags: []string{"rightsize/checkpoint:a", "mine:1"}, want: []string{"rightsize/checkpoint:a"}},
		"in use":                 {tags: []string{"rightsize/checkpoint:a"}, inUse: true, want: []string{"rightsize/checkpoint:a", "rightsize/checkpoint:a by force", "sha256:1"}},
		"without a tag":          {want: []string{"sha256:1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var removed requests
			remove := func(what string) http.HandlerFunc {
				return func(w http.ResponseWriter, r *http.Request) {
					forced := r.URL.Query().Get("force") != ""
					if forced {
						removed.add(what + " by force")
					} else {
						removed.add(what)
					}
					if test.inUse && !forced {
						reply(w, http.StatusConflict, map[string]string{"message": "a container uses it"})
						return
					}
					reply(w, http.StatusOK, []any{})
				}
			}
			routes := map[string]http.HandlerFunc{
				"GET /images/sha256:1/json": func(w http.ResponseWriter, _ *http.Request) {
					reply(w, http.StatusOK, map[string]any{"Id": "sha256:1", "RepoTags": test.tags})
				},
				"DELETE /images/sha256:1": remove("sha256:1"),
			}
			for _, tag := range test.tags {
				routes["DELETE /images/"+tag] = remove(tag)
			}
			if err := fakeEngine(t, routes).RemoveArtifact(t.Context(), "sha256:1"); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, removed.all()); diff != "" {
				t.Errorf("removed (-want +got):\n%s", diff)
			}
		})
	}
}

// What is collected is asked for by label, and without tags; what is to be kept
// and what is in use stays.
func TestCollect(t *testing.T) {
	t.Parallel()
	var removed requests
	remove := func(id string, status int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			removed.add(id)
			reply(w, status, []any{})
		}
	}
	b := fakeEngine(t, map[string]http.HandlerFunc{
		"GET /containers/json": func(w http.ResponseWriter, _ *http.Request) { reply(w, http.StatusOK, []any{}) },
		"GET /images/json": func(w http.ResponseWriter, r *http.Request) {
			asked, err := filters.FromJSON(r.URL.Query().Get("filters"))
			want := filters.NewArgs(filters.Arg("dangling", "true"), filters.Arg("label", labelCheckpoint+"=orders"))
			if diff := cmp.Diff(want, asked, cmp.AllowUnexported(filters.Args{})); err != nil || diff != "" {
				t.Errorf("asked for (-want +got):\n%s%v", diff, err)
			}
			reply(w, http.StatusOK, []map[string]string{{"Id": "sha256:1"}, {"Id": "sha256:2"}, {"Id": "sha256:3"}})
		},
		"DELETE /images/sha256:1": remove("sha256:1", http.StatusConflict),
		"DELETE /images/sha256:2": remove("sha256:2", http.StatusOK),
		"DELETE /images/sha256:3": remove("sha256:3", http.StatusOK),
	})
	if err := b.Collect(t.Context(), "orders", "sha256:2"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"sha256:1", "sha256:3"}, removed.all()); diff != "" {
		t.Errorf("removed (-want +got):\n%s", diff)
	}
}

// requests is what an engine was asked to do, in order.
type requests struct {
	mu   sync.Mutex
	seen []string
}

func (r *requests) add(what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen = append(r.seen, what)
}

func (r *requests) all() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.seen)
}
