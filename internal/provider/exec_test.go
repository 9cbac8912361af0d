package provider_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/fake"
)

func (h *harness) commands() []string {
	var ran []string
	for _, call := range h.CallsOf(fake.Exec) {
		ran = append(ran, strings.Join(call.Exec.Command, " "))
	}
	return ran
}

func (h *harness) expectCommands(t *testing.T, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, h.commands()); diff != "" {
		t.Errorf("the commands that ran (-want +got):\n%s", diff)
	}
	h.ResetCalls()
}

// TestExecLife follows a command from its first run to its end.
func TestExecLife(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	c := newCore(t, h)
	web := object{"name": "web", "image": "app:1"}
	container := c.reach(c.none(containerType), web)
	config := object{
		"container_id": container.attributes()["container_id"],
		"command":      list{"echo", "migrated"},
		"on_destroy":   object{"command": list{"echo", "dropped"}},
	}
	run := c.reach(c.none(execType), config)
	got := run.attributes()
	first := got["id"]
	delete(got, "id")
	want := object{
		"container_id": config["container_id"], "command": config["command"], "backend": "docker",
		"stdin": nil, "user": nil, "working_dir": nil, "env": nil, "success_exit_codes": nil, "triggers": nil, "timeouts": nil, "content_sha256": nil,
		"on_destroy": object{"command": list{"echo", "dropped"}, "user": nil, "working_dir": nil, "env": nil},
		"exit_code":  int64(0), "stdout": "migrated\n", "stdout_truncated": false,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("state (-want +got):\n%s", diff)
	}
	h.expectCommands(t, "echo migrated")
	c.mustSettle(run, config)
	h.expectCommands(t)

	// A reset makes another container: the command is planned before its id is
	// known, and runs again. That of the old container went with it.
	web["reset_trigger"] = "1"
	config["container_id"] = unknown
	planned := c.plan(c.mustRefresh(run), config)
	c.must(planned.diagnostics, nil)
	if planned.action != actionReplace {
		t.Errorf("with another container the plan is %s", planned.action)
	}
	container = c.reach(container, web)
	h.ResetCalls()
	config["container_id"] = container.attributes()["container_id"]
	run, diagnostics := c.apply(planned, config)
	c.must(diagnostics, nil)
	h.expectCommands(t, "echo migrated")
	if run.attributes()["id"] == first {
		t.Error("the second run has the id of the first one")
	}
	c.mustSettle(run, config)

	c.mustDestroy(run)
	h.expectCommands(t, "echo dropped")
	c.mustDestroy(container)
}

// TestExecDrift removes and stops the container behind the command.
func TestExecDrift(t *testing.T) {
	t.Parallel()
	config := object{"container_id": "web", "command": list{"true"}, "on_destroy": object{"command": list{"false"}}}
	for name, tc := range map[string]struct {
		happens func(t *testing.T, h *harness)
		gone    bool
	}{
		"removed": {func(_ *testing.T, h *harness) { h.RemoveOutOfBand("web") }, true},
		"stopped": {func(_ *testing.T, h *harness) { h.StopOutOfBand("web") }, false},
		"replaced": {func(t *testing.T, h *harness) {
			h.RemoveOutOfBand("web")
			h.running(t, backend.Spec{Name: "web", Image: "app:1"})
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHarness(t)
			c := newCore(t, h)
			h.running(t, backend.Spec{Name: "web", Image: "app:1"})
			run := c.reach(c.none(execType), config)
			tc.happens(t, h)
			h.ResetCalls()
			// A destroy that does not refresh before has nothing to take back.
			c.mustDestroy(run)
			h.expectCommands(t)
			if read := c.mustRefresh(run); read.exists() == tc.gone {
				t.Errorf("after the refresh it exists: %v", read.exists())
			}
			if left := h.Mutations(); len(left) > 0 {
				t.Errorf("the engine was changed: %v", left)
			}
		})
	}
}

func TestExecFails(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		config   object
		fail     func(h *harness)
		at, says string
	}{
		"exit code":          {object{"command": list{"cat", "/missing"}}, nil, "command", "Command cat exited with code 1."},
		"output":             {object{"command": list{"cat", "/missing"}}, nil, "command", "/missing: No such file or directory"},
		"no such program":    {object{"command": list{"nothing"}}, nil, "command", "exited with code 127"},
		"engine":             {nil, func(h *harness) { h.Fail(fake.Exec, errLost, 1) }, "command", "could not be run: reach the engine at fake://engine: connection lost"},
		"too slow":           {object{"command": list{"sleep", "60"}, "timeouts": object{"create": "10ms"}}, nil, "command", "did not finish within 10ms"},
		"what then":          {object{"command": list{"false"}}, nil, "command", "The next apply runs the command again."},
		"stopped container":  {nil, func(h *harness) { h.StopOutOfBand("web") }, "container_id", "the container is exited"},
		"no container":       {nil, func(h *harness) { h.RemoveOutOfBand("web") }, "container_id", "not found"},
		"engine, identified": {nil, func(h *harness) { h.Fail(fake.Inspect, errLost, 1) }, "", "Start the engine."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHarness(t)
			c := newCore(t, h)
			h.running(t, backend.Spec{Name: "web", Image: "app:1"})
			config := object{"container_id": "web", "command": list{"true"}, "on_destroy": object{"command": list{"echo", "gone"}}}
			for key, value := range tc.config {
				config[key] = value
			}
			if tc.fail != nil {
				tc.fail(h)
			}
			run, diagnostics := c.apply(c.plan(c.none(execType), config), config)
			expectError(t, diagnostics, tc.at, "Unable to Run Command")
			expectError(t, diagnostics, tc.at, tc.says)
			if run.exists() {
				t.Error("a command that failed is in state")
			}
		})
	}
}

