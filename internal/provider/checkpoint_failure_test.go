package provider_test

import (
	"maps"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/fake"
)

// captureFailures make each step of a capture fail.
func captureFailures() map[string]captureFailure {
	lose := func(method fake.Method) func(*testing.T, *harness) {
		return func(_ *testing.T, h *harness) { h.Fail(method, errLost, 1) }
	}
	return map[string]captureFailure{
		"engine":        {fail: lose(fake.Engine), says: "Start the engine."},
		"image missing": {seed: object{"image": "app:9"}, at: "seed.image", says: "Check the image's name."},
		"create":        {fail: lose(fake.Create), says: "Start the engine."},
		"start":         {fail: lose(fake.Start), says: "Start the engine."},
		"dies":          {seed: object{"image": "broken:1", "exposed_ports": list{"80"}}, at: "seed.wait_for", says: "cannot find my data"},
		"file":          {seed: object{"files": list{object{"path": "/f", "content": "x", "owner": "nessuno"}}}, at: "seed.files[0]", says: "nessuno"},
		"exec step": {
			seed: object{"exec": list{object{"command": list{"true"}}, object{"command": list{"cat", "/missing"}}}},
			at:   "seed.exec[1]", says: "/missing: No such file or directory",
		},
		"stop":      {fail: lose(fake.Stop), says: "Start the engine."},
		"isolation": {seed: object{"require_isolation": true}, at: "seed.require_isolation", says: "unset require_isolation"},
		"nested checkpoint": {
			seed: object{"image": nil, "from_checkpoint": "nowhere"}, at: "seed.from_checkpoint", says: "check that cache_dir and backend",
		},
		"capture": {fail: lose(fake.Capture), says: "Start the engine."},
		"publish": {fail: lose(fake.Publish), says: "Start the engine."},
		"look up": {fail: lose(fake.Artifact), says: "Start the engine."},
		"registry": {
			fail: func(t *testing.T, h *harness) {
				// An entry cannot be renamed over a directory.
				if err := os.RemoveAll(h.entryPath("orders")); err != nil {
					t.Fatal(err)
				}
				if err := os.MkdirAll(h.entryPath("orders"), 0o700); err != nil {
					t.Fatal(err)
				}
			},
			mend: func(t *testing.T, h *harness) {
				if err := os.Remove(h.entryPath("orders")); err != nil {
					t.Fatal(err)
				}
			},
			says: "cannot be registered", breaksEntry: true,
		},
	}
}

type captureFailure struct {
	seed       object
	fail, mend func(*testing.T, *harness)
	at, says   string
	// breaksEntry says that the failure itself damages the entry there is.
	breaksEntry bool
}

func (f captureFailure) config() object {
	seed := object{"image": "app:1"}
	maps.Copy(seed, f.seed)
	return object{"name": "orders", "seed": seed}
}

// A checkpoint that cannot be captured leaves nothing: no state, no container,
// no artifact, no entry.
func TestFirstCaptureFails(t *testing.T) {
	t.Parallel()
	for name, tc := range captureFailures() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHarness(t)
			c := newCore(t, h)
			if tc.fail != nil {
				tc.fail(t, h)
			}
			planned := c.plan(c.none(checkpointType), tc.config())
			c.must(planned.diagnostics, nil)
			current, diagnostics := c.apply(planned, tc.config())
			expectError(t, diagnostics, tc.at, tc.says)
			expectError(t, diagnostics, tc.at, "Unable to Capture Checkpoint")
			if current.exists() {
				t.Error("state has it")
			}
			if left := h.Containers(); len(left) > 0 {
				t.Errorf("it left %v", left)
			}
			if left := h.AllArtifacts(); len(left) > 0 {
				t.Errorf("it left %v", left)
			}
			if tc.mend != nil {
				tc.mend(t, h)
			}
			if diff := cmp.Diff(map[string]string{}, h.snapshot(t).Files); diff != "" {
				t.Errorf("it left (-want +got):\n%s", diff)
			}
			mended := object{"name": "orders", "seed": object{"image": "app:1"}}
			current = c.reach(current, mended)
			c.mustSettle(current, mended)
			c.mustDestroy(current)
		})
	}
}

