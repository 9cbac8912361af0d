package provider_test

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/fake"
)

// TestNetworkAttributes changes each attribute and looks in the engine whether
// the planned action really made the change.
func TestNetworkAttributes(t *testing.T) {
	t.Parallel()
	cases := map[string]attributeCase{
		"name": {
			value: "app", other: "net",
			configure: func(config object, value any) { config["name"] = value },
			observe:   func(o observed) any { return o.AllNetworks()[0].Name },
			shows:     [3]any{"app", "net", "net"},
		},
		"internal": {
			value: true, other: false,
			observe: func(o observed) any { return [2]any{o.Count(fake.CreateNetwork), o.AllNetworks()[0].Internal} },
			shows:   [3]any{[2]any{1, true}, [2]any{1, false}, [2]any{0, false}},
		},
		"labels": {
			value: object{"team": "a"}, other: object{"team": "b"},
			observe: func(o observed) any { return o.AllNetworks()[0].Labels },
			shows:   [3]any{map[string]string{"team": "a"}, map[string]string{"team": "b"}, map[string]string(nil)},
		},
	}
	expectComplete(t, networkType, cases)
	actions := map[string]everyChange{
		"name":     {actionReplace, actionReplace, actionNone},
		"internal": {actionReplace, actionReplace, actionUpdate},
		"labels":   always(actionReplace),
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tc.attribute = name
			expectChanges(t, newHarness(t), tc, networkType, actions[name], func(value any) object {
				return tc.apply(object{"name": "net"}, value)
			})
		})
	}
}

func TestNetworkLife(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	c := newCore(t, h)
	config := object{"name": "app", "labels": object{"team": "a"}}
	planned := c.plan(c.none(networkType), config)
	c.must(planned.diagnostics, nil)
	if got := planned.attributes()["id"]; got != "app" {
		t.Errorf("the id is planned to be %v", got)
	}
	current := c.reach(c.none(networkType), config)
	c.mustSettle(current, config)
	want := object{
		"name": "app", "internal": nil, "labels": object{"team": "a"},
		"id": "app", "network_id": h.AllNetworks()[0].ID, "backend": "docker",
	}
	if diff := cmp.Diff(want, current.attributes()); diff != "" {
		t.Errorf("state (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{}, h.snapshot(t).Files); diff != "" {
		t.Errorf("files are left (-want +got):\n%s", diff)
	}

	// One that was removed, and made by somebody else again, is gone.
	h.RemoveNetworkOutOfBand("app")
	theirs := h.network(t, "app")
	if read := c.mustRefresh(current); read.exists() {
		t.Error("a network that is gone is still in state")
	}
	_, diagnostics := c.apply(c.plan(c.none(networkType), config), config)
	expectError(t, diagnostics, "name", "Import the network that has this name")
	c.mustDestroy(current)
	if got := h.AllNetworks(); len(got) != 1 || got[0].ID != theirs.ID {
		t.Errorf("a destroy of what is gone left %v", got)
	}

	imported, diagnostics := c.imported(networkType, "app")
	c.must(diagnostics, nil)
	plain := object{"name": "app"}
	c.mustSettle(imported, plain)
	c.mustDestroy(imported)
	if got := h.AllNetworks(); len(got) > 0 {
		t.Errorf("a destroy left %v", got)
	}
	generated := c.reach(c.none(networkType), object{})
	c.mustSettle(generated, object{})
	c.mustDestroy(generated)
}

func TestImportNetwork(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	c := newCore(t, h)
	config := object{"name": "app", "internal": true, "labels": object{"team": "a"}}
	created := c.reach(c.none(networkType), config)
	imported, diagnostics := c.imported(networkType, "app")
	c.must(diagnostics, nil)
	if diff := cmp.Diff(created.attributes(), imported.attributes()); diff != "" {
		t.Errorf("the import reads something else (-created +imported):\n%s", diff)
	}
	c.mustSettle(imported, config)
	for id, says := range map[string]string{
		"nowhere": "Unable to Import Network", h.AllNetworks()[0].ID: "Import it by its name, app", "bridge": "every engine has", "rz-net-0123abcd": "reserved",
	} {
		_, diagnostics := c.imported(networkType, id)
		expectError(t, diagnostics, "", says)
	}
}

func TestInvalidNetwork(t *testing.T) {
	t.Parallel()
	c := newCore(t, newHarness(t))
	for name, tc := range map[string]struct {
		config   object
		at, says string
	}{
		"name":                  {object{"name": "a b"}, "name", "must begin with a letter or a digit"},
		"network of the engine": {object{"name": "host"}, "name", "every engine has"},
		"network of a library":  {object{"name": "my-rz-net-0123abcd"}, "name", "reserved"},
		"label":                 {object{"labels": object{"dev.rightsize.network": "x"}}, "labels", "reserved"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			expectError(t, c.validate(networkType, tc.config), tc.at, tc.says)
		})
	}
}