// TestExecUndoFails keeps in state what was not taken back, and takes it back
// by another command.
func TestExecUndoFails(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	c := newCore(t, h)
	h.running(t, backend.Spec{Name: "web", Image: "app:1"})
	config := object{"container_id": "web", "command": list{"true"}, "on_destroy": object{"command": list{"cat", "/missing"}}}
	run := c.reach(c.none(execType), config)
	left, diagnostics := c.destroy(run)
	expectError(t, diagnostics, "on_destroy", "Unable to Run Command")
	expectError(t, diagnostics, "on_destroy", "No such file or directory")
	expectError(t, diagnostics, "on_destroy", "the rightsize_exec with the id "+run.attributes()["id"].(string))
	expectError(t, diagnostics, "on_destroy", "Another on_destroy counts from the apply on that changes it")
	if !left.exists() {
		t.Fatal("it is not in state any more")
	}
	h.ResetCalls()
	config["on_destroy"] = object{"command": list{"true"}}
	left = c.reach(left, config)
	c.mustSettle(left, config)
	h.expectCommands(t)
	c.mustDestroy(left)
	h.expectCommands(t, "true")
}

func TestExecExitCodes(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	c := newCore(t, h)
	h.running(t, backend.Spec{Name: "web", Image: "app:1"})
	config := object{"container_id": "web", "command": list{"exit", "3"}, "success_exit_codes": list{2, 3}}
	if got := c.reach(c.none(execType), config).attributes()["exit_code"]; got != int64(3) {
		t.Errorf("the exit code is %v", got)
	}
	config["command"] = list{"true"}
	_, diagnostics := c.apply(c.plan(c.none(execType), config), config)
	expectError(t, diagnostics, "command", "exited with code 0")
}

// TestExecOutput keeps the beginning of what is printed, as text.
func TestExecOutput(t *testing.T) {
	t.Parallel()
	const most = 64 << 10
	for name, tc := range map[string]struct {
		printed, want string
		truncated     bool
	}{
		"nothing":               {"", "", false},
		"as much as is kept":    {strings.Repeat("x", most), strings.Repeat("x", most), false},
		"more":                  {strings.Repeat("x", most) + "y", strings.Repeat("x", most), true},
		"cut in a character":    {strings.Repeat("x", most-1) + "é", strings.Repeat("x", most-1), true},
		"cut late in one":       {strings.Repeat("x", most-3) + "😀", strings.Repeat("x", most-3), true},
		"no text":               {"a\xffb", "a\uFFFDb", false},
		"text that grows":       {strings.Repeat("\xffx", most/2), strings.Repeat("\uFFFDx", most/4), true},
		"half a character left": {"a\xc3", "a\uFFFD", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHarness(t, fake.WithCommand("print", func(_ context.Context, p *fake.Process) backend.Exit {
				fmt.Fprint(p.Stdout, tc.printed)
				fmt.Fprint(p.Stderr, "to standard error")
				return backend.Exit{}
			}))
			c := newCore(t, h)
			h.running(t, backend.Spec{Name: "web", Image: "app:1"})
			run := c.reach(c.none(execType), object{"container_id": "web", "command": list{"print"}})
			got := run.attributes()
			if stdout, _ := got["stdout"].(string); stdout != tc.want || got["stdout_truncated"] != tc.truncated {
				t.Errorf("the output has %d bytes (truncated: %v), want %d: %.20q", len(stdout), got["stdout_truncated"], len(tc.want), stdout)
			}
		})
	}
}

// TestExecInterrupted ends the command with the apply.
func TestExecInterrupted(t *testing.T) {
	t.Parallel()
	ended := make(chan struct{})
	h := newHarness(t, fake.WithCommand("wait", func(ctx context.Context, _ *fake.Process) backend.Exit {
		<-ctx.Done()
		close(ended)
		return backend.Exit{}
	}))
	c := newCore(t, h)
	h.running(t, backend.Spec{Name: "web", Image: "app:1"})
	config := object{"container_id": "web", "command": list{"wait"}}
	planned := c.plan(c.none(execType), config)
	ctx, cancel := context.WithCancel(c.ctx)
	c.ctx = ctx
	go func() {
		_ = h.AwaitCalls(ctx, fake.Exec, 1)
		cancel()
	}()
	run, diagnostics := c.apply(planned, config)
	expectError(t, diagnostics, "", "The operation was interrupted.")
	if run.exists() {
		t.Error("it is in state")
	}
	<-ended
}
