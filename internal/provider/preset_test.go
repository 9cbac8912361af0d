package provider_test

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/fake"
)

const (
	postgresLine = "database system is ready to accept connections"
	redisLine    = "Ready to accept connections tcp"
	rabbitLine   = "Server startup complete; 3 plugins started."
)

// withServers are images whose processes log what the presets wait for.
func withServers() fake.Option {
	return fake.WithImage("servers:1", fake.Image{Program: func(ctx context.Context, p *fake.Process) backend.Exit {
		if _, err := p.Files.ReadFile("/data"); err != nil {
			fmt.Fprintln(p.Stdout, postgresLine)
			if err := p.Files.WriteFile("/data", []byte("initialised")); err != nil {
				return backend.Exit{Code: 1}
			}
		}
		for _, line := range []string{postgresLine, redisLine, rabbitLine} {
			fmt.Fprintln(p.Stdout, line)
		}
		return fake.Serve(ctx, p)
	}})
}

// TestPreset leads a database through its life with nothing but a preset: seeded,
// captured, restored, stopped and reset.
func TestPreset(t *testing.T) {
	t.Parallel()
	h := newHarness(t, withServers())
	c := newCore(t, h)
	env := object{"POSTGRES_PASSWORD": "p@ss", "POSTGRES_DB": "orders"}
	seeded := object{"name": "orders", "seed": object{"image": "servers:1", "env": env, "preset": "postgres"}}
	checkpoint := c.reach(c.none(checkpointType), seeded)
	c.mustSettle(checkpoint, seeded)
	if got := fmt.Sprint(checkpoint.attributes()["spec"].(object)["exposed_ports"]); got != "[5432]" {
		t.Errorf("the checkpoint's ports are %s", got)
	}

	for name, config := range map[string]object{
		"image":      {"name": uniqueName(t), "image": "servers:1", "env": env, "preset": "postgres"},
		"checkpoint": {"name": uniqueName(t), "from_checkpoint": checkpoint.attributes()["id"], "preset": "postgres"},
	} {
		planned := c.plan(c.none(containerType), config)
		if got := planned.attributes()["connection_uri"]; got != unknown {
			t.Errorf("%s: the URI is planned to be %v", name, got)
		}
		created := c.reach(c.none(containerType), config)
		c.mustSettle(created, config)
		attributes := created.attributes()
		uri := fmt.Sprintf("postgresql://postgres:p%%40ss@127.0.0.1:%v/orders", attributes["mapped_ports"].(object)["5432"])
		if got := attributes["connection_uri"]; got != uri {
			t.Errorf("%s: the URI is %v, want %s", name, got, uri)
		}
		for _, attribute := range []string{"exposed_ports", "wait_for"} {
			if got := attributes[attribute]; got != nil {
				t.Errorf("%s: %s is %v in state", name, attribute, got)
			}
		}

		h.StopOutOfBand(h.container(t, config["name"].(string)).ID)
		started := c.reach(c.mustRefresh(created), config)
		c.mustSettle(started, config)
		config["reset_trigger"] = "1"
		planned = c.plan(started, config)
		if got := planned.attributes()["connection_uri"]; got != uri {
			t.Errorf("%s: a reset plans the URI %v", name, got)
		}
		reset := c.reach(started, config)
		c.mustSettle(reset, config)
		if got := reset.attributes()["connection_uri"]; got != uri {
			t.Errorf("%s: after a reset the URI is %v", name, got)
		}
		c.mustDestroy(reset)
	}
}

// Another capture brings its own environment: what the URI becomes is not known
// before it is restored.
func TestPresetFollowsTheCheckpoint(t *testing.T) {
	t.Parallel()
	h := newHarness(t, withServers())
	c := newCore(t, h)
	capture := func(password string) object {
		return object{"name": "orders", "seed": object{
			"image": "servers:1", "preset": "postgres", "env": object{"POSTGRES_PASSWORD": password},
		}}
	}
	checkpoint := c.reach(c.none(checkpointType), capture("first"))
	// A bare name means what the checkpoint holds at that time.
	for name, from := range map[string]func() any{
		"by id":   func() any { return checkpoint.attributes()["id"] },
		"by name": func() any { return "orders" },
	} {
		checkpoint = c.reach(checkpoint, capture("first"))
		config := object{"name": uniqueName(t), "from_checkpoint": from(), "preset": "postgres"}
		restored := c.reach(c.none(containerType), config)
		checkpoint = c.reach(checkpoint, capture("second"))
		config["from_checkpoint"], config["reset_trigger"] = from(), "1"
		planned := c.plan(restored, config)
		if got := planned.attributes()["connection_uri"]; got != unknown {
			t.Errorf("%s: the URI is planned to be %v", name, got)
		}
		restored = c.reach(restored, config)
		c.mustSettle(restored, config)
		if got := fmt.Sprint(restored.attributes()["connection_uri"]); !strings.HasPrefix(got, "postgresql://postgres:second@") {
			t.Errorf("%s: the URI is %s", name, got)
		}
		c.mustDestroy(restored)
	}
}

