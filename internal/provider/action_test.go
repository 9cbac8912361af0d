package provider_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/fake"
)

const (
	saveAction  = "rightsize_checkpoint_save"
	resetAction = "rightsize_container_reset"
	execAction  = "rightsize_exec"
)

// expectMessage fails unless one of the messages says it.
func expectMessage(t *testing.T, messages []string, says string) {
	t.Helper()
	if !slices.ContainsFunc(messages, func(message string) bool { return strings.Contains(message, says) }) {
		t.Errorf("no message says %q, but:\n%s", says, strings.Join(messages, "\n"))
	}
}

func TestCheckpointSaveAction(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	c := newCore(t, h)
	h.running(t, backend.Spec{Name: "db", Image: "app:1", Env: map[string]string{"PASSWORD": "s3cret-value"}})
	messages, diagnostics := c.invoke(saveAction, object{"container_id": "db", "name": "orders"})
	c.must(diagnostics, nil)
	expectMessage(t, messages, "Capturing container (checkpoint orders, container db)")
	expectMessage(t, messages, "Checkpoint orders@")
	if text := strings.Join(messages, "\n"); strings.Contains(text, "s3cret") {
		t.Errorf("the messages have a secret:\n%s", text)
	}
	found, diagnostics := c.data(checkpointData, object{"name": "orders"})
	c.must(diagnostics, nil)
	if found["exists"] != true {
		t.Error("the checkpoint is not there")
	}
}

func TestCheckpointSaveActionFails(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		config object
		fail   func(h *harness)
		at     string
		says   string
	}{
		"no container": {object{"container_id": "nowhere", "name": "orders"}, nil, "container_id", "No capture was registered"},
		"name":         {object{"container_id": "db", "name": "../orders"}, nil, "name", "must be"},
		"mount": {object{"container_id": "db", "name": "orders"}, func(h *harness) {
			h.MarkUncapturable("db", "/mnt")
		}, "container_id", "/mnt"},
		"engine": {object{"container_id": "db", "name": "orders"}, func(h *harness) { h.Fail(fake.Capture, errLost, 1) }, "", "Start the engine."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHarness(t)
			c := newCore(t, h)
			h.running(t, backend.Spec{Name: "db", Image: "app:1"})
			if tc.fail != nil {
				tc.fail(h)
			}
			_, diagnostics := c.invoke(saveAction, tc.config)
			expectError(t, diagnostics, tc.at, tc.says)
			if len(h.AllArtifacts()) > 0 {
				t.Error("an artifact is left")
			}
		})
	}
}

// An action resets a container that a resource manages: the resource follows, and
// there is nothing to do for it.
func TestContainerResetAction(t *testing.T) {
	t.Parallel()
	for _, by := range []string{"id", "name"} {
		t.Run(by, func(t *testing.T) {
			t.Parallel()
			h := newHarness(t)
			h.registered(t, "orders", backend.Spec{Image: "app:1"})
			c := newCore(t, h)
			config := object{"name": uniqueName(t), "from_checkpoint": "orders", "exposed_ports": list{"80"}, "env": object{"A": "1"}}
			web := c.reach(c.none(containerType), config)
			name := config["name"].(string)
			// Twice, without a refresh in between.
			for range 2 {
				before := h.container(t, name)
				if err := h.Files(before.ID).WriteFile("/rows", []byte("spoilt")); err != nil {
					t.Fatal(err)
				}
				id := map[string]string{"id": before.ID, "name": name}[by]
				messages, diagnostics := c.invoke(resetAction, object{"container_id": id, "save_as": "spoilt"})
				c.must(diagnostics, nil)
				expectMessage(t, messages, "The present contents are kept as spoilt@")
				expectMessage(t, messages, "Removing container")
				expectMessage(t, messages, "is as it was defined, and ready")
				after := h.container(t, name)
				if _, err := h.Files(after.ID).ReadFile("/rows"); err == nil || after.ID == before.ID {
					t.Error("it holds what it held before")
				}
				if diff := cmp.Diff(before.Ports, after.Ports); diff != "" {
					t.Errorf("ports (-before +after):\n%s", diff)
				}
			}
			followed := c.mustRefresh(web)
			if got, want := followed.attributes()["container_id"], h.container(t, name).ID; got != want {
				t.Errorf("state has %v, want %s", got, want)
			}
			c.mustSettle(followed, config)
			config["reset_trigger"] = "1"
			c.mustSettle(c.reach(followed, config), config)
		})
	}
}

