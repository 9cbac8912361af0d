package provider_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/fake"
)

// savedRows is what was saved as the checkpoint of that name.
func (h *harness) savedRows(t *testing.T, name string) string {
	t.Helper()
	return h.held(t, name, "/rows")
}

// held is a file of the checkpoint of that name.
func (h *harness) held(t *testing.T, name, file string) string {
	t.Helper()
	entry, err := h.registry.Get(name)
	if err != nil {
		t.Fatal(err)
	}
	artifact, err := h.Artifact(t.Context(), entry.Ref)
	if err != nil {
		t.Fatal(err)
	}
	c, err := h.Create(t.Context(), backend.Spec{Name: "look-into-" + name, From: &artifact})
	if err != nil {
		t.Fatal(err)
	}
	defer h.RemoveOutOfBand(c.ID)
	content, err := h.Files(c.ID).ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func (h *harness) spoil(t *testing.T, container, rows string) {
	t.Helper()
	if err := h.Files(container).WriteFile("/rows", []byte(rows)); err != nil {
		t.Fatal(err)
	}
}

// saving is a container whose contents are saved before each reset.
func saving(trigger string) object {
	return object{"name": "web", "image": "app:1", "exposed_ports": list{"80"}, "reset_trigger": trigger, "save_before_reset": "before"}
}

// A reset keeps what there was, whatever the reset follows from, and the name
// stands for the contents before the last one.
func TestSaveBeforeReset(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.registered(t, "orders", backend.Spec{Image: "app:1"})
	c := newCore(t, h)
	config := saving("1")
	current := c.reach(c.none(containerType), config)
	ports := current.attributes()["mapped_ports"]
	for i, change := range []object{{"reset_trigger": "2"}, {"reset_trigger": "3"}} {
		rows := fmt.Sprintf("spoilt %d", i)
		h.spoil(t, "web", rows)
		maps.Copy(config, change)
		current = c.reach(current, config)
		c.mustSettle(current, config)
		if got := h.savedRows(t, "before"); got != rows {
			t.Errorf("saved is %q, want %q", got, rows)
		}
		if _, err := h.Files("web").ReadFile("/rows"); err == nil {
			t.Error("the container was not reset")
		}
		if diff := cmp.Diff(ports, current.attributes()["mapped_ports"]); diff != "" {
			t.Errorf("ports (-before +after):\n%s", diff)
		}
	}

	// Another capture of the checkpoint.
	config = object{"name": "copy", "from_checkpoint": "orders", "save_before_reset": "before-copy"}
	copied := c.reach(c.none(containerType), config)
	h.spoil(t, "copy", "spoilt copy")
	again := h.registered(t, "orders", backend.Spec{Image: "app:1", Env: map[string]string{"AGAIN": "1"}})
	config["from_checkpoint"] = "orders@" + again.ID
	copied = c.reach(copied, config)
	c.mustSettle(copied, config)
	if got := h.savedRows(t, "before-copy"); got != "spoilt copy" {
		t.Errorf("saved is %q", got)
	}
	c.mustDestroy(copied)
	c.mustDestroy(current)
	// It is not Terraform's to remove.
	if got := h.savedRows(t, "before"); got != "spoilt 1" {
		t.Errorf("after the destroy it is %q", got)
	}
}

// If the contents cannot be saved, nothing is reset, and the next apply tries
// again.
func TestSaveBeforeResetFails(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	c := newCore(t, h)
	current := c.reach(c.none(containerType), saving("1"))
	before := h.container(t, "web")
	h.spoil(t, "web", "dear")
	h.Fail(fake.Capture, errLost, 1)
	current, diagnostics := c.apply(c.plan(current, saving("2")), saving("2"))
	expectError(t, diagnostics, "save_before_reset", "Unable to Save Container")
	expectError(t, diagnostics, "save_before_reset", "was not reset")
	expectError(t, diagnostics, "save_before_reset", "Start the engine.")
	if after := h.container(t, "web"); after.ID != before.ID || after.State != backend.StateRunning {
		t.Errorf("the container is %s, %s", after.ID, after.State)
	}
	planned := c.plan(c.mustRefresh(current), saving("2"))
	if planned.action != actionUpdate {
		t.Errorf("the next plan is %s", planned.action)
	}
	current = c.reach(current, saving("2"))
	if got := h.savedRows(t, "before"); got != "dear" {
		t.Errorf("saved is %q", got)
	}
	c.mustDestroy(current)
}

// A reset that fails after it has removed the container leaves one whose
// contents nobody wants: the next reset must not save them over those that were.
func TestFailedResetKeepsWhatWasSaved(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	c := newCore(t, h)
	config := func(trigger string) object {
		config := saving(trigger)
		config["exec"] = list{object{"command": list{"write", "/rows", "half done"}}, object{"command": list{"true"}}}
		return config
	}
	current := c.reach(c.none(containerType), config("1"))
	h.spoil(t, "web", "dear")
	h.Fail(fake.Start, errLost, 1)
	for _, trigger := range []string{"2", "3"} {
		var diagnostics []*tfprotov6.Diagnostic
		current, diagnostics = c.apply(c.plan(current, config(trigger)), config(trigger))
		expectError(t, diagnostics, "", "Start the engine.")
		if got := h.savedRows(t, "before"); got != "dear" {
			t.Errorf("saved is %q", got)
		}
		if trigger == "2" {
			h.Fail(fake.Start, errLost, 1)
		}
	}
	current, diagnostics := c.apply(c.plan(c.mustRefresh(current), config("3")), config("3"))
	c.must(diagnostics, nil)
	if text := render(diagnostics); !strings.Contains(text, "WARNING at save_before_reset: Contents Were Not Saved") {
		t.Errorf("the diagnostics are:\n%s", text)
	}
	c.mustSettle(current, config("3"))
	if got := h.savedRows(t, "before"); got != "dear" {
		t.Errorf("saved is %q", got)
	}
	// The container is whole again, and so is what is saved of it.
	h.spoil(t, "web", "dear again")
	current = c.reach(current, config("4"))
	if got := h.savedRows(t, "before"); got != "dear again" {
		t.Errorf("saved is %q", got)
	}
	c.mustDestroy(current)
}

// What is gone since the refresh cannot be saved, and is made again.
func TestSaveBeforeResetOfAContainerThatIsGone(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	c := newCore(t, h)
	current := c.reach(c.none(containerType), saving("1"))
	planned := c.plan(current, saving("2"))
	h.RemoveOutOfBand("web")
	current, diagnostics := c.apply(planned, saving("2"))
	c.must(diagnostics, nil)
	if text := render(diagnostics); !strings.Contains(text, "WARNING at save_before_reset: Contents Were Not Saved") {
		t.Errorf("the diagnostics are:\n%s", text)
	}
	c.mustSettle(current, saving("2"))
	if h.Count(fake.Capture) > 0 {
		t.Error("something was captured")
	}
	c.mustDestroy(current)
}

// A checkpoint that cannot be restored costs nothing, not even a capture.
func TestSaveBeforeResetToNothing(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.registered(t, "orders", backend.Spec{Image: "app:1"})
	c := newCore(t, h)
	config := object{"name": "web", "from_checkpoint": "orders", "save_before_reset": "before"}
	current := c.reach(c.none(containerType), config)
	captures := h.Count(fake.Capture)
	config["from_checkpoint"] = "nowhere"
	current, diagnostics := c.apply(c.plan(current, config), config)
	expectError(t, diagnostics, "from_checkpoint", "Unable to Reset Container")
	if h.Count(fake.Capture) != captures {
		t.Error("something was captured")
	}
	c.mustDestroy(current)
}

// To save the contents under the name of what they are reset to would leave
// nothing to reset to.
func TestSaveAsWhatItIsResetTo(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	artifact := h.registered(t, "orders", backend.Spec{Image: "app:1"})
	c := newCore(t, h)
	for _, from := range []string{"orders", "orders@" + artifact.ID} {
		diagnostics := c.validate(containerType, object{"from_checkpoint": from, "save_before_reset": "orders"})
		expectError(t, diagnostics, "save_before_reset", "Choose another name.")
	}
	if text := render(c.validate(containerType, object{"image": "app:1", "save_before_reset": ""})); strings.Contains(text, "Choose another name.") {
		t.Errorf("a container of an image is said to be reset to a checkpoint:\n%s", text)
	}
	c.must(c.validate(containerType, object{"from_checkpoint": unknown, "save_before_reset": "orders"}), nil)
	c.must(c.validate(containerType, object{"from_checkpoint": "orders", "save_before_reset": unknown}), nil)

	// What is known only when it is applied.
	config := object{"name": "web", "from_checkpoint": "orders", "reset_trigger": "1"}
	current := c.reach(c.none(containerType), config)
	known := object{"name": "web", "from_checkpoint": "orders", "reset_trigger": "2", "save_before_reset": "orders"}
	planned := c.plan(current, object{"name": "web", "from_checkpoint": "orders", "reset_trigger": "2", "save_before_reset": unknown})
	current, diagnostics := c.apply(planned, known)
	expectError(t, diagnostics, "save_before_reset", "Choose another name.")
	c.mustDestroy(current)
}