// Containers of somebody else keep a network; those of the provider, such as a
// seed that was kept for inspection, do not.
func TestDeleteNetworkInUse(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	c := newCore(t, h)
	network := c.reach(c.none(networkType), object{"name": "app"})
	on := []backend.Attachment{{Network: "app"}}
	h.running(t, backend.Spec{Name: "kept", Image: "app:1", Networks: on})
	h.running(t, backend.Spec{Name: "theirs", Image: "app:1", Networks: on})
	h.MarkForeign("theirs")
	left, diagnostics := c.destroy(network)
	expectError(t, diagnostics, "", "Unable to Delete Network")
	expectError(t, diagnostics, "", "theirs")
	if !left.exists() {
		t.Fatal("state was dropped")
	}
	if got := h.container(t, "kept").Networks; len(got) != 1 {
		t.Errorf("a container was taken off, and the network is there: %v", got)
	}
	h.RemoveOutOfBand("theirs")
	c.mustDestroy(left)
	if got := h.container(t, "kept"); len(got.Networks) > 0 || got.State != backend.StateRunning {
		t.Errorf("the container is %s on %v", got.State, got.Networks)
	}
}

// A network that is replaced under its name has its containers again at once,
// although nothing about them was planned.
func TestReplacedNetworkKeepsContainers(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	c := newCore(t, h)
	network := c.reach(c.none(networkType), object{"name": "app"})
	config := object{"name": "web", "image": "app:1", "networks": list{object{"name": "app", "aliases": list{"db"}}}}
	web := c.reach(c.none(containerType), config)
	before := h.container(t, "web")

	replacing := object{"name": "app", "labels": object{"team": "a"}}
	if got := c.plan(network, replacing).action; got != actionReplace {
		t.Fatalf("the plan is %s", got)
	}
	network = c.reach(network, replacing)
	if diff := cmp.Diff(before, h.container(t, "web")); diff != "" {
		t.Errorf("the container changed (-before +after):\n%s", diff)
	}
	c.mustSettle(web, config)

	// One that cannot be put there is mended by its own next plan.
	h.Fail(fake.Attach, errLost, 1)
	network = c.reach(network, object{"name": "app"})
	web = c.mustRefresh(web)
	if got := web.attributes()["status"]; got != "detached" {
		t.Errorf("the status is %v", got)
	}
	web = c.reach(web, config)
	c.mustSettle(web, config)
	if diff := cmp.Diff(before, h.container(t, "web")); diff != "" {
		t.Errorf("the container changed (-before +after):\n%s", diff)
	}
	c.mustDestroy(web)
	c.mustDestroy(network)
}

// A container that somebody took off one of its networks is put back in place,
// running or not. That it is on another one is left alone.
func TestContainerDetached(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		drift  func(*harness)
		status string
		want   action
	}{
		"off one":          {func(h *harness) { h.AttachOutOfBand("web", backend.Attachment{Network: "one"}) }, "detached", actionUpdate},
		"off all":          {func(h *harness) { h.AttachOutOfBand("web") }, "detached", actionUpdate},
		"off, and stopped": {func(h *harness) { h.AttachOutOfBand("web"); h.StopOutOfBand("web") }, "exited", actionUpdate},
		"on a network that was made anew while it was stopped": {func(h *harness) {
			h.StopOutOfBand("web")
			h.RemoveNetworkOutOfBand("one")
			h.AttachOutOfBand("web", backend.Attachment{Network: "two"})
			h.RemoveNetworkOutOfBand("two")
			for _, name := range []string{"one", "two"} {
				if _, err := h.CreateNetwork(t.Context(), backend.NetworkSpec{Name: name}); err != nil {
					panic(err)
				}
			}
		}, "exited", actionUpdate},
		"on another, too": {func(h *harness) {
			h.AttachOutOfBand("web", append(h.Containers()[0].Given.Networks, backend.Attachment{Network: "three"})...)
		}, "running", actionNone},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHarness(t)
			for _, name := range []string{"one", "two", "three"} {
				h.network(t, name)
			}
			c := newCore(t, h)
			config := object{
				"name": "web", "image": "app:1", "exec": list{object{"command": list{"true"}}},
				"networks": list{object{"name": "one", "aliases": list{"db"}}, object{"name": "two"}},
			}
			current := c.reach(c.none(containerType), config)
			before := h.container(t, "web")
			tc.drift(h)
			h.ResetCalls()
			current = c.mustRefresh(current)
			if got := current.attributes()["status"]; got != tc.status {
				t.Errorf("the status is %v, want %s", got, tc.status)
			}
			planned := c.plan(current, config)
			c.must(planned.diagnostics, nil)
			if planned.action != tc.want {
				t.Fatalf("the plan is %s", planned.action)
			}
			if got := h.Methods(); len(got) > 1 {
				t.Errorf("a refresh and a plan asked the engine %v", got)
			}
			current, diagnostics := c.apply(planned, config)
			c.must(diagnostics, nil)
			c.mustSettle(current, config)
			after := h.container(t, "web")
			if after.ID != before.ID || after.State != backend.StateRunning || h.Count(fake.Exec) > 0 {
				t.Errorf("the container is %s %s, and %d steps ran", after.ID, after.State, h.Count(fake.Exec))
			}
			if tc.want == actionNone {
				return
			}
			if diff := cmp.Diff(before.Given.Networks, after.Given.Networks); diff != "" {
				t.Errorf("the networks (-before +after):\n%s", diff)
			}
		})
	}
}

