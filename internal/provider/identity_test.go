package provider_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/fake"
)

func identityNamed(name string) object { return object{"name": name, "backend": "docker"} }

// An object has the same identity for its whole life, whatever its engine's id
// of it becomes. That it never changes is checked by core at each call.
func TestIdentity(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	c := newCore(t, h)
	expect := func(current instance, want object) {
		t.Helper()
		if diff := cmp.Diff(want, c.identity(current.identity)); diff != "" {
			t.Errorf("identity (-want +got):\n%s", diff)
		}
	}

	config := object{"name": "web", "image": "app:1"}
	web := c.reach(c.none(containerType), config)
	expect(web, identityNamed("web"))
	for _, change := range []object{{"memory_limit_mb": 64}, {"reset_trigger": "1"}} {
		for name, value := range change {
			config[name] = value
		}
		web = c.mustRefresh(c.reach(web, config))
		expect(web, identityNamed("web"))
	}
	config["name"] = "other"
	expect(c.reach(web, config), identityNamed("other"))

	generated := c.reach(c.none(containerType), object{"image": "app:1"})
	expect(generated, identityNamed(generated.attributes()["name"].(string)))

	expect(c.mustRefresh(c.reach(c.none(networkType), object{"name": "app"})), identityNamed("app"))

	config = object{"name": "orders", "seed": object{"image": "app:1"}}
	orders := c.reach(c.none(checkpointType), config)
	expect(orders, identityNamed("orders"))
	config["triggers"] = object{"data": "2"}
	expect(c.mustRefresh(c.reach(orders, config)), identityNamed("orders"))
}

// State that was written before there were identities has one after the next
// refresh, or the next update if there is none, and can be dropped from state.
func TestIdentityOfOlderState(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		typeName       string
		config, change object
		lose           func(h *harness)
	}{
		"container": {
			containerType, object{"name": "web", "image": "app:1"}, object{"name": "web", "image": "app:1", "reset_trigger": "1"},
			func(h *harness) { h.RemoveOutOfBand("web") },
		},
		"checkpoint": {
			checkpointType, object{"name": "web", "seed": object{"image": "app:1"}}, object{"name": "web", "seed": object{"image": "app:2"}},
			func(h *harness) {
				h.DropArtifact("rightsize/checkpoint:web")
				_, _ = h.registry.Delete("web")
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHarness(t)
			c := newCore(t, h)
			older := c.reach(c.none(tc.typeName), tc.config)
			older.identity = nil
			if diff := cmp.Diff(identityNamed("web"), c.identity(c.mustRefresh(older).identity)); diff != "" {
				t.Errorf("identity after a refresh (-want +got):\n%s", diff)
			}
			updated := c.reach(older, tc.change)
			if diff := cmp.Diff(identityNamed("web"), c.identity(updated.identity)); diff != "" {
				t.Errorf("identity after an update (-want +got):\n%s", diff)
			}
			tc.lose(h)
			updated.identity = nil
			if c.mustRefresh(updated).exists() {
				t.Error("what is gone is still in state")
			}
		})
	}
}

// A provider that is not configured yet keeps state, identity included.
func TestIdentityWithoutConfiguration(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	web := newCore(t, h).reach(newCore(t, h).none(containerType), object{"name": "web", "image": "app:1"})
	server, err := h.server()
	if err != nil {
		t.Fatal(err)
	}
	c := newUnconfiguredCore(t, server)
	c.configure(object{"cache_dir": unknown})
	web.identity = nil
	if diff := cmp.Diff(identityNamed("web"), c.identity(c.mustRefresh(web).identity)); diff != "" {
		t.Errorf("identity (-want +got):\n%s", diff)
	}
}

// A container that failed after the engine had it is in state with its identity.
func TestIdentityOfFailedContainer(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	c := newCore(t, h)
	config := object{"name": "web", "image": "broken:1"}
	web, diagnostics := c.apply(c.plan(c.none(containerType), config), config)
	expectError(t, diagnostics, "wait_for", "Unable to Create Container")
	if diff := cmp.Diff(identityNamed("web"), c.identity(web.identity)); diff != "" || !web.tainted {
		t.Errorf("tainted: %t, identity (-want +got):\n%s", web.tainted, diff)
	}
}

