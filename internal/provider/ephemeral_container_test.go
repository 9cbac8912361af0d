package provider_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/fake"
)

func TestEphemeralContainer(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.registered(t, "orders", backend.Spec{Image: "app:1", Env: map[string]string{"A": "1"}})
	c := newCore(t, h)
	before := h.snapshot(t).Files
	trial, diagnostics := c.open(object{
		"from_checkpoint": "orders", "exposed_ports": list{"80"}, "env": object{"B": "2"},
		"files": list{object{"path": "/f", "content": "x"}},
		"exec":  list{object{"command": list{"write", "/rows", "1"}, "stdin": "x"}},
	})
	c.must(diagnostics, nil)

	name, _ := trial.result["name"].(string)
	got := h.container(t, name)
	if diff := cmp.Diff(object{
		"name": name, "container_id": got.ID, "backend": "docker", "host": got.Host, "image_id": got.ImageID,
		"mapped_ports": object{"80": int64(got.Ports[0].Host)},
	}, object{
		"name": trial.result["name"], "container_id": trial.result["container_id"], "backend": trial.result["backend"],
		"host": trial.result["host"], "image_id": trial.result["image_id"], "mapped_ports": trial.result["mapped_ports"],
	}); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"A": "1", "B": "2"}, got.Given.Env); diff != "" {
		t.Errorf("env (-want +got):\n%s", diff)
	}
	if rows, err := h.Files(got.ID).ReadFile("/rows"); got.State != backend.StateRunning || string(rows) != "1" {
		t.Errorf("it is %s and holds %q, %v", got.State, rows, err)
	}

	c.must(c.close(trial), nil)
	if containers := h.Containers(); len(containers) > 0 {
		t.Errorf("left is %s", containers[0].Name)
	}
	if diff := cmp.Diff(before, h.snapshot(t).Files); diff != "" {
		t.Errorf("files (-before +after):\n%s", diff)
	}
	if h.Count(fake.Stop) > 0 {
		t.Error("it was given time to end, although nobody asked for that")
	}
	c.must(c.close(trial), nil)
}

// It is asked to end first only if the user says so.
func TestEphemeralContainerStopTimeout(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	c := newCore(t, h)
	trial, diagnostics := c.open(object{"image": "app:1", "stop_timeout": "5s"})
	c.must(diagnostics, nil)
	c.must(c.close(trial), nil)
	if h.Count(fake.Stop) != 1 {
		t.Error("it was given no time to end")
	}
}

// An ephemeral container that fails is gone when the error is shown, or named in
// it.
func TestEphemeralContainerFails(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		config object
		at     string
		says   string
		left   int
	}{
		"image":         {object{"image": "nowhere:1"}, "image", "Unable to Open Container", 0},
		"checkpoint":    {object{"from_checkpoint": "nowhere"}, "from_checkpoint", `No checkpoint "nowhere"`, 0},
		"process":       {object{"image": "broken:1", "wait_for": object{"log": object{"pattern": "ready"}}}, "wait_for", "cannot find my data", 0},
		"kept":          {object{"image": "broken:1", "on_failure": "keep"}, "wait_for", "is kept for inspection", 1},
		"step":          {object{"image": "app:1", "exec": list{object{"command": list{"exit", "3"}}}}, "exec[0]", "exited with code 3", 0},
		"no source":     {object{}, "image", "image", 0},
		"two sources":   {object{"image": "app:1", "from_checkpoint": "orders"}, "image", "from_checkpoint", 0},
		"network twice": {object{"image": "app:1", "networks": list{object{"name": "one"}, object{"name": "one", "aliases": list{"a"}}}}, "networks", "listed twice", 0},
		"no network":    {object{"image": "app:1", "network_disabled": true, "exposed_ports": list{"80"}}, "network_disabled", "cannot publish ports", 0},
		"disk and root": {object{"image": "app:1", "disk_limit_mb": 100, "tmpfs_root_mb": 100}, "tmpfs_root_mb", "either on a disk or in memory", 0},
		"port":          {object{"image": "app:1", "wait_for": object{"port": "80"}}, "wait_for.port", "Port Not Published", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHarness(t)
			c := newCore(t, h)
			_, diagnostics := c.open(tc.config)
			expectError(t, diagnostics, tc.at, tc.says)
			if containers := h.Containers(); len(containers) != tc.left {
				t.Errorf("there are %d containers, want %d", len(containers), tc.left)
			}
		})
	}
}

// An interrupt while the container starts removes it.
func TestEphemeralContainerInterrupted(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	c := newCore(t, h)
	h.Hook(fake.Start, func(ctx context.Context, _ fake.Call) error {
		if _, err := c.server.StopProvider(context.WithoutCancel(ctx), nil); err != nil {
			t.Error(err)
		}
		return nil
	})
	_, diagnostics := c.open(object{"image": "app:1", "exec": list{object{"command": list{"sleep", "3600"}}}})
	expectError(t, diagnostics, "", "interrupted")
	if containers := h.Containers(); len(containers) > 0 {
		t.Errorf("left is %s", containers[0].Name)
	}
}

// As long as a run needs its container, no operation of another one takes it for
// left behind.
func TestEphemeralContainerOfAnotherRun(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	other := newCore(t, h)
	trial, diagnostics := other.open(object{"image": "app:1"})
	other.must(diagnostics, nil)
	c := newCore(t, h)
	web := c.reach(c.none(containerType), object{"name": "web", "image": "app:1"})
	h.container(t, trial.result["name"].(string))
	c.mustDestroy(web)
	other.must(other.close(trial), nil)
}

func TestEphemeralContainerUnconfigured(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	server, err := h.server()
	if err != nil {
		t.Fatal(err)
	}
	c := newUnconfiguredCore(t, server)
	c.configure(object{"cache_dir": unknown})
	_, diagnostics := c.open(object{"image": "app:1"})
	expectError(t, diagnostics, "", "Provider Configuration Not Known Yet")
}
