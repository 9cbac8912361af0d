package provider_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// TestImportContainer forgets a container and imports it: the configuration that
// made it finds nothing to do, or adopts it in place, and the container stays
// what it is.
func TestImportContainer(t *testing.T) {
	t.Parallel()
	ports := freePorts(t, 1)
	for name, tc := range map[string]struct {
		config object
		// want is what the first plan after the import does.
		want action
		// warns says that something is taken as done.
		warns bool
	}{
		"image": {want: actionNone},
		"what the engine tells": {config: object{
			"env": object{"A": "1"}, "labels": object{"team": "a"}, "command": list{"serve", "/a"}, "entrypoint": list{"serve"}, "working_dir": "/a", "user": "nobody",
			"exposed_ports": list{"53/udp", "80"}, "memory_limit_mb": 64, "cpus": 1.5,
		}, want: actionNone},
		"what changes nothing in the engine": {config: object{
			"pull_policy": "never", "stop_timeout": "5s", "on_failure": "remove", "timeouts": object{"create": "1m"},
		}, want: actionUpdate},
		"lifetime":            {config: object{"expires_after": "90m"}, want: actionNone},
		"disk":                {config: object{"disk_limit_mb": 128}, want: actionNone},
		"root in memory":      {config: object{"tmpfs_root_mb": 64}, want: actionNone},
		"no network":          {config: object{"network_disabled": true}, want: actionNone},
		"networks":            {config: object{"networks": list{object{"name": "one", "aliases": list{"db"}}, object{"name": "two"}}}, want: actionNone},
		"empty networks":      {config: object{"networks": list{}}, want: actionUpdate},
		"a network":           {config: object{"network_disabled": false}, want: actionUpdate},
		"port in other words": {config: object{"exposed_ports": list{"80/tcp"}}, want: actionUpdate},
		"fixed port":          {config: object{"ports": list{object{"container_port": 80, "host_port": ports[0]}}}, want: actionUpdate},
		"both kinds of ports": {config: object{
			"exposed_ports": list{"81"}, "ports": list{object{"container_port": 80, "host_port": ports[0]}},
		}, want: actionUpdate},
		"wait":          {config: object{"wait_for": object{"log": object{"pattern": "ready"}}}, want: actionUpdate},
		"files":         {config: object{"files": list{object{"path": "/f", "content": "x"}}}, want: actionUpdate, warns: true},
		"exec":          {config: object{"exec": list{object{"command": list{"cat"}, "stdin": "x"}}}, want: actionUpdate, warns: true},
		"reset trigger": {config: object{"reset_trigger": "1"}, want: actionUpdate, warns: true},
		"checkpoint":    {config: object{"image": nil, "from_checkpoint": "orders"}, want: actionUpdate, warns: true},
		"checkpoint and more": {config: object{
			"image": nil, "from_checkpoint": "orders", "env": object{"B": "2"}, "exposed_ports": list{"80"}, "memory_limit_mb": 64,
		}, want: actionUpdate, warns: true},
		"checkpoint and a fixed port": {config: object{
			"image": nil, "from_checkpoint": "orders", "ports": list{object{"container_port": 80, "host_port": ports[0]}},
		}, want: actionUpdate, warns: true},
	} {
		t.Run(name, func(t *testing.T) {
			// Not in parallel: they share a fixed port.
			h := newHarness(t)
			h.registered(t, "orders", backend.Spec{
				Image: "app:1", Env: map[string]string{"A": "1"}, Command: []string{"serve", "/b"},
				Ports: []backend.PortBinding{{Port: backend.Port{Number: 80, Protocol: backend.TCP}, Host: 1}},
			})
			h.network(t, "one")
			h.network(t, "two")
			c := newCore(t, h)
			config := object{"name": "web", "image": "app:1"}
			maps.Copy(config, tc.config)
			created := c.reach(c.none(containerType), config)
			before := h.container(t, "web")

			snapshot := h.snapshot(t)
			imported, diagnostics := c.imported(containerType, "web")
			c.must(diagnostics, nil)
			if diff := cmp.Diff(computedOf(created), computedOf(imported)); diff != "" {
				t.Errorf("the import reads something else (-created +imported):\n%s", diff)
			}
			imported = c.mustRefresh(imported)
			planned := c.plan(imported, config)
			c.must(planned.diagnostics, nil)
			if planned.action != tc.want {
				t.Errorf("the plan is %s because of %v, want %s (-imported +planned):\n%s",
					planned.action, planned.replacing, tc.want, cmp.Diff(imported.attributes(), planned.attributes()))
			}
			if warned := strings.Contains(render(planned.diagnostics), "Imported Container Is Adopted"); warned != tc.warns {
				t.Errorf("the plan warns: %t, want %t", warned, tc.warns)
			}
			adopted, diagnostics := c.apply(planned, config)
			c.must(diagnostics, nil)
			c.mustSettle(adopted, config)
			if diff := cmp.Diff(created.attributes(), adopted.attributes()); diff != "" {
				t.Errorf("state differs (-created +adopted):\n%s", diff)
			}
			if diff := cmp.Diff(before, h.container(t, "web")); diff != "" {
				t.Errorf("the container changed (-before +after):\n%s", diff)
			}
			if diff := cmp.Diff(snapshot, h.snapshot(t)); diff != "" {
				t.Errorf("adopting it did something (-before +after):\n%s", diff)
			}

			// From now on a change is one.
			changed := maps.Clone(config)
			changed["exec"] = list{object{"command": list{"echo", "new"}}}
			if tc.want == actionUpdate {
				if got := c.plan(adopted, changed).action; got != actionReplace {
					t.Errorf("a change afterwards is %s", got)
				}
			}
			c.mustDestroy(adopted)
		})
	}
}