// What the user writes counts, and the URI is that of the preset's port.
func TestPresetGivesWay(t *testing.T) {
	t.Parallel()
	ports := freePorts(t, 2)
	for name, tc := range map[string]struct {
		config object
		// mapped are the ports that are published, and uri what comes after the
		// host, with the host port of 5432 as %v; empty if there is no URI.
		mapped list
		uri    string
	}{
		"ports of the user": {object{"exposed_ports": list{"5432", "80"}}, list{"5432", "80"}, ":%v/postgres"},
		"another port":      {object{"exposed_ports": list{"80"}}, list{"80"}, ""},
		"no ports":          {object{"exposed_ports": list{}}, list{}, ""},
		"fixed port": {
			object{"ports": list{object{"container_port": 5432, "host_port": ports[0]}}}, list{"5432"}, fmt.Sprintf(":%d/postgres", ports[0]),
		},
		"another fixed port": {object{"ports": list{object{"container_port": 80, "host_port": ports[1]}}}, list{"80"}, ""},
		"no network":         {object{"network_disabled": true}, list{}, ""},
		"wait":               {object{"wait_for": object{"log": object{"pattern": "Server startup"}}}, list{"5432"}, ":%v/postgres"},
		"wait for its port":  {object{"wait_for": object{"port": "5432"}}, list{"5432"}, ":%v/postgres"},
		"timeout alone":      {object{"wait_for": object{"timeout": "30s"}}, list{"5432"}, ":%v/postgres"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHarness(t, withServers())
			c := newCore(t, h)
			config := object{"name": uniqueName(t), "image": "servers:1", "preset": "postgres"}
			maps.Copy(config, tc.config)
			created := c.reach(c.none(containerType), config)
			c.mustSettle(created, config)
			mapped := created.attributes()["mapped_ports"].(object)
			for _, port := range tc.mapped {
				if _, ok := mapped[port.(string)]; !ok {
					t.Errorf("port %s is not published", port)
				}
			}
			if len(mapped) != len(tc.mapped) {
				t.Errorf("published are %v", mapped)
			}
			var want any
			if tc.uri != "" {
				want = "postgresql://postgres@127.0.0.1" + strings.ReplaceAll(tc.uri, "%v", fmt.Sprint(mapped["5432"]))
			}
			if got := created.attributes()["connection_uri"]; got != want {
				t.Errorf("the URI is %v, want %v", got, want)
			}
			c.mustDestroy(created)
		})
	}
}

// TestPresetChanges has what a change of the preset does: it replaces the
// container only if it has to publish another port.
func TestPresetChanges(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		config        object
		before, after any
		want          action
		// waits says that the container is awaited once more.
		waits bool
	}{
		"a port more":              {object{}, nil, "postgres", actionReplace, true},
		"another port":             {object{}, "redis", "postgres", actionReplace, true},
		"a port less":              {object{}, "postgres", nil, actionReplace, false},
		"the same port":            {object{}, "redis", "valkey", actionUpdate, true},
		"ports of the user":        {object{"exposed_ports": list{"5432"}}, nil, "postgres", actionUpdate, true},
		"without ports":            {object{"network_disabled": true}, "redis", "postgres", actionUpdate, true},
		"wait of the user":         {object{"exposed_ports": list{"5432"}, "wait_for": object{"port": "5432"}}, "redis", "postgres", actionUpdate, false},
		"a port of the checkpoint": {object{"image": nil, "from_checkpoint": "with-port"}, nil, "postgres", actionUpdate, true},
		"a port beside it":         {object{"image": nil, "from_checkpoint": "portless"}, nil, "postgres", actionReplace, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHarness(t, withServers())
			h.registered(t, "portless", backend.Spec{Image: "servers:1"})
			h.registered(t, "with-port", backend.Spec{Image: "servers:1", Ports: []backend.PortBinding{
				{Port: backend.Port{Number: 5432, Protocol: backend.TCP}, Host: 1},
			}})
			c := newCore(t, h)
			config := object{"name": uniqueName(t), "image": "servers:1"}
			maps.Copy(config, tc.config)
			config["preset"] = tc.before
			created := c.reach(c.none(containerType), config)
			id := created.attributes()["container_id"]

			config["preset"] = tc.after
			planned := c.plan(created, config)
			c.must(planned.diagnostics, nil)
			if planned.action != tc.want {
				t.Errorf("the plan is %s because of %v, want %s", planned.action, planned.replacing, tc.want)
			}
			h.ResetCalls()
			changed, diagnostics := c.apply(planned, config)
			c.must(diagnostics, nil)
			c.mustSettle(changed, config)
			if kept := changed.attributes()["container_id"] == id; kept != (tc.want == actionUpdate) {
				t.Errorf("the container was kept: %t", kept)
			}
			if waited := h.Count(fake.Logs) > 0; waited != tc.waits {
				t.Errorf("the log was awaited: %t", waited)
			}
			published := len(changed.attributes()["mapped_ports"].(object)) > 0
			if got := changed.attributes()["connection_uri"]; (got != nil) != (published && tc.after != nil) {
				t.Errorf("the URI is %v", got)
			}
			c.mustDestroy(changed)
		})
	}
}