// A reset and a re-creation bring networks and aliases back.
func TestResetKeepsNetworks(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.network(t, "one")
	c := newCore(t, h)
	config := object{"name": "web", "image": "app:1", "networks": list{object{"name": "one", "aliases": list{"db"}}}}
	current := c.reach(c.none(containerType), config)
	want := []backend.Attachment{{Network: "one", Aliases: []string{"db"}}}
	config["reset_trigger"] = "again"
	current = c.reach(current, config)
	c.mustSettle(current, config)
	if diff := cmp.Diff(want, h.container(t, "web").Given.Networks); diff != "" {
		t.Errorf("after a reset (-want +got):\n%s", diff)
	}
	h.RemoveOutOfBand("web")
	current = c.reach(c.mustRefresh(current), config)
	c.mustSettle(current, config)
	if diff := cmp.Diff(want, h.container(t, "web").Given.Networks); diff != "" {
		t.Errorf("after it was made again (-want +got):\n%s", diff)
	}
	// A network that is not there costs nothing: the container stays.
	before := h.container(t, "web")
	missing := maps.Clone(config)
	missing["networks"], missing["reset_trigger"] = list{object{"name": "nowhere"}}, "once more"
	left, diagnostics := c.apply(c.plan(current, missing), missing)
	expectError(t, diagnostics, "networks", "Create it with a rightsize_network resource")
	if got := h.container(t, "web"); got.ID != before.ID {
		t.Error("the container was removed for a reset that could not be")
	}
	current = c.reach(c.mustRefresh(left), config)
	c.mustDestroy(current)
}

// On networks without a way in, nothing is published.
func TestInternalNetworks(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	c := newCore(t, h)
	c.reach(c.none(networkType), object{"name": "closed", "internal": true})
	c.reach(c.none(networkType), object{"name": "open"})
	h.registered(t, "orders", backend.Spec{Image: "app:1", Ports: []backend.PortBinding{
		{Port: backend.Port{Number: 80, Protocol: backend.TCP}, Host: uint16(freePorts(t, 1)[0])},
	}})
	web := uniqueName(t)
	closed, both := list{object{"name": "closed"}}, list{object{"name": "closed"}, object{"name": "open"}}

	exposing := object{"name": web, "image": "app:1", "exposed_ports": list{"80"}, "networks": closed}
	_, diagnostics := c.apply(c.plan(c.none(containerType), exposing), exposing)
	expectError(t, diagnostics, "networks", "all its networks are internal")

	preset := object{"name": web, "image": "app:1", "preset": "redis", "networks": closed}
	_, diagnostics = c.apply(c.plan(c.none(containerType), preset), preset)
	expectError(t, diagnostics, "networks", "all its networks are internal")

	exposing["networks"] = both
	current := c.reach(c.none(containerType), exposing)
	exposing["networks"] = closed
	current, diagnostics = c.apply(c.plan(current, exposing), exposing)
	expectError(t, diagnostics, "networks", "all its networks are internal")
	if got := h.container(t, web).Networks; len(got) != 2 {
		t.Errorf("the container is on %v", got)
	}
	c.mustDestroy(c.mustRefresh(current))

	restored := object{"name": web, "from_checkpoint": "orders", "networks": closed}
	current = c.reach(c.none(containerType), restored)
	if got := h.container(t, web).Ports; len(got) > 0 {
		t.Errorf("a copy publishes %v", got)
	}
	c.mustSettle(current, restored)
}

