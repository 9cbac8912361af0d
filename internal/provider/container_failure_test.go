package provider_test

import (
	"context"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/fake"
)

// TestContainerCreateFails makes each step of a creation fail. What the engine
// has is in state, marked as tainted, and nothing else is; the next apply makes
// it good, and so does a destroy.
func TestContainerCreateFails(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		config object
		fail   func(*harness)
		// kept says that the container stays.
		kept     bool
		at, says string
	}{
		"create": {
			fail: func(h *harness) { h.Fail(fake.Create, errLost, 1) },
			says: "Start the engine.",
		},
		"engine away": {
			fail: func(h *harness) { h.Fail(fake.Engine, errLost, 1) },
			says: "Start the engine.",
		},
		"image missing": {
			config: object{"image": "app:9"},
			at:     "image", says: "Check the image's name.",
		},
		"start": {
			fail: func(h *harness) { h.Fail(fake.Start, errLost, 1) },
			kept: true, says: "Start the engine.",
		},
		"start, not kept": {
			config: object{"on_failure": "remove"},
			fail:   func(h *harness) { h.Fail(fake.Start, errLost, 1) },
			says:   "Start the engine.",
		},
		"unknown program": {
			config: object{"command": list{"serf"}},
			kept:   true, at: "command", says: "Correct the command.",
		},
		"inspect after the start": {
			fail: func(h *harness) { h.Fail(fake.Inspect, errLost, 1) },
			kept: true, says: "Start the engine.",
		},
		"died": {
			config: object{"image": "broken:1", "exposed_ports": list{"80"}},
			kept:   true, at: "wait_for", says: "cannot find my data",
		},
		"out of memory": {
			config: object{"image": "greedy:1", "exposed_ports": list{"80"}},
			kept:   true, at: "wait_for", says: "raise memory_limit_mb",
		},
		"wait command": {
			config: object{"wait_for": object{"exec": object{"command": list{"true"}}}},
			fail:   func(h *harness) { h.Fail(fake.Exec, errLost, 1) },
			kept:   true, says: "Start the engine.",
		},
		"job fails": {
			config: object{"image": "broken:1", "wait_for": object{"exit": true}},
			kept:   true, at: "wait_for", says: "cannot find my data",
		},
		"no health check": {
			config: object{"wait_for": object{"health": true}},
			kept:   true, at: "", says: "declares no health check",
		},
		"ends without having to": {
			// Its last step ends the container's process.
			config: object{"exec": list{object{"command": list{"end"}}}},
			kept:   true, at: "exec[0]", says: "The end of the container's log: ready",
		},
		"exec step": {
			config: object{"exec": list{object{"command": list{"true"}}, object{"command": list{"cat", "/missing"}}}},
			kept:   true, at: "exec[1]", says: "/missing: No such file or directory",
		},
		"exec step, not kept": {
			config: object{"exec": list{object{"command": list{"false"}}}, "on_failure": "remove"},
			at:     "exec[0]", says: "exited with code 1",
		},
		"exec cannot run": {
			config: object{"exec": list{object{"command": list{"true"}}}},
			fail:   func(h *harness) { h.Fail(fake.Exec, errLost, 1) },
			kept:   true, at: "exec[0]", says: "connection lost",
		},
		"clean-up": {
			config: object{"exec": list{object{"command": list{"false"}}}, "on_failure": "remove"},
			fail:   func(h *harness) { h.Fail(fake.Remove, errLost, 1) },
			kept:   true, at: "exec[0]", says: "could not be removed",
		},
		"owner of a file": {
			config: object{"files": list{object{"path": "/a", "content": "x"}, object{"path": "/b", "content": "x", "owner": "nessuno"}}},
			at:     "files[1]", says: "nessuno",
		},
		"no checkpoint": {
			config: object{"image": nil, "from_checkpoint": "orders"},
			at:     "from_checkpoint", says: "check that cache_dir and backend are those",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var h *harness
			h = newHarness(t, fake.WithCommand("end", func(context.Context, *fake.Process) backend.Exit {
				h.StopOutOfBand("web")
				return backend.Exit{}
			}))
			if tc.fail != nil {
				tc.fail(h)
			}
			c := newCore(t, h)
			config := object{"name": "web", "image": "app:1"}
			maps.Copy(config, tc.config)

			planned := c.plan(c.none(containerType), config)
			c.must(planned.diagnostics, nil)
			failedInstance, diagnostics := c.apply(planned, config)
			expectError(t, diagnostics, tc.at, tc.says)
			expectError(t, diagnostics, tc.at, "Unable to Create Container")
			if got := len(h.Containers()) == 1; got != tc.kept {
				t.Errorf("the container is there: %t, want %t", got, tc.kept)
			}
			if failedInstance.exists() != tc.kept || failedInstance.tainted != tc.kept {
				t.Errorf("it is in state: %t, tainted: %t, want both %t", failedInstance.exists(), failedInstance.tainted, tc.kept)
			}
			if tc.kept {
				if diff := cmp.Diff(h.container(t, "web").ID, failedInstance.attributes()["container_id"]); diff != "" {
					t.Errorf("state names another container (-engine +state):\n%s", diff)
				}
				destroyable := c.mustRefresh(failedInstance)
				if !destroyable.exists() {
					t.Error("a refresh forgot the container")
				}
			}

			// The user mends the configuration, or the engine is back.
			mended := object{"name": "web", "image": "app:1"}
			current := c.reach(c.mustRefresh(failedInstance), mended)
			c.mustSettle(current, mended)
			c.mustDestroy(current)
			if left := h.Containers(); len(left) > 0 {
				t.Errorf("a destroy left %v", left)
			}
		})
	}
}

