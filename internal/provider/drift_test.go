package provider_test

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/fake"
)

// A container that does not run is started where it is: the same container, the
// same host ports, and its steps are not run again.
func TestContainerStopped(t *testing.T) {
	t.Parallel()
	for name, stop := range map[string]func(*harness, string){
		"stopped": (*harness).StopOutOfBand,
		"crashed": func(h *harness, name string) { h.ExitOutOfBand(name, backend.Exit{Code: 139}) },
		"paused":  (*harness).PauseOutOfBand,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHarness(t)
			c := newCore(t, h)
			web := uniqueName(t)
			config := object{
				"name": web, "image": "app:1", "exposed_ports": list{"80"}, "exec": list{object{"command": list{"true"}}},
				"wait_for": object{"log": object{"pattern": "ready", "times": 1}},
			}
			current := c.reach(c.none(containerType), config)
			before := h.container(t, web)
			stop(h, web)

			snapshot := h.snapshot(t)
			current = c.mustRefresh(current)
			planned := c.plan(current, config)
			c.must(planned.diagnostics, nil)
			if planned.action != actionUpdate {
				t.Fatalf("the plan is %s", planned.action)
			}
			if diff := cmp.Diff(snapshot, h.snapshot(t)); diff != "" {
				t.Errorf("planning changed something (-before +after):\n%s", diff)
			}
			want := current.attributes()
			want["status"] = "running"
			if diff := cmp.Diff(want, planned.attributes()); diff != "" {
				t.Errorf("the plan changes more than the status (-want +got):\n%s", diff)
			}
			h.ResetCalls()
			current, diagnostics := c.apply(planned, config)
			c.must(diagnostics, nil)
			c.mustSettle(current, config)
			after := h.container(t, web)
			if after.ID != before.ID || after.State != backend.StateRunning {
				t.Errorf("the container is %s %s", after.ID, after.State)
			}
			if diff := cmp.Diff(before.Ports, after.Ports); diff != "" {
				t.Errorf("the host ports changed (-before +after):\n%s", diff)
			}
			if h.Count(fake.Exec) > 0 {
				t.Error("the exec steps ran again")
			}
		})
	}
}

// A container that is gone is made again, at the address it had.
func TestContainerRemoved(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	c := newCore(t, h)
	web := uniqueName(t)
	config := object{"name": web, "image": "app:1", "exposed_ports": list{"80"}}
	current := c.reach(c.none(containerType), config)
	before := h.container(t, web).Ports
	h.RemoveOutOfBand(web)

	c = newCore(t, h)
	snapshot := h.snapshot(t)
	current = c.mustRefresh(current)
	if current.exists() {
		t.Fatal("state still has the container")
	}
	planned := c.plan(current, config)
	if diff := cmp.Diff(snapshot, h.snapshot(t)); diff != "" {
		t.Errorf("planning changed something (-before +after):\n%s", diff)
	}
	c = newCore(t, h)
	current, diagnostics := c.apply(planned, config)
	c.must(diagnostics, nil)
	c.mustSettle(current, config)
	if diff := cmp.Diff(before, h.container(t, web).Ports); diff != "" {
		t.Errorf("the host ports changed (-before +after):\n%s", diff)
	}
	h.RemoveOutOfBand(web)
	c.mustDestroy(current)
}

// A job that has done its work is as it should be.
func TestJobStaysExited(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	c := newCore(t, h)
	config := object{"image": "job:1", "wait_for": object{"exit": true}}
	current := c.reach(c.none(containerType), config)
	if got := current.attributes()["status"]; got != "exited" {
		t.Errorf("the status is %v", got)
	}
	c.mustSettle(current, config)
}

func removeEntry(t *testing.T, h *harness) {
	t.Helper()
	if err := os.Remove(h.entryPath("orders")); err != nil {
		t.Fatal(err)
	}
}

func dropArtifact(_ *testing.T, h *harness) { h.DropArtifact("rightsize/checkpoint:orders") }

// A checkpoint that is gone is captured again. One that is half gone is so in
// place, after a warning, and stays in state until then: what is left of it goes
// with a destroy.
func TestCheckpointGone(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		remove  []func(*testing.T, *harness)
		want    action
		warning string
	}{
		"entry":    {[]func(*testing.T, *harness){removeEntry}, actionUpdate, "its artifact rightsize/checkpoint:orders is there"},
		"artifact": {[]func(*testing.T, *harness){dropArtifact}, actionUpdate, "the artifact rightsize/checkpoint:orders is not"},
		"both":     {[]func(*testing.T, *harness){removeEntry, dropArtifact}, actionCreate, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHarness(t)
			c := newCore(t, h)
			config := object{"name": "orders", "seed": object{"image": "app:1"}}
			current := c.reach(c.none(checkpointType), config)
			lose := func() {
				for _, remove := range test.remove {
					remove(t, h)
				}
			}
			lose()

			snapshot := h.snapshot(t)
			planned := c.plan(c.mustRefresh(current), config)
			c.must(planned.diagnostics, nil)
			if planned.action != test.want {
				t.Errorf("the plan is %s", planned.action)
			}
			if text := render(planned.diagnostics); (text == "") != (test.warning == "") ||
				!strings.Contains(text, test.warning) || text != "" && !strings.Contains(text, "WARNING at name: Checkpoint Is Incomplete") {
				t.Errorf("the warning is %q, want %q", text, test.warning)
			}
			if diff := cmp.Diff(snapshot, h.snapshot(t)); diff != "" {
				t.Errorf("planning changed something (-before +after):\n%s", diff)
			}
			current, diagnostics := c.apply(planned, config)
			c.must(diagnostics, nil)
			c.mustSettle(current, config)

			lose()
			if current = c.mustRefresh(current); current.exists() {
				c.mustDestroy(current)
			}
			if left := h.AllArtifacts(); len(left) > 0 {
				t.Errorf("a destroy left %v", left)
			}
			if _, err := os.Stat(h.entryPath("orders")); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("a destroy left the entry: %v", err)
			}
		})
	}
}

