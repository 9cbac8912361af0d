package provider_test

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/fake"
)

// TestUnknownContainerValues plans a container with a value that is not known,
// and applies the plan when it is.
func TestUnknownContainerValues(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		planned, known object
	}{
		"name":               {object{"name": unknown}, object{"name": "web"}},
		"generated name":     {object{"name": unknown}, object{}},
		"image":              {object{"image": unknown}, object{"image": "app:2"}},
		"env":                {object{"env": unknown}, object{"env": object{"A": "1"}}},
		"value in env":       {object{"env": object{"A": unknown}}, object{"env": object{"A": "1"}}},
		"no env after all":   {object{"env": unknown}, object{}},
		"command":            {object{"command": list{"serve", unknown}}, object{"command": list{"serve", "/a"}}},
		"exposed ports":      {object{"exposed_ports": unknown}, object{"exposed_ports": list{"80"}}},
		"an exposed port":    {object{"exposed_ports": list{unknown}}, object{"exposed_ports": list{"80"}}},
		"preset":             {object{"image": "servers:1", "preset": unknown}, object{"image": "servers:1", "preset": "redis"}},
		"no preset":          {object{"preset": unknown}, object{}},
		"preset and ports":   {object{"image": "servers:1", "preset": unknown, "exposed_ports": list{"80"}}, object{"image": "servers:1", "preset": "redis", "exposed_ports": list{"80"}}},
		"ports":              {object{"ports": unknown}, object{"ports": list{}}},
		"files":              {object{"files": unknown}, object{"files": list{object{"path": "/f", "content": "x"}}}},
		"content":            {object{"files": list{object{"path": "/f", "content": unknown}}}, object{"files": list{object{"path": "/f", "content": "x"}}}},
		"no files after all": {object{"files": unknown}, object{}},
		"exec":               {object{"exec": unknown}, object{"exec": list{object{"command": list{"true"}}}}},
		"stdin":              {object{"exec": list{object{"command": list{"cat"}, "stdin": unknown}}}, object{"exec": list{object{"command": list{"cat"}, "stdin": "x"}}}},
		"word of a command":  {object{"exec": list{object{"command": list{"echo", unknown}}}}, object{"exec": list{object{"command": list{"echo", "x"}}}}},
		"wait":               {object{"wait_for": unknown}, object{"wait_for": object{"log": object{"pattern": "ready"}}}},
		"job after all":      {object{"image": unknown, "wait_for": unknown}, object{"image": "job:1", "wait_for": object{"exit": true}}},
		"exit":               {object{"image": unknown, "wait_for": object{"exit": unknown}}, object{"image": "job:1", "wait_for": object{"exit": true}}},
		"pattern":            {object{"wait_for": object{"log": object{"pattern": unknown}}}, object{"wait_for": object{"log": object{"pattern": "ready"}}}},
		"limits":             {object{"memory_limit_mb": unknown, "cpus": unknown}, object{"memory_limit_mb": 64, "cpus": 1.5}},
		"disk":               {object{"disk_limit_mb": unknown}, object{"disk_limit_mb": 128}},
		"root in memory":     {object{"tmpfs_root_mb": unknown}, object{"tmpfs_root_mb": 64}},
		"no network":         {object{"network_disabled": unknown}, object{"network_disabled": true}},
		"a network":          {object{"network_disabled": unknown}, object{}},
		"networks":           {object{"networks": unknown}, object{"networks": list{object{"name": "one"}}}},
		"no networks at all": {object{"networks": unknown}, object{}},
		"a network's name":   {object{"networks": list{object{"name": unknown, "aliases": unknown}}}, object{"networks": list{object{"name": "one", "aliases": list{"db"}}}}},
		"stop timeout":       {object{"stop_timeout": unknown}, object{"stop_timeout": "5s"}},
		"checkpoint":         {object{"image": nil, "from_checkpoint": unknown}, object{"image": nil, "from_checkpoint": "orders"}},
		"image or not":       {object{"image": unknown, "from_checkpoint": unknown}, object{"image": nil, "from_checkpoint": "orders"}},
		"lifetime":           {object{"expires_after": unknown}, object{"expires_after": "1h"}},
		"no end after all":   {object{"expires_after": unknown}, object{}},
		"reset trigger":      {object{"reset_trigger": unknown}, object{"reset_trigger": "x"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHarness(t, withServers())
			h.registered(t, "orders", backend.Spec{Image: "app:1"})
			h.network(t, "one")
			c := newCore(t, h)
			with := func(changes object) object {
				config := object{"image": "app:1"}
				maps.Copy(config, changes)
				return config
			}
			planned := c.plan(c.none(containerType), with(tc.planned))
			c.must(planned.diagnostics, nil)
			created, diagnostics := c.apply(planned, with(tc.known))
			c.must(diagnostics, nil)
			c.mustSettle(created, with(tc.known))

			// Of a container that exists, it turns out to be what it was.
			planned = c.plan(created, with(tc.planned))
			c.must(planned.diagnostics, nil)
			if planned.action == actionNone {
				t.Error("an unknown value is planned as no change")
			}
			updated, diagnostics := c.apply(planned, with(tc.known))
			c.must(diagnostics, nil)
			c.mustSettle(updated, with(tc.known))
			c.mustDestroy(updated)
		})
	}
}

