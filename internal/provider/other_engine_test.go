package provider_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/fake"
)

// secondEngine is another engine of the same backend, with a container and an
// artifact under the same names, as a developer has who switches contexts.
func secondEngine(t *testing.T, h *harness) (*fake.Backend, *core) {
	t.Helper()
	other := fake.New(fake.WithImage("app:1", fake.Image{Command: []string{"serve", "/srv"}}))
	t.Cleanup(other.Close)
	other.SetEngine(backend.Engine{ID: "second-engine", Address: "fake://second", Local: true, Capabilities: backend.Capabilities{Checkpoint: true, Networks: true}})
	made, err := other.Create(t.Context(), backend.Spec{Name: "web", Image: "app:1"})
	if err != nil {
		t.Fatal(err)
	}
	artifact, err := other.Capture(t.Context(), made.ID, backend.CaptureOptions{Name: "orders"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Publish(t.Context(), "orders", artifact); err != nil {
		t.Fatal(err)
	}
	server, err := h.serverOf(other)
	if err != nil {
		t.Fatal(err)
	}
	c := newUnconfiguredCore(t, server)
	c.configure(object{"cache_dir": h.cacheDir})
	return other, c
}

// State of another engine is an error, not something that is gone: nothing is
// planned anew, captured again or deleted.
func TestStateOfAnotherEngine(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	c := newCore(t, h)
	web := c.reach(c.none(containerType), object{"name": "web", "image": "app:1"})
	orders := c.reach(c.none(checkpointType), object{"name": "orders", "container_id": "web"})
	importedWeb, diagnostics := c.imported(containerType, "web")
	c.must(diagnostics, nil)
	importedOrders, diagnostics := c.imported(checkpointType, "orders")
	c.must(diagnostics, nil)
	before := h.snapshot(t)

	other, c := secondEngine(t, h)
	mutations := len(other.Mutations())
	for name, current := range map[string]instance{
		"Container web": web, "Checkpoint orders": orders,
		"Container web, imported": importedWeb, "Checkpoint orders, imported": importedOrders,
	} {
		read, diagnostics := c.refresh(current)
		expectError(t, diagnostics, "", "State Belongs to Another Engine")
		expectError(t, diagnostics, "", "created on the engine fake-engine at fake://engine, and the active engine is second-engine at fake://second")
		expectError(t, diagnostics, "", "DOCKER_HOST")
		if !read.exists() {
			t.Errorf("%s: state was dropped", name)
		}
		left, diagnostics := c.destroy(current)
		expectError(t, diagnostics, "", "State Belongs to Another Engine")
		if !left.exists() {
			t.Errorf("%s: the destroy dropped state", name)
		}
	}
	// As with -refresh=false.
	for current, config := range map[*instance]object{
		&web:    {"name": "web", "image": "app:1", "reset_trigger": "again"},
		&orders: {"name": "orders", "container_id": "web", "triggers": object{"a": "b"}},
	} {
		_, diagnostics := c.apply(c.plan(*current, config), config)
		expectError(t, diagnostics, "", "State Belongs to Another Engine")
	}
	if diff := cmp.Diff(before, h.snapshot(t)); diff != "" {
		t.Errorf("something was done (-before +after):\n%s", diff)
	}
	if calls := other.Mutations()[mutations:]; len(calls) > 0 {
		t.Errorf("the other engine was changed: %v", calls)
	}
}

// An engine whose id has changed has what it had.
func TestEngineWithAnotherID(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	c := newCore(t, h)
	web := c.reach(c.none(containerType), object{"name": "web", "image": "app:1"})
	orders := c.reach(c.none(checkpointType), object{"name": "orders", "container_id": "web"})
	h.SetEngine(backend.Engine{ID: "renamed", Address: "fake://engine", Local: true, Capabilities: backend.Capabilities{Checkpoint: true}})
	web = c.reach(c.mustRefresh(web), object{"name": "web", "image": "app:1", "reset_trigger": "again"})
	c.mustDestroy(c.mustRefresh(orders))
	// The update recorded the new id: now it is the engine's that is gone.
	h.RemoveOutOfBand("web")
	if read := c.mustRefresh(web); read.exists() {
		t.Error("a container that is gone is still in state")
	}
}

// State that was written before engines were recorded.
func TestStateOfNoEngine(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	c := newCore(t, h)
	web := c.reach(c.none(containerType), object{"name": "web", "image": "app:1"})
	web.private = nil
	h.RemoveOutOfBand("web")
	if read := c.mustRefresh(web); read.exists() {
		t.Error("a container that is gone is still in state")
	}
}
