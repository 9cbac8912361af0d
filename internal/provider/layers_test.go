package provider_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/fake"
)

// chain is three checkpoints, each of which is seeded from the one before, and a
// container of the last one: what Terraform makes of
//
//	seed = { from_checkpoint = rightsize_checkpoint.schema.id }
type chain struct {
	*core

	instances map[string]instance
}

var chainOrder = []string{"schema", "reference", "tenant", "web"}

// config is the configuration of one of the chain, given the id of the one
// before it.
func (chain) config(name, trigger string, from any) object {
	switch name {
	case "web":
		return object{"name": "web", "from_checkpoint": from, "exposed_ports": list{"80"}}
	case "schema":
		return object{"name": name, "triggers": object{"data": trigger}, "seed": object{
			"image": "app:1", "env": object{"SCHEMA": "1"}, "exec": list{object{"command": list{"write", "/schema", trigger}}},
		}}
	default:
		return object{"name": name, "seed": object{
			"from_checkpoint": from, "exec": list{object{"command": list{"write", "/" + name, "of"}}},
		}}
	}
}

// apply plans all of the chain and applies it in order, as Terraform does: what
// follows something that changes is planned with an id that is not known yet,
// and what follows something that failed is left alone. It returns the planned
// actions.
func (c chain) apply(t *testing.T, trigger string) (actions []action, failure []*tfprotov6.Diagnostic) {
	t.Helper()
	var from any
	plans := make(map[string]change)
	for _, name := range chainOrder {
		planned := c.plan(c.mustRefresh(c.instances[name]), c.config(name, trigger, from))
		c.must(planned.diagnostics, nil)
		plans[name] = planned
		actions = append(actions, planned.action)
		from = planned.attributes()["id"]
	}
	for _, name := range chainOrder {
		result, diagnostics := c.core.apply(plans[name], c.config(name, trigger, from))
		c.instances[name] = result
		if failed(diagnostics) {
			return actions, diagnostics
		}
		from = result.attributes()["id"]
	}
	return actions, nil
}

func newChain(t *testing.T, h *harness) chain {
	t.Helper()
	c := chain{core: newCore(t, h), instances: make(map[string]instance)}
	for _, name := range chainOrder {
		c.instances[name] = c.none(checkpointType)
	}
	c.instances["web"] = c.none(containerType)
	return c
}

func (c chain) destroy() {
	for _, name := range []string{"web", "tenant", "reference", "schema"} {
		c.mustDestroy(c.instances[name])
	}
}

// A change at the base goes through the whole chain, in order and in one apply.
func TestChainOfCheckpoints(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	c := newChain(t, h)
	_, failure := c.apply(t, "1")
	c.must(failure, nil)
	first := h.container(t, "web")
	for i, name := range []string{"schema", "reference", "tenant"} {
		if got, want := c.instances[name].attributes()["layers"], int64(i+2); got != want {
			t.Errorf("%s has %v layers, want %d", name, got, want)
		}
	}

	h.ResetCalls()
	actions, failure := c.apply(t, "2")
	c.must(failure, nil)
	if diff := cmp.Diff([]action{actionUpdate, actionUpdate, actionUpdate, actionUpdate}, actions); diff != "" {
		t.Errorf("plans (-want +got):\n%s", diff)
	}
	var captured []string
	for _, call := range h.CallsOf(fake.Capture) {
		captured = append(captured, call.Capture.Name)
	}
	if diff := cmp.Diff([]string{"schema", "reference", "tenant"}, captured); diff != "" {
		t.Errorf("captures (-want +got):\n%s", diff)
	}
	web := h.container(t, "web")
	if web.ID == first.ID {
		t.Error("the container was not reset")
	}
	if diff := cmp.Diff(first.Ports, web.Ports); diff != "" {
		t.Errorf("ports (-before +after):\n%s", diff)
	}
	for file, want := range map[string]string{"/schema": "2", "/reference": "of", "/tenant": "of"} {
		if got, err := h.Files("web").ReadFile(file); string(got) != want {
			t.Errorf("%s holds %q, %v, want %q", file, got, err, want)
		}
	}

	actions, failure = c.apply(t, "2")
	c.must(failure, nil)
	if diff := cmp.Diff([]action{actionNone, actionNone, actionNone, actionNone}, actions); diff != "" {
		t.Errorf("the second plan (-want +got):\n%s", diff)
	}
	c.destroy()
	if left := len(h.Containers()) + len(h.AllArtifacts()); left > 0 {
		t.Errorf("the destroy left %v and %v", h.Containers(), h.AllArtifacts())
	}
}

