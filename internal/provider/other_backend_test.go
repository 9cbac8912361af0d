package provider_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/fake"
)

// An engine that does not answer is no reason to forget anything.
func TestReadFails(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func(*harness){
		"lists fail": func(h *harness) {
			h.Fail(fake.List, errLost, fake.Always)
			h.Fail(fake.ListArtifacts, errLost, fake.Always)
		},
		"engine away": func(h *harness) { h.SetAvailable(false) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHarness(t)
			c := newCore(t, h)
			web := c.reach(c.none(containerType), object{"name": "web", "image": "app:1"})
			orders := c.reach(c.none(checkpointType), object{"name": "orders", "container_id": "web"})
			fail(h)
			for noun, current := range map[string]instance{"Container": web, "Checkpoint": orders} {
				read, diagnostics := c.refresh(current)
				expectError(t, diagnostics, "", "Unable to Read "+noun)
				expectError(t, diagnostics, "", "Start the engine.")
				if diff := cmp.Diff(current.attributes(), read.attributes()); diff != "" {
					t.Errorf("state changed (-before +after):\n%s", diff)
				}
			}
		})
	}
}

// An entry that cannot be read is left to its user, and so is the state.
func TestReadCorruptEntry(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	c := newCore(t, h)
	orders := c.reach(c.none(checkpointType), object{"name": "orders", "seed": object{"image": "app:1"}})
	writeFile(t, h.entryPath("orders"), "{")
	read, diagnostics := c.refresh(orders)
	expectError(t, diagnostics, "name", "left as it is")
	if !read.exists() {
		t.Error("state was dropped")
	}
	_, diagnostics = c.destroy(orders)
	expectError(t, diagnostics, "", "Unable to Delete Checkpoint")
	if len(h.AllArtifacts()) != 1 {
		t.Error("the artifact was deleted without knowing whose it is")
	}
}

// What is gone is no error to a destroy.
func TestDeleteWhatIsGone(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	c := newCore(t, h)
	web := c.reach(c.none(containerType), object{"name": "web", "image": "app:1"})
	orders := c.reach(c.none(checkpointType), object{"name": "orders", "container_id": "web"})
	h.RemoveOutOfBand("web")
	h.DropArtifact("rightsize/checkpoint:orders")
	c.mustDestroy(web)
	c.mustDestroy(orders)
	c.mustDestroy(orders)
	if diff := cmp.Diff(map[string]string{}, h.snapshot(t).Files); diff != "" {
		t.Errorf("the destroy left (-want +got):\n%s", diff)
	}
}

// A destroy that fails keeps state and can be repeated.
func TestDeleteFailsAndIsRetried(t *testing.T) {
	t.Parallel()
	for name, method := range map[string]fake.Method{"stop": fake.Stop, "remove": fake.Remove} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHarness(t)
			c := newCore(t, h)
			web := c.reach(c.none(containerType), object{"name": "web", "image": "app:1"})
			h.Fail(method, errLost, 1)
			left, diagnostics := c.destroy(web)
			expectError(t, diagnostics, "", "Unable to Delete Container")
			if !left.exists() {
				t.Fatal("state was dropped")
			}
			c.mustDestroy(c.mustRefresh(left))
			if len(h.Containers()) > 0 {
				t.Error("the container is left")
			}
		})
	}
	t.Run("artifact", func(t *testing.T) {
		t.Parallel()
		h := newHarness(t)
		c := newCore(t, h)
		orders := c.reach(c.none(checkpointType), object{"name": "orders", "seed": object{"image": "app:1"}})
		h.Fail(fake.RemoveArtifact, errLost, 1)
		left, diagnostics := c.destroy(orders)
		expectError(t, diagnostics, "", "Unable to Delete Checkpoint")
		left = c.mustRefresh(left)
		if !left.exists() {
			t.Fatal("state was dropped, or the entry")
		}
		c.mustDestroy(left)
		if len(h.AllArtifacts()) > 0 {
			t.Error("the artifact is left")
		}
	})
}

// State of another backend is an error, not something that is gone: nothing is
// planned anew or deleted.
func TestStateOfAnotherBackend(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	c := newCore(t, h)
	web := c.reach(c.none(containerType), object{"name": "web", "image": "app:1"})
	orders := c.reach(c.none(checkpointType), object{"name": "orders", "container_id": "web"})
	before := h.snapshot(t)

	other := fake.New(fake.WithName(backend.Microsandbox))
	t.Cleanup(other.Close)
	server, err := h.serverOf(other)
	if err != nil {
		t.Fatal(err)
	}
	c = newUnconfiguredCore(t, server)
	c.configure(object{"cache_dir": h.cacheDir})
	for name, current := range map[string]instance{"Container web": web, "Checkpoint orders": orders} {
		read, diagnostics := c.refresh(current)
		expectError(t, diagnostics, "", name+` was created by backend "docker", and the active backend is "microsandbox"`)
		expectError(t, diagnostics, "", "RIGHTSIZE_BACKEND=docker")
		if !read.exists() {
			t.Errorf("%s: state was dropped", name)
		}
		left, diagnostics := c.destroy(current)
		expectError(t, diagnostics, "", "State Belongs to Another Backend")
		if !left.exists() {
			t.Errorf("%s: the destroy dropped state", name)
		}
	}
	if diff := cmp.Diff(before, h.snapshot(t)); diff != "" {
		t.Errorf("something was done (-before +after):\n%s", diff)
	}
	if calls := other.Mutations(); len(calls) > 0 {
		t.Errorf("the other engine was changed: %v", calls)
	}
}

// Neither can it be restored or imported under another backend.
func TestCheckpointOfAnotherBackend(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	c := newCore(t, h)
	entry := foreignEntry("orders")
	h.put(t, entry)
	config := object{"from_checkpoint": "orders"}
	_, diagnostics := c.apply(c.plan(c.none(containerType), config), config)
	expectError(t, diagnostics, "from_checkpoint", `Set RIGHTSIZE_BACKEND=microsandbox`)
	_, diagnostics = c.imported(checkpointType, "orders")
	expectError(t, diagnostics, "", "State Belongs to Another Backend")
}