// A difference that the engine does tell is one after an import, too.
func TestImportedContainerDiffers(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]object{
		"image":          {"image": "app:2"},
		"env":            {"env": object{"A": "2"}},
		"command":        {"command": list{"idle"}},
		"exposed ports":  {"exposed_ports": list{"80", "81"}},
		"fixed port":     {"ports": list{object{"container_port": 80, "host_port": 1}}},
		"disk":           {"disk_limit_mb": 128},
		"network":        {"network_disabled": true},
		"env over it":    {"image": nil, "from_checkpoint": "orders", "env": object{"A": "2"}},
		"port not in it": {"image": nil, "from_checkpoint": "orders", "exposed_ports": list{"81"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHarness(t)
			h.running(t, backend.Spec{Name: "web", Image: "app:1", Env: map[string]string{"A": "1"}})
			c := newCore(t, h)
			imported, diagnostics := c.imported(containerType, "web")
			c.must(diagnostics, nil)
			config := object{"name": "web", "image": "app:1", "env": object{"A": "1"}}
			maps.Copy(config, change)
			if got := c.plan(imported, config).action; got != actionReplace {
				t.Errorf("the plan is %s", got)
			}
		})
	}
}

func TestImportNothing(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	c := newCore(t, h)
	_, diagnostics := c.imported(containerType, "nowhere")
	expectError(t, diagnostics, "", "Unable to Import Container")
	expectError(t, diagnostics, "", "rightsize_containers lists")
	_, diagnostics = c.imported(containerType, "../nowhere")
	expectError(t, diagnostics, "", "must begin with a letter or a digit")
	_, diagnostics = c.imported(checkpointType, "nowhere")
	expectError(t, diagnostics, "name", "Unable to Import Checkpoint")
	expectError(t, diagnostics, "name", `No checkpoint "nowhere" is registered`)
	_, diagnostics = c.imported(networkType, "nowhere")
	expectError(t, diagnostics, "", "Unable to Import Network")
	expectError(t, diagnostics, "", "from the engine that has it")
	for _, typeName := range []string{containerType, checkpointType, networkType} {
		_, diagnostics = c.imported(typeName, "")
		expectError(t, diagnostics, "", "it is empty")
		_, diagnostics = c.importedByIdentity(typeName, object{"name": ""})
		expectError(t, diagnostics, "", "it is empty")
	}
}

// TestImportCheckpoint adopts a checkpoint that somebody else captured, without
// another capture.
func TestImportCheckpoint(t *testing.T) {
	t.Parallel()
	for name, source := range map[string]object{
		"seed": {"seed": object{
			"image": "app:1", "files": list{object{"path": "/f", "content": "x"}}, "exec": list{object{"command": list{"cat"}, "stdin": "x"}},
		}},
		"container": {"container_id": "db"},
		"triggers":  {"container_id": "db", "triggers": object{"data": "1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHarness(t)
			artifact := h.registered(t, "orders", backend.Spec{Image: "app:1"})
			h.running(t, backend.Spec{Name: "db", Image: "app:1"})
			c := newCore(t, h)
			snapshot := h.snapshot(t)
			imported, diagnostics := c.imported(checkpointType, "orders")
			c.must(diagnostics, nil)
			imported = c.mustRefresh(imported)
			config := object{"name": "orders"}
			maps.Copy(config, source)
			planned := c.plan(imported, config)
			c.must(planned.diagnostics, nil)
			if planned.action != actionUpdate || planned.attributes()["id"] != "orders@"+artifact.ID {
				t.Errorf("the plan is %s to %v", planned.action, planned.attributes()["id"])
			}
			adopted, diagnostics := c.apply(planned, config)
			c.must(diagnostics, nil)
			c.mustSettle(adopted, config)
			if diff := cmp.Diff(snapshot, h.snapshot(t)); diff != "" {
				t.Errorf("adopting it did something (-before +after):\n%s", diff)
			}
			config["triggers"] = object{"data": "2"}
			if got := c.plan(adopted, config).attributes()["id"]; got != unknown {
				t.Errorf("a change afterwards is planned to be %v", got)
			}
		})
	}
}

// computedOf is what only the engine knows of a container.
func computedOf(i instance) object {
	attributes := i.attributes()
	computed := object{}
	for _, name := range []string{"id", "name", "container_id", "backend", "host", "mapped_ports", "image_id", "status"} {
		computed[name] = attributes[name]
	}
	return computed
}