// A failure in the middle leaves what is before it new, what is after it as it
// was, and all of it good.
func TestChainFailsInTheMiddle(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	c := newChain(t, h)
	_, failure := c.apply(t, "1")
	c.must(failure, nil)
	earlier := h.container(t, "web")

	captures := 0
	h.Hook(fake.Capture, func(_ context.Context, call fake.Call) error {
		if captures++; call.Capture.Name == "reference" && captures == 2 {
			return errLost
		}
		return nil
	})
	_, failure = c.apply(t, "2")
	expectError(t, failure, "", "what the name stood for before it still stands for")
	if h.container(t, "web").ID != earlier.ID {
		t.Error("the container was reset to something else")
	}
	for name, want := range map[string]string{"schema": "2", "reference": "1", "tenant": "1"} {
		if got := h.held(t, name, "/schema"); got != want {
			t.Errorf("checkpoint %s holds %q, want %q", name, got, want)
		}
	}

	actions, failure := c.apply(t, "2")
	c.must(failure, nil)
	if diff := cmp.Diff([]action{actionNone, actionUpdate, actionUpdate, actionUpdate}, actions); diff != "" {
		t.Errorf("plans (-want +got):\n%s", diff)
	}
	if got, err := h.Files("web").ReadFile("/schema"); string(got) != "2" {
		t.Errorf("the container holds %q, %v", got, err)
	}
	c.destroy()
	if left := len(h.Containers()) + len(h.AllArtifacts()); left > 0 {
		t.Errorf("the destroy left %v and %v", h.Containers(), h.AllArtifacts())
	}
}

// deep registers a checkpoint whose artifact has that many layers.
func (h *harness) deep(t *testing.T, name string, layers int) {
	t.Helper()
	artifact := h.registered(t, name, backend.Spec{Image: "app:1"})
	for n := 3; n <= layers; n++ {
		artifact = h.registered(t, name, backend.Spec{From: &artifact, Env: map[string]string{"N": fmt.Sprint(n)}})
	}
}

// Above 100 layers there is a warning, as long as the engine still takes more.
func TestManyLayers(t *testing.T) {
	t.Parallel()
	const warning = "WARNING at flatten: Checkpoint Has Many Layers"
	h := newHarness(t)
	h.deep(t, "few", 99)
	h.deep(t, "many", 100)
	c := newCore(t, h)
	for base, want := range map[string]bool{"few": false, "many": true} {
		config := object{"name": "on-" + base, "seed": object{"from_checkpoint": base}}
		current, diagnostics := c.apply(c.plan(c.none(checkpointType), config), config)
		c.must(diagnostics, nil)
		if got := strings.Contains(render(diagnostics), warning); got != want {
			t.Errorf("%v layers: the apply warns: %t", current.attributes()["layers"], got)
		}
		planned := c.plan(c.mustRefresh(current), config)
		if got := strings.Contains(render(planned.diagnostics), warning); got != want || planned.action != actionNone {
			t.Errorf("%v layers: the plan, %s, warns: %t", current.attributes()["layers"], planned.action, got)
		}

		config["flatten"] = true
		current, diagnostics = c.apply(c.plan(current, config), config)
		c.must(diagnostics, nil)
		if got := current.attributes()["layers"]; got != int64(1) || len(diagnostics) > 0 {
			t.Errorf("flattened it has %v layers:\n%s", got, render(diagnostics))
		}
		c.mustSettle(current, config)
		c.mustDestroy(current)
	}

	config := saving("1")
	delete(config, "image")
	config["from_checkpoint"] = "many"
	current := c.reach(c.none(containerType), config)
	config["reset_trigger"] = "2"
	current, diagnostics := c.apply(c.plan(current, config), config)
	c.must(diagnostics, nil)
	if text := render(diagnostics); !strings.Contains(text, "WARNING at save_before_reset: Checkpoint Has Many Layers") {
		t.Errorf("the save warns:\n%s", text)
	}
	c.mustDestroy(current)
}

// What was imported has its layers too, and data sources tell them.
func TestLayersAreTold(t *testing.T) {
	t.Parallel()
	for limit, want := range map[int]any{125: int64(2), 0: nil} {
		h := newHarness(t)
		h.SetEngine(backend.Engine{ID: "one", Local: true, Capabilities: backend.Capabilities{Checkpoint: true, LayerLimit: limit}})
		h.registered(t, "orders", backend.Spec{Image: "app:1"})
		c := newCore(t, h)
		current, diagnostics := c.imported(checkpointType, "orders")
		c.must(diagnostics, nil)
		one, diagnostics := c.data(checkpointData, object{"name": "orders"})
		c.must(diagnostics, nil)
		all, diagnostics := c.data(checkpointsData, object{})
		c.must(diagnostics, nil)
		for where, attributes := range map[string]object{
			"resource": current.attributes(), "data source": one, "data source of all": all["checkpoints"].(list)[0].(object),
		} {
			if got := attributes["layers"]; got != want {
				t.Errorf("with a limit of %d, the %s says %v layers, want %v", limit, where, got, want)
			}
		}
	}
}