// What an action cannot bring back as it is defined stays as it is.
func TestContainerResetActionRefuses(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		config object
		says   string
	}{
		"files": {object{"files": list{object{"path": "/f", "content": "x"}}}, "Change reset_trigger"},
		"exec":  {object{"exec": list{object{"command": list{"true"}}}}, "Change reset_trigger"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHarness(t)
			c := newCore(t, h)
			config := object{"name": "web", "image": "app:1"}
			for attribute, value := range tc.config {
				config[attribute] = value
			}
			web := c.reach(c.none(containerType), config)
			before := h.Containers()
			_, diagnostics := c.invoke(resetAction, object{"container_id": "web", "save_as": "spoilt"})
			expectError(t, diagnostics, "container_id", tc.says)
			if diff := cmp.Diff(before, h.Containers()); diff != "" {
				t.Errorf("containers (-before +after):\n%s", diff)
			}
			if len(h.AllArtifacts()) > 0 {
				t.Error("it was captured, although it is not reset")
			}
			c.mustSettle(web, config)
		})
	}
}

// If the present contents cannot be kept, they are not lost either.
func TestContainerResetActionSavesFirst(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	c := newCore(t, h)
	config := object{"name": "web", "image": "app:1"}
	web := c.reach(c.none(containerType), config)
	h.Fail(fake.Capture, errLost, 1)
	before := h.Containers()
	_, diagnostics := c.invoke(resetAction, object{"container_id": "web", "save_as": "spoilt"})
	expectError(t, diagnostics, "", "Unable to Capture Checkpoint")
	if diff := cmp.Diff(before, h.Containers()); diff != "" {
		t.Errorf("containers (-before +after):\n%s", diff)
	}
	c.mustSettle(web, config)
}

// A reset that fails halfway is mended by the next apply.
func TestContainerResetActionFails(t *testing.T) {
	t.Parallel()
	for name, method := range map[string]fake.Method{"create": fake.Create, "start": fake.Start} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHarness(t)
			c := newCore(t, h)
			config := object{"name": "web", "image": "app:1"}
			web := c.reach(c.none(containerType), config)
			h.Fail(method, errLost, 1)
			_, diagnostics := c.invoke(resetAction, object{"container_id": "web"})
			expectError(t, diagnostics, "", "Unable to Reset Container")
			c.mustSettle(c.reach(c.mustRefresh(web), config), config)
		})
	}
}