func TestUnknownCheckpointValues(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		planned, known object
	}{
		"seed":         {object{"seed": unknown}, object{"seed": object{"image": "app:1"}}},
		"part of seed": {object{"seed": object{"image": unknown, "env": object{"A": unknown}}}, object{"seed": object{"image": "app:1", "env": object{"A": "1"}}}},
		"content": {
			object{"seed": object{"image": "app:1", "files": list{object{"path": "/f", "content": unknown}}}},
			object{"seed": object{"image": "app:1", "files": list{object{"path": "/f", "content": "x"}}}},
		},
		"lifetime":  {object{"container_id": "db", "expires_after": unknown}, object{"container_id": "db", "expires_after": "1h"}},
		"for ever":  {object{"container_id": "db", "expires_after": unknown}, object{"container_id": "db"}},
		"container": {object{"container_id": unknown}, object{"container_id": "db"}},
		"triggers":  {object{"container_id": "db", "triggers": unknown}, object{"container_id": "db", "triggers": object{"a": "1"}}},
		"trigger":   {object{"container_id": "db", "triggers": object{"a": unknown}}, object{"container_id": "db", "triggers": object{"a": "1"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHarness(t)
			h.running(t, backend.Spec{Name: "db", Image: "app:1"})
			c := newCore(t, h)
			with := func(changes object) object {
				config := object{"name": "orders"}
				maps.Copy(config, changes)
				return config
			}
			planned := c.plan(c.none(checkpointType), with(tc.planned))
			c.must(planned.diagnostics, nil)
			created, diagnostics := c.apply(planned, with(tc.known))
			c.must(diagnostics, nil)
			c.mustSettle(created, with(tc.known))

			planned = c.plan(created, with(tc.planned))
			c.must(planned.diagnostics, nil)
			if planned.action != actionUpdate {
				t.Errorf("the plan is %s", planned.action)
			}
			updated, diagnostics := c.apply(planned, with(tc.known))
			c.must(diagnostics, nil)
			c.mustSettle(updated, with(tc.known))
		})
	}
}

// A provider whose own configuration is not known yet plans, keeps what is in
// state, and refuses what needs an engine.
func TestUnknownProviderConfiguration(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	configured := newCore(t, h)
	container, checkpoint := object{"name": "web", "image": "app:1"}, object{"name": "orders", "container_id": "web"}
	web := configured.reach(configured.none(containerType), container)
	orders := configured.reach(configured.none(checkpointType), checkpoint)
	h.ResetCalls()

	for name, config := range map[string]object{
		"cache directory": {"cache_dir": unknown},
		"backend":         {"backend": unknown, "cache_dir": h.cacheDir},
		"docker":          {"docker": unknown, "cache_dir": h.cacheDir},
		"docker host":     {"docker": object{"host": unknown}, "cache_dir": h.cacheDir},
		"microsandbox":    {"microsandbox": unknown, "cache_dir": h.cacheDir},
		"msb's home":      {"microsandbox": object{"home": unknown}, "cache_dir": h.cacheDir},
		"download":        {"microsandbox": object{"download": unknown}, "cache_dir": h.cacheDir},
		"mirror":          {"microsandbox": object{"download": object{"base_url": unknown}}, "cache_dir": h.cacheDir},
	} {
		t.Run(name, func(t *testing.T) {
			server, err := h.server()
			if err != nil {
				t.Fatal(err)
			}
			c := newUnconfiguredCore(t, server)
			c.configure(config)

			for typeName, wanted := range map[string]object{containerType: container, checkpointType: checkpoint} {
				if planned := c.plan(c.none(typeName), wanted); failed(planned.diagnostics) {
					t.Errorf("plan of %s:\n%s", typeName, render(planned.diagnostics))
				}
				_, diagnostics := c.apply(c.plan(c.none(typeName), wanted), wanted)
				expectError(t, diagnostics, "", "Not Known Yet")
				_, diagnostics = c.imported(typeName, wanted["name"].(string))
				expectError(t, diagnostics, "", "Not Known Yet")
			}
			for config, current := range map[*object]instance{&container: web, &checkpoint: orders} {
				c.mustSettle(current, *config)
				_, diagnostics := c.destroy(current)
				expectError(t, diagnostics, "", "Not Known Yet")
			}
			for _, data := range []struct {
				typeName string
				config   object
			}{{"rightsize_checkpoint", object{"name": "orders"}}, {"rightsize_checkpoints", object{}}} {
				_, diagnostics := c.data(data.typeName, data.config)
				expectError(t, diagnostics, "", "-target")
			}
		})
	}
	if calls := h.Calls(); len(calls) > 0 {
		t.Errorf("the engine was asked: %v", h.Methods())
	}
}

// Configuring a provider contacts nothing and writes nothing.
func TestConfigureDoesNothing(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	newCore(t, h)
	if diff := cmp.Diff(snapshot{Files: map[string]string{}}, h.snapshot(t)); diff != "" {
		t.Errorf("it did something (-want +got):\n%s", diff)
	}
	if got := h.Count(fake.Engine); got > 0 {
		t.Errorf("the engine was contacted %d times", got)
	}
}