// A backend that is named is known to have no networks before anything is
// contacted; under auto it is known when it is asked.
func TestNetworksUnsupported(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	server, err := h.server()
	if err != nil {
		t.Fatal(err)
	}
	c := newUnconfiguredCore(t, server)
	c.configure(object{"cache_dir": h.cacheDir, "backend": "microsandbox"})
	on := list{object{"name": "app", "aliases": list{"db"}}}
	expectError(t, c.plan(c.none(networkType), object{"name": "app"}).diagnostics, "", `Use backend = "docker"`)
	expectError(t, c.plan(c.none(containerType), object{"image": "app:1", "networks": on}).diagnostics, "networks", `Use backend = "docker"`)
	expectError(t, c.plan(c.none(checkpointType), object{"name": "orders", "seed": object{"image": "app:1", "networks": on}}).diagnostics, "seed.networks", `Use backend = "docker"`)
	c.must(c.plan(c.none(containerType), object{"image": "app:1"}).diagnostics, nil)
	if got := h.Calls(); len(got) > 0 {
		t.Errorf("planning asked the engine %v", got)
	}

	h.SetEngine(backend.Engine{ID: "one", Address: "fake://one", Local: true, Capabilities: backend.Capabilities{Checkpoint: true}})
	c = newCore(t, h)
	for typeName, config := range map[string]object{
		networkType: {"name": "app"}, containerType: {"name": "web", "image": "app:1", "networks": on},
	} {
		planned := c.plan(c.none(typeName), config)
		c.must(planned.diagnostics, nil)
		_, diagnostics := c.apply(planned, config)
		expectError(t, diagnostics, "", "this engine has no networks")
	}
	if left := h.Containers(); len(left) > 0 {
		t.Errorf("containers are left: %v", left)
	}
}

func TestNetworkOfAnotherEngine(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	c := newCore(t, h)
	network := c.reach(c.none(networkType), object{"name": "app"})
	imported, diagnostics := c.imported(networkType, "app")
	c.must(diagnostics, nil)
	other, c := secondEngine(t, h)
	if _, err := other.CreateNetwork(t.Context(), backend.NetworkSpec{Name: "app"}); err != nil {
		t.Fatal(err)
	}
	for name, current := range map[string]instance{"made": network, "imported": imported} {
		read, diagnostics := c.refresh(current)
		expectError(t, diagnostics, "", "State Belongs to Another Engine")
		left, diagnostics := c.destroy(current)
		expectError(t, diagnostics, "", "State Belongs to Another Engine")
		if !read.exists() || !left.exists() {
			t.Errorf("%s: state was dropped", name)
		}
	}
	if got := other.AllNetworks(); len(got) != 1 {
		t.Errorf("the other engine has %v", got)
	}

	third := fake.New(fake.WithName(backend.Microsandbox))
	t.Cleanup(third.Close)
	server, err := h.serverOf(third)
	if err != nil {
		t.Fatal(err)
	}
	c = newUnconfiguredCore(t, server)
	c.configure(object{"cache_dir": h.cacheDir})
	_, diagnostics = c.refresh(network)
	expectError(t, diagnostics, "", `Network app was created by backend "docker"`)
	_, diagnostics = c.destroy(network)
	expectError(t, diagnostics, "", `Network app was created by backend "docker"`)
}

// Fifty networks are one question to the engine, and a failure of it forgets
// none.
func TestReadNetworks(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	c := newCore(t, h)
	current := c.reach(c.none(networkType), object{"name": "app"})
	h.Fail(fake.ListNetworks, errLost, 1)
	read, diagnostics := c.refresh(current)
	expectError(t, diagnostics, "", "Unable to Read Network")
	if !read.exists() {
		t.Error("state was dropped")
	}
	h.Fail(fake.RemoveNetwork, errLost, 1)
	left, diagnostics := c.destroy(current)
	expectError(t, diagnostics, "", "Unable to Delete Network")
	c.mustDestroy(c.mustRefresh(left))
	h.Fail(fake.CreateNetwork, errLost, 1)
	_, diagnostics = c.apply(c.plan(c.none(networkType), object{"name": "app"}), object{"name": "app"})
	expectError(t, diagnostics, "", "Unable to Create Network")
	// The engine has made it, and its answer was lost.
	h.FailAfter(fake.CreateNetwork, errLost, 1)
	_, diagnostics = c.apply(c.plan(c.none(networkType), object{"name": "app"}), object{"name": "app"})
	expectError(t, diagnostics, "", "Unable to Create Network")
	if got := h.AllNetworks(); len(got) > 0 {
		t.Errorf("networks are left: %v", got)
	}
	if diff := cmp.Diff(map[string]string{}, h.snapshot(t).Files); diff != "" {
		t.Errorf("files are left (-want +got):\n%s", diff)
	}
}