// What a command writes is shown as it comes, and nothing that was given to it or
// to its container.
func TestExecAction(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	c := newCore(t, h)
	h.running(t, backend.Spec{Name: "db", Image: "app:1", Env: map[string]string{"PASSWORD": "s3cret-of-container"}})
	config := object{
		"container_id": "db", "command": list{"cat"}, "env": object{"TOKEN": "s3cret-of-command"}, "user": "nobody", "working_dir": "/srv",
		"stdin": "line one\nhas s3cret-of-container and s3cret-of-command in it\nlast line",
	}
	messages, diagnostics := c.invoke(execAction, config)
	c.must(diagnostics, nil)
	for _, says := range []string{"Running command", "The command exited with code 0"} {
		expectMessage(t, messages, says)
	}
	if text := strings.Join(messages, "\n"); strings.Contains(text, "s3cret") || !strings.Contains(text, "***") {
		t.Errorf("the messages are:\n%s", text)
	}
	call := h.CallsOf(fake.Exec)[0].Exec
	if diff := cmp.Diff(backend.Exec{
		Command: []string{"cat"}, Env: map[string]string{"TOKEN": "s3cret-of-command"}, User: "nobody", WorkingDir: "/srv",
	}, call); diff != "" {
		t.Errorf("command (-want +got):\n%s", diff)
	}

	messages, diagnostics = c.invoke(execAction, object{"container_id": "db", "command": list{"echo", "for all to see"}})
	c.must(diagnostics, nil)
	expectMessage(t, messages, "for all to see")
	messages, diagnostics = c.invoke(execAction, object{"container_id": "db", "command": list{"echo", "for nobody"}, "show_output": false})
	c.must(diagnostics, nil)
	if text := strings.Join(messages, "\n"); strings.Contains(text, "for nobody") {
		t.Errorf("the messages are:\n%s", text)
	}
	_, diagnostics = c.invoke(execAction, object{"container_id": "db", "command": list{"exit", "3"}, "success_exit_codes": list{0, 3}})
	c.must(diagnostics, nil)
}

func TestExecActionFails(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		config   object
		at, says string
	}{
		"exit code":    {object{"command": list{"exit", "3"}}, "command", "exited with code 3"},
		"no container": {object{"container_id": "nowhere", "command": list{"true"}}, "container_id", "nowhere"},
		"stopped":      {object{"container_id": "stopped", "command": list{"true"}}, "container_id", "Start the container first."},
		"timeout":      {object{"command": list{"sleep", "3600"}, "timeout": "10ms"}, "command", "did not finish within 10ms"},
		"no command":   {object{"command": list{}}, "command", "at least 1"},
		"working_dir":  {object{"command": list{"true"}, "working_dir": "srv"}, "working_dir", "must be"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHarness(t)
			c := newCore(t, h)
			h.running(t, backend.Spec{Name: "db", Image: "app:1"})
			h.StopOutOfBand(h.running(t, backend.Spec{Name: "stopped", Image: "app:1"}).ID)
			config := object{"container_id": "db"}
			for attribute, value := range tc.config {
				config[attribute] = value
			}
			_, diagnostics := c.invoke(execAction, config)
			expectError(t, diagnostics, tc.at, tc.says)
		})
	}
}

// Terraform may stop to read: no operation waits for it then.
func TestActionWithoutReader(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	c := newCore(t, h)
	h.running(t, backend.Spec{Name: "db", Image: "app:1"})
	config := c.encode(toValue(t, c.schemas.ActionSchemas[saveAction].Schema.ValueType(), object{"container_id": "db", "name": "orders"}))
	stream, err := c.server.(tfprotov6.ActionServer).InvokeAction(c.ctx, &tfprotov6.InvokeActionRequest{ActionType: saveAction, Config: config})
	if err != nil {
		t.Fatal(err)
	}
	for range stream.Events {
		break
	}
	// The call has ended for Terraform, and so has its context.
	if _, err := c.server.StopProvider(c.ctx, nil); err != nil {
		t.Fatal(err)
	}
	c = newCore(t, h)
	deadline := time.AfterFunc(time.Minute, func() { panic("the operation holds the name for ever") })
	defer deadline.Stop()
	_, diagnostics := c.invoke(saveAction, object{"container_id": "db", "name": "orders"})
	c.must(diagnostics, nil)
}

func TestActionUnconfigured(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	server, err := h.server()
	if err != nil {
		t.Fatal(err)
	}
	c := newUnconfiguredCore(t, server)
	c.configure(object{"cache_dir": unknown})
	for action, config := range map[string]object{
		saveAction:  {"container_id": "db", "name": "orders"},
		resetAction: {"container_id": "db"},
		execAction:  {"container_id": "db", "command": list{"true"}},
	} {
		_, diagnostics := c.invoke(action, config)
		expectError(t, diagnostics, "", "Provider Configuration Not Known Yet")
	}
}