// A failed creation can be destroyed at once.
func TestDestroyAfterFailedCreate(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	c := newCore(t, h)
	config := object{"name": "web", "image": "broken:1", "exposed_ports": list{"80"}}
	current, diagnostics := c.apply(c.plan(c.none(containerType), config), config)
	expectError(t, diagnostics, "wait_for", "code 3")
	c.mustDestroy(current)
	if left := h.Containers(); len(left) > 0 {
		t.Errorf("the destroy left %v", left)
	}
}

// A container that was started again and does not become ready is waited for
// again by every apply until it does, although Terraform does not taint it.
func TestResumeFailsAndIsRetried(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	c := newCore(t, h)
	config := object{"name": "web", "image": "app:1", "wait_for": object{"exec": object{"command": list{"true"}}}}
	current := c.reach(c.none(containerType), config)
	id := h.container(t, "web").ID
	h.StopOutOfBand("web")

	h.Fail(fake.Exec, errLost, 2)
	for attempt := range 2 {
		planned := c.plan(c.mustRefresh(current), config)
		c.must(planned.diagnostics, nil)
		if planned.action != actionUpdate {
			t.Fatalf("attempt %d: the plan is %s", attempt, planned.action)
		}
		var diagnosed string
		after, diagnostics := c.apply(planned, config)
		for _, d := range diagnostics {
			diagnosed += d.Summary
		}
		if diagnosed != "Unable to Start Container" {
			t.Errorf("attempt %d:\n%s", attempt, render(diagnostics))
		}
		current = after
		if got := h.container(t, "web").State; got != backend.StateRunning {
			t.Errorf("attempt %d: the container is %s", attempt, got)
		}
	}
	current = c.mustRefresh(current)
	if got := current.attributes()["status"]; got != "unready" {
		t.Errorf("the status is %v", got)
	}
	current = c.reach(current, config)
	c.mustSettle(current, config)
	if got := h.container(t, "web").ID; got != id {
		t.Error("the container was replaced")
	}
}

