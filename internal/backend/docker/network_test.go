package docker

import (
	"encoding/json"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/network"
	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// A network whose creation was answered to nobody is taken for what it is, and
// one of somebody else's that has the name is not.
func TestCreateNetworkLosesItsAnswer(t *testing.T) {
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
			inspect := func(w http.ResponseWriter, _ *http.Request) {
				reply(w, http.StatusOK, network.Inspect{ID: "made", Name: "app", Labels: map[string]string{labelOwner: test.owner}})
			}
			b := fakeEngine(t, map[string]http.HandlerFunc{
				"POST /networks/create": func(w http.ResponseWriter, _ *http.Request) {
					if creations.Add(1) == 1 {
						hangUp(w)
					}
					reply(w, http.StatusConflict, map[string]string{"message": "network with name app already exists"})
				},
				"GET /networks/app":  inspect,
				"GET /networks/made": inspect,
			})
			made, err := b.CreateNetwork(t.Context(), backend.NetworkSpec{Name: "app", Owner: "this operation"})
			if !errors.Is(err, test.want) {
				t.Fatalf("got %v, want %v", err, test.want)
			}
			if err == nil && (made.ID != "made" || creations.Load() != 1) {
				t.Errorf("got network %q after %d creations", made.ID, creations.Load())
			}
		})
	}
}

// An engine that has no addresses left says so in words that differ between
// versions, and in no class of its own.
func TestCreateNetworkWithoutAddresses(t *testing.T) {
	t.Parallel()
	b := fakeEngine(t, map[string]http.HandlerFunc{
		"POST /networks/create": func(w http.ResponseWriter, _ *http.Request) {
			reply(w, http.StatusInternalServerError, map[string]string{"message": "could not find an available, non-overlapping IPv4 address pool among the defaults to assign to the network"})
		},
	})
	_, err := b.CreateNetwork(t.Context(), backend.NetworkSpec{Name: "app"})
	failure, ok := errors.AsType[*backend.Error](err)
	if !ok || failure.Kind != nil || failure.Remedy != networkRemedy {
		t.Errorf("got %#v", err)
	}
}

// A container that comes onto the network between the two steps of its removal
// is taken off as well.
func TestRemoveNetworkThatIsJoined(t *testing.T) {
	t.Parallel()
	var removals, disconnects atomic.Int32
	b := fakeEngine(t, map[string]http.HandlerFunc{
		"GET /networks/app": func(w http.ResponseWriter, _ *http.Request) {
			info := network.Inspect{ID: "app-id", Name: "app"}
			if removals.Load() > 0 {
				info.Containers = map[string]network.EndpointResource{"web-id": {Name: "web"}}
			}
			reply(w, http.StatusOK, info)
		},
		"GET /containers/web-id/json": func(w http.ResponseWriter, _ *http.Request) {
			reply(w, http.StatusOK, container.InspectResponse{
				ContainerJSONBase: &container.ContainerJSONBase{ID: "web-id", Name: "/web", State: &container.State{}, HostConfig: &container.HostConfig{}},
				Config:            &container.Config{Labels: map[string]string{labelSpec: `{"container":"web"}`}},
				NetworkSettings: &container.NetworkSettings{Networks: map[string]*network.EndpointSettings{
					"app": {NetworkID: "app-id", Aliases: []string{"web-id", "db"}}, "bridge": {},
				}},
			})
		},
		"POST /networks/app-id/disconnect": func(_ http.ResponseWriter, r *http.Request) {
			var options network.DisconnectOptions
			_ = json.NewDecoder(r.Body).Decode(&options)
			if options.Container == "web-id" && options.Force {
				disconnects.Add(1)
			}
		},
		"DELETE /networks/app-id": func(w http.ResponseWriter, _ *http.Request) {
			if removals.Add(1) == 1 {
				reply(w, http.StatusForbidden, map[string]string{"message": "network app has active endpoints"})
			}
		},
	})
	detached, err := b.RemoveNetwork(t.Context(), "app")
	if err != nil {
		t.Fatal(err)
	}
	want := []backend.Detached{{Container: "web-id", Attachment: backend.Attachment{Network: "app", Aliases: []string{"db"}}}}
	if diff := cmp.Diff(want, detached); diff != "" {
		t.Errorf("taken off (-want +got):\n%s", diff)
	}
	if disconnects.Load() != 1 || removals.Load() != 2 {
		t.Errorf("%d disconnects and %d removals", disconnects.Load(), removals.Load())
	}
}

// The engine finds a network by the beginning of an id, which would be another
// one than the one that is named.
func TestInspectNetworkByPartOfItsID(t *testing.T) {
	t.Parallel()
	b := fakeEngine(t, map[string]http.HandlerFunc{
		"GET /networks/ab": func(w http.ResponseWriter, _ *http.Request) {
			reply(w, http.StatusOK, network.Inspect{ID: "abcdef", Name: "app"})
		},
	})
	for _, id := range []string{"ab", ""} {
		if _, err := b.InspectNetwork(t.Context(), id); !errors.Is(err, backend.ErrNotFound) {
			t.Errorf("%q: %v", id, err)
		}
	}
}