// An import by identity takes the same object as one by id, and nothing is to be
// done after it.
func TestImportByIdentity(t *testing.T) {
	t.Parallel()
	for name, identity := range map[string]object{"name": {"name": "web"}, "name and backend": identityNamed("web")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHarness(t)
			c := newCore(t, h)
			for _, made := range []struct {
				typeName string
				config   object
			}{
				{containerType, object{"name": "web", "image": "app:1", "env": object{"A": "1"}, "exposed_ports": list{"80"}}},
				{checkpointType, object{"name": "web", "container_id": "web"}},
				{networkType, object{"name": "web", "internal": true}},
			} {
				config := made.config
				created := c.reach(c.none(made.typeName), config)
				imported, diagnostics := c.importedByIdentity(made.typeName, identity)
				c.must(diagnostics, nil)
				if diff := cmp.Diff(identityNamed("web"), c.identity(imported.identity)); diff != "" {
					t.Errorf("identity (-want +got):\n%s", diff)
				}
				snapshot := h.snapshot(t)
				adopted := c.reach(imported, config)
				c.mustSettle(adopted, config)
				if diff := cmp.Diff(created.attributes(), adopted.attributes()); diff != "" {
					t.Errorf("state differs (-created +adopted):\n%s", diff)
				}
				if diff := cmp.Diff(snapshot, h.snapshot(t)); diff != "" {
					t.Errorf("adopting it did something (-before +after):\n%s", diff)
				}
			}
		})
	}
}

// An import never takes something else than what its identity says.
func TestImportByWrongIdentity(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	c := newCore(t, h)
	web := h.running(t, backend.Spec{Name: "web", Image: "app:1"})
	h.registered(t, "orders", backend.Spec{Image: "app:1"})
	for name, tc := range map[string]struct {
		typeName string
		identity object
		want     string
	}{
		"no such container":          {containerType, object{"name": "nowhere"}, "Unable to Import Container"},
		"a container's id":           {containerType, object{"name": web.ID}, `the container "web"`},
		"container elsewhere":        {containerType, object{"name": "web", "backend": "microsandbox"}, "State Belongs to Another Backend"},
		"no such checkpoint":         {checkpointType, object{"name": "nowhere"}, `No checkpoint "nowhere"`},
		"a checkpoint's id":          {checkpointType, object{"name": "orders@sha256:1"}, "Unable to Import Checkpoint"},
		"a path":                     {checkpointType, object{"name": "../orders"}, "Unable to Import Checkpoint"},
		"checkpoint elsewhere":       {checkpointType, object{"name": "orders", "backend": "microsandbox"}, "State Belongs to Another Backend"},
		"checkpoint without a place": {checkpointType, object{"name": "orders", "backend": "attic"}, `created by backend "attic"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, diagnostics := c.importedByIdentity(tc.typeName, tc.identity)
			if !failed(diagnostics) || !strings.Contains(render(diagnostics), tc.want) {
				t.Errorf("got\n%swant %q", render(diagnostics), tc.want)
			}
		})
	}
}

// Terraform before 1.12, and OpenTofu, know no identities.
func TestClientWithoutIdentities(t *testing.T) {
	t.Parallel()
	h := newHarness(t, fake.WithImage("app:3", fake.Image{Command: []string{"serve", "/srv"}}))
	c := newCore(t, h)
	c.identities = nil
	config := object{"name": "web", "image": "app:3"}
	web := c.reach(c.none(containerType), config)
	c.mustSettle(web, config)
	config["reset_trigger"] = "1"
	web = c.reach(web, config)
	c.mustSettle(web, config)
	imported, diagnostics := c.imported(containerType, "web")
	c.must(diagnostics, nil)
	if imported.identity != nil {
		t.Error("there is an identity")
	}
	c.mustDestroy(web)
}