// A reset that fails is planned again until it is done.
func TestResetFailsAndIsRetried(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		onFailure string
		fail      func(*harness)
		next      action
	}{
		"the checkpoint cannot be looked up": {"keep", func(h *harness) { h.Fail(fake.ListArtifacts, errLost, 1) }, actionUpdate},
		"remove":                             {"keep", func(h *harness) { h.Fail(fake.Remove, errLost, 1) }, actionUpdate},
		"create":                             {"keep", func(h *harness) { h.Fail(fake.Create, errLost, 1) }, actionCreate},
		"start":                              {"keep", func(h *harness) { h.Fail(fake.Start, errLost, 1) }, actionUpdate},
		"start, not kept":                    {"remove", func(h *harness) { h.Fail(fake.Start, errLost, 1) }, actionCreate},
		"exec":                               {"keep", func(h *harness) { h.Fail(fake.Exec, errLost, 1) }, actionUpdate},
		"exec, not kept":                     {"remove", func(h *harness) { h.Fail(fake.Exec, errLost, 1) }, actionCreate},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHarness(t)
			h.registered(t, "orders", backend.Spec{Image: "app:1"})
			c := newCore(t, h)
			name := uniqueName(t)
			config := object{
				"name": name, "from_checkpoint": "orders", "exposed_ports": list{"80"}, "reset_trigger": "1", "on_failure": tc.onFailure,
				"exec": list{object{"command": list{"write", "/seeded", "yes"}}},
			}
			current := c.reach(c.none(containerType), config)
			ports := h.container(t, name).Ports

			config["reset_trigger"] = "2"
			tc.fail(h)
			planned := c.plan(c.mustRefresh(current), config)
			c.must(planned.diagnostics, nil)
			if planned.action != actionUpdate {
				t.Fatalf("the plan is %s", planned.action)
			}
			current, diagnostics := c.apply(planned, config)
			expectError(t, diagnostics, "", "Unable to Reset Container")
			if current.exists() != (tc.next == actionUpdate) {
				t.Errorf("it is in state: %t", current.exists())
			}

			// The next command of Terraform has a provider of its own.
			c = newCore(t, h)
			again := c.plan(c.mustRefresh(current), config)
			c.must(again.diagnostics, nil)
			if again.action != tc.next {
				t.Errorf("the next plan is %s, want %s", again.action, tc.next)
			}
			h.ResetCalls()
			current, diagnostics = c.apply(again, config)
			c.must(diagnostics, nil)
			c.mustSettle(current, config)
			if h.Count(fake.Create) != 1 {
				t.Error("the container was not made again")
			}
			if _, err := h.Files(name).ReadFile("/seeded"); err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff(ports, h.container(t, name).Ports); diff != "" {
				t.Errorf("the host ports changed (-before +after):\n%s", diff)
			}
		})
	}
}

// An update that fails is planned again.
func TestUpdateFailsAndIsRetried(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	c := newCore(t, h)
	config := object{"name": "web", "image": "app:1", "memory_limit_mb": 64}
	current := c.reach(c.none(containerType), config)
	config["memory_limit_mb"] = 128
	h.Fail(fake.Update, errLost, 1)
	current, diagnostics := c.apply(c.plan(current, config), config)
	expectError(t, diagnostics, "", "Unable to Update Container")
	if got := current.attributes()["memory_limit_mb"]; got != int64(64) {
		t.Errorf("state has %v", got)
	}
	current = c.reach(c.mustRefresh(current), config)
	c.mustSettle(current, config)
	if got := h.container(t, "web").Given.Limits.MemoryMB; got != 128 {
		t.Errorf("the engine has %d", got)
	}
}

// A wait that is added to a container, and is not fulfilled, is not taken as
// fulfilled.
func TestNewWaitFailsAndIsRetried(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	c := newCore(t, h)
	config := object{"name": "web", "image": "app:1"}
	current := c.reach(c.none(containerType), config)
	config["wait_for"] = object{"exec": object{"command": list{"true"}}}
	h.Fail(fake.Exec, errLost, 1)
	current, diagnostics := c.apply(c.plan(current, config), config)
	expectError(t, diagnostics, "", "Unable to Wait For Container")
	current = c.reach(c.mustRefresh(current), config)
	c.mustSettle(current, config)
}

func TestRequireIsolation(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	c := newCore(t, h)
	config := object{"name": "web", "image": "app:1", "require_isolation": true}
	_, diagnostics := c.apply(c.plan(c.none(containerType), config), config)
	expectError(t, diagnostics, "require_isolation", "or unset require_isolation")
	if len(h.Mutations()) > 0 {
		t.Error("something was done before the refusal")
	}
	config["require_isolation"] = false
	current := c.reach(c.none(containerType), config)
	config["require_isolation"] = true
	_, diagnostics = c.apply(c.plan(current, config), config)
	expectError(t, diagnostics, "require_isolation", "or unset require_isolation")
}