// A container that was imported has the URI when its preset is known.
func TestImportWithPreset(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]object{
		"image":             {"image": "servers:1", "env": object{"POSTGRES_PASSWORD": "secret"}},
		"ports of the user": {"image": "servers:1", "env": object{"POSTGRES_PASSWORD": "secret"}, "exposed_ports": list{"5432"}},
		"checkpoint":        {"from_checkpoint": "orders"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHarness(t, withServers())
			h.registered(t, "orders", backend.Spec{Image: "servers:1", Env: map[string]string{"POSTGRES_PASSWORD": "secret"}})
			c := newCore(t, h)
			config["name"], config["preset"] = uniqueName(t), "postgres"
			created := c.reach(c.none(containerType), config)
			snapshot := h.snapshot(t)
			imported, diagnostics := c.imported(containerType, config["name"].(string))
			c.must(diagnostics, nil)
			planned := c.plan(imported, config)
			c.must(planned.diagnostics, nil)
			if planned.action != actionUpdate {
				t.Errorf("the plan is %s because of %v", planned.action, planned.replacing)
			}
			adopted, diagnostics := c.apply(planned, config)
			c.must(diagnostics, nil)
			c.mustSettle(adopted, config)
			if diff := cmp.Diff(created.attributes(), adopted.attributes()); diff != "" {
				t.Errorf("state differs (-created +adopted):\n%s", diff)
			}
			if diff := cmp.Diff(snapshot, h.snapshot(t)); diff != "" {
				t.Errorf("adopting it did something (-before +after):\n%s", diff)
			}
			c.mustDestroy(adopted)
		})
	}
}

// A copy that somebody else started, such as a rightsize library, has the account
// of its checkpoint although nobody gave it to the engine again.
func TestImportOfSomebodysCopyWithPreset(t *testing.T) {
	t.Parallel()
	h := newHarness(t, withServers())
	artifact := h.registered(t, "orders", backend.Spec{Image: "servers:1", Env: map[string]string{"POSTGRES_PASSWORD": "secret"}})
	host := freePorts(t, 1)[0]
	h.running(t, backend.Spec{Name: "db", From: &artifact, Ports: []backend.PortBinding{
		{Port: backend.Port{Number: 5432, Protocol: backend.TCP}, Host: uint16(host)},
	}})
	c := newCore(t, h)
	imported, diagnostics := c.imported(containerType, "db")
	c.must(diagnostics, nil)
	config := object{"name": "db", "from_checkpoint": "orders@" + artifact.ID, "preset": "postgres"}
	want := fmt.Sprintf("postgresql://postgres:secret@127.0.0.1:%d/postgres", host)
	adopted := c.reach(imported, config)
	if got := adopted.attributes()["connection_uri"]; got != want {
		t.Errorf("the URI is %v, want %s", got, want)
	}
	config["reset_trigger"] = "1"
	reset := c.reach(adopted, config)
	if got := reset.attributes()["connection_uri"]; got != want {
		t.Errorf("after a reset the URI is %v, want %s", got, want)
	}
	c.mustDestroy(reset)
}

// One that does not publish what its preset stands for is not what is configured.
func TestImportedContainerMissesThePresetsPort(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]object{
		"image":      {"image": "servers:1"},
		"checkpoint": {"from_checkpoint": "orders"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHarness(t, withServers())
			h.registered(t, "orders", backend.Spec{Image: "servers:1"})
			h.running(t, backend.Spec{Name: "db", Image: "servers:1"})
			c := newCore(t, h)
			imported, diagnostics := c.imported(containerType, "db")
			c.must(diagnostics, nil)
			config["name"], config["preset"] = "db", "postgres"
			if planned := c.plan(imported, config); planned.action != actionReplace {
				t.Errorf("the plan is %s", planned.action)
			}
		})
	}
}

// A container for one run has the URI as well.
func TestEphemeralContainerWithPreset(t *testing.T) {
	t.Parallel()
	h := newHarness(t, withServers())
	h.registered(t, "orders", backend.Spec{Image: "servers:1", Env: map[string]string{"POSTGRES_PASSWORD": "secret"}})
	c := newCore(t, h)
	trial, diagnostics := c.open(object{"from_checkpoint": "orders", "preset": "postgres"})
	c.must(diagnostics, nil)
	want := fmt.Sprintf("postgresql://postgres:secret@127.0.0.1:%v/postgres", trial.result["mapped_ports"].(object)["5432"])
	if got := trial.result["connection_uri"]; got != want {
		t.Errorf("the URI is %v, want %s", got, want)
	}
	c.must(c.close(trial), nil)
}

// Whoever names another server than the one in the container is told so.
func TestPresetOfAnotherServer(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	c := newCore(t, h)
	config := object{"image": "app:1", "preset": "postgres", "exposed_ports": list{}, "wait_for": object{"timeout": "1s"}}
	current, diagnostics := c.apply(c.plan(c.none(containerType), config), config)
	expectError(t, diagnostics, "preset", "pattern seen 0 of 2 times")
	expectError(t, diagnostics, "preset", "what the preset postgres waits for: make sure that it is the server in the container")
	c.mustDestroy(current)
}