// A capture that fails changes nothing: the earlier checkpoint is good, in the
// engine, in the registry and in state, and the next apply captures again.
func TestNextCaptureFails(t *testing.T) {
	t.Parallel()
	for name, tc := range captureFailures() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHarness(t)
			c := newCore(t, h)
			current := c.reach(c.none(checkpointType), object{"name": "orders", "seed": object{"image": "app:1", "env": object{"FIRST": "1"}}})
			before, artifacts := h.snapshot(t).Files, h.AllArtifacts()
			if tc.fail != nil {
				tc.fail(t, h)
			}
			planned := c.plan(current, tc.config())
			c.must(planned.diagnostics, nil)
			if planned.action != actionUpdate {
				t.Fatalf("the plan is %s", planned.action)
			}
			after, diagnostics := c.apply(planned, tc.config())
			expectError(t, diagnostics, tc.at, tc.says)
			if name != "engine" { // whose identity an update asks for first
				expectError(t, diagnostics, tc.at, "what the name stood for before it still stands for")
			}
			if diff := cmp.Diff(current.attributes(), after.attributes()); diff != "" {
				t.Errorf("state changed (-before +after):\n%s", diff)
			}
			if !tc.breaksEntry {
				if diff := cmp.Diff(before, h.snapshot(t).Files); diff != "" {
					t.Errorf("the registry changed (-before +after):\n%s", diff)
				}
				if diff := cmp.Diff(artifacts, h.AllArtifacts()); diff != "" {
					t.Errorf("the artifacts changed (-before +after):\n%s", diff)
				}
			}
			if left := h.Containers(); len(left) > 0 {
				t.Errorf("it left %v", left)
			}
			if tc.mend != nil {
				tc.mend(t, h)
			}
			mended := object{"name": "orders", "seed": object{"image": "app:1", "env": object{"SECOND": "1"}}}
			after = c.mustRefresh(after)
			h.ResetCalls()
			after = c.reach(after, mended)
			c.mustSettle(after, mended)
			if h.Count(fake.Capture) != 1 {
				t.Error("nothing was captured")
			}
			if got := h.AllArtifacts(); len(got) != 1 {
				t.Errorf("the engine has %v", got)
			}
		})
	}
}

// What cannot be cleaned up after a capture is no reason to lose it.
func TestOldArtifactStays(t *testing.T) {
	t.Parallel()
	for name, method := range map[string]fake.Method{"remove": fake.RemoveArtifact, "collect": fake.Collect} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHarness(t)
			c := newCore(t, h)
			config := object{"name": "orders", "seed": object{"image": "app:1"}}
			current := c.reach(c.none(checkpointType), config)
			config["triggers"] = object{"again": "1"}
			h.Fail(method, errLost, 1)
			current = c.reach(current, config)
			c.mustSettle(current, config)
			c.mustDestroy(current)
			if left := h.AllArtifacts(); len(left) > 0 {
				t.Errorf("the destroy left %v", left)
			}
		})
	}
}

func TestUncapturable(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.running(t, backend.Spec{Name: "db", Image: "app:1"})
	h.MarkUncapturable("db", "/mnt/data")
	c := newCore(t, h)
	config := object{"name": "orders", "container_id": "db"}
	_, diagnostics := c.apply(c.plan(c.none(checkpointType), config), config)
	expectError(t, diagnostics, "container_id", "whole: /mnt/data.")
	config["container_id"] = "nowhere"
	_, diagnostics = c.apply(c.plan(c.none(checkpointType), config), config)
	expectError(t, diagnostics, "container_id", "nowhere")
}

// A running container is captured without an end, under its user's definition.
func TestCaptureRunningContainer(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	c := newCore(t, h)
	web := c.reach(c.none(containerType), object{
		"name": "web", "image": "app:1", "env": object{"A": "1"}, "command": list{"serve", "/b"}, "exposed_ports": list{"80", "53/udp"}, "memory_limit_mb": 64,
	})
	config := object{"name": "orders", "container_id": web.attributes()["container_id"]}
	orders := c.reach(c.none(checkpointType), config)
	c.mustSettle(orders, config)
	want := object{"env": object{"A": "1"}, "command": list{"serve", "/b"}, "exposed_ports": list{int64(80)}, "memory_limit_mb": int64(64)}
	if diff := cmp.Diff(want, orders.attributes()["spec"]); diff != "" {
		t.Errorf("spec (-want +got):\n%s", diff)
	}
	if h.container(t, "web").State != backend.StateRunning || h.Count(fake.Stop) > 0 {
		t.Error("the container was stopped")
	}
	// The checkpoint gives its definition to what is restored from it.
	c.reach(c.none(containerType), object{"name": "copy", "from_checkpoint": orders.attributes()["id"]})
	got := h.container(t, "copy").Given
	if diff := cmp.Diff(backend.Given{
		Image: "rightsize/checkpoint:orders", Env: map[string]string{"A": "1"}, Command: []string{"serve", "/b"},
		ExposedPorts: []backend.Port{{Number: 80, Protocol: backend.TCP}}, Limits: backend.Limits{MemoryMB: 64}, Complete: true,
	}, got); diff != "" {
		t.Errorf("the copy (-want +got):\n%s", diff)
	}
}