// What a refresh found is forgotten when the next one finds the checkpoint whole.
func TestCheckpointWholeAgain(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	c := newCore(t, h)
	config := object{"name": "orders", "seed": object{"image": "app:1"}}
	current := c.reach(c.none(checkpointType), config)
	entry, err := h.registry.Get("orders")
	if err != nil {
		t.Fatal(err)
	}
	removeEntry(t, h)
	current = c.mustRefresh(current)
	h.put(t, entry)
	c.mustSettle(current, config)
}

// A checkpoint that somebody else captured under our name is captured again in
// place, after a warning, and nothing of theirs is dropped before.
func TestCheckpointReplaced(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	c := newCore(t, h)
	config := object{"name": "orders", "seed": object{"image": "app:1"}}
	current := c.reach(c.none(checkpointType), config)
	ours := current.attributes()["artifact_id"]
	theirs := h.registered(t, "orders", backend.Spec{Image: "app:2"})

	snapshot := h.snapshot(t)
	current = c.mustRefresh(current)
	if got := current.attributes()["artifact_id"]; got != ours {
		t.Errorf("state names %v, and a destroy would delete what is theirs", got)
	}
	planned := c.plan(current, config)
	c.must(planned.diagnostics, nil)
	if planned.action != actionUpdate {
		t.Fatalf("the plan is %s", planned.action)
	}
	if text := render(planned.diagnostics); !strings.Contains(text, "WARNING at name: Checkpoint Was Replaced") || !strings.Contains(text, theirs.ID) {
		t.Errorf("the warning is:\n%s", text)
	}
	if diff := cmp.Diff(snapshot, h.snapshot(t)); diff != "" {
		t.Errorf("planning changed something (-before +after):\n%s", diff)
	}
	current, diagnostics := c.apply(planned, config)
	c.must(diagnostics, nil)
	c.mustSettle(current, config)
	if left := h.AllArtifacts(); len(left) != 1 || left[0].ID != current.attributes()["artifact_id"] {
		t.Errorf("the engine has %v", left)
	}
}

// A destroy removes what state names, and leaves what somebody else captured
// under the name since.
func TestDestroyLeavesAnothersCheckpoint(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	c := newCore(t, h)
	current := c.reach(c.none(checkpointType), object{"name": "orders", "seed": object{"image": "app:1"}})
	theirs := h.registered(t, "orders", backend.Spec{Image: "app:2"})
	c.mustDestroy(c.mustRefresh(current))
	if left := h.AllArtifacts(); len(left) != 1 || left[0].ID != theirs.ID {
		t.Errorf("the engine has %v, want only %s", left, theirs.ID)
	}
	if _, err := h.registry.Get("orders"); err != nil {
		t.Errorf("their entry: %v", err)
	}
}

// Another capture of the checkpoint resets what was restored from it, in place.
func TestContainerFollowsItsCheckpoint(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	c := newCore(t, h)
	web := uniqueName(t)
	checkpoint := object{"name": "orders", "seed": object{
		"image": "app:1", "exposed_ports": list{"80"}, "exec": list{object{"command": list{"write", "/data", "one"}}},
	}}
	captured := c.reach(c.none(checkpointType), checkpoint)
	container := object{"name": web, "from_checkpoint": captured.attributes()["id"]}
	restored := c.reach(c.none(containerType), container)
	before := h.container(t, web)

	checkpoint["seed"].(object)["exec"] = list{object{"command": list{"write", "/data", "two"}}}
	recapture := c.plan(captured, checkpoint)
	container["from_checkpoint"] = unknown
	reset := c.plan(restored, container)
	c.must(reset.diagnostics, nil)
	if reset.action != actionUpdate {
		t.Errorf("the plan is %s because of %v", reset.action, reset.replacing)
	}
	if got := reset.attributes()["mapped_ports"]; got == unknown {
		t.Error("whoever depends on the host ports would be changed too")
	}
	captured, diagnostics := c.apply(recapture, checkpoint)
	c.must(diagnostics, nil)
	container["from_checkpoint"] = captured.attributes()["id"]
	restored, diagnostics = c.apply(reset, container)
	c.must(diagnostics, nil)
	c.mustSettle(restored, container)

	after := h.container(t, web)
	if diff := cmp.Diff(before.Ports, after.Ports); diff != "" {
		t.Errorf("the host ports changed (-before +after):\n%s", diff)
	}
	if data, err := h.Files(web).ReadFile("/data"); err != nil || string(data) != "two" {
		t.Errorf("the container holds %q (%v)", data, err)
	}
}

// An id that is no longer what the checkpoint holds says when it was replaced.
func TestStaleCheckpointID(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	c := newCore(t, h)
	h.registered(t, "orders", backend.Spec{Image: "app:1"})
	config := object{"from_checkpoint": "orders@sha256:0123"}
	_, diagnostics := c.apply(c.plan(c.none(containerType), config), config)
	expectError(t, diagnostics, "from_checkpoint", "replaced at 2026-07-11T12:00:00Z")
}
