package provider_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/fake"
)

// boot prints what a database does that starts twice, and serves /health on
// every port.
func boot(ctx context.Context, p *fake.Process) backend.Exit {
	for range 2 {
		fmt.Fprintln(p.Stdout, "ready to accept connections")
	}
	if err := p.Files.WriteFile("/health", []byte("status: fine\n")); err != nil {
		return backend.Exit{Code: 1}
	}
	p.SetHealthy(true)
	return fake.Serve(ctx, p)
}

// TestWaitFor has what each wait is fulfilled by. What does not fulfil it ends
// with an error that says what was missing; the wait is as short as may be.
func TestWaitFor(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		met   object
		unmet object
		// says is part of the error.
		says string
	}{
		"log": {
			object{"log": object{"pattern": "ready .* connections$"}},
			object{"log": object{"pattern": "ready .* requests$"}}, "ready .* requests$",
		},
		"log times": {
			object{"log": object{"pattern": "accept", "times": 2}},
			object{"log": object{"pattern": "accept", "times": 3}}, "accept",
		},
		"port": {
			object{"port": "80"},
			nil, "",
		},
		"http": {
			object{"http": object{"path": "/health", "body": "fine"}},
			object{"http": object{"path": "/health", "body": "ill"}}, "ill",
		},
		"http status": {
			object{"http": object{"path": "/health", "status": 200}},
			object{"http": object{"path": "/health", "status": 204}}, "200",
		},
		"command": {
			object{"exec": object{"command": list{"cat", "/health"}}},
			object{"exec": object{"command": list{"cat", "/missing"}}}, "/missing",
		},
		"health": {
			object{"health": true},
			nil, "",
		},
		"all of them": {
			object{"health": true, "port": "80", "log": object{"pattern": "ready"}, "exec": object{"command": list{"true"}}},
			object{"health": true, "port": "80", "log": object{"pattern": "steady"}, "exec": object{"command": list{"true"}}}, "steady",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHarness(t, fake.WithImage("db:1", fake.Image{Program: boot, HealthCheck: true}))
			c := newCore(t, h)
			config := object{"name": uniqueName(t), "image": "db:1", "exposed_ports": list{"80"}, "wait_for": tc.met}
			current := c.reach(c.none(containerType), config)
			c.mustSettle(current, config)
			c.mustDestroy(current)
			if tc.unmet == nil {
				return
			}
			tc.unmet["timeout"] = "1s"
			config["wait_for"] = tc.unmet
			current, diagnostics := c.apply(c.plan(c.none(containerType), config), config)
			expectError(t, diagnostics, "wait_for", tc.says)
			expectError(t, diagnostics, "wait_for", "Unable to Create Container")
			c.mustDestroy(current)
		})
	}
}

// A step ends when its time is up, and says which attribute gives it more.
func TestStepTimeout(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	c := newCore(t, h)
	config := object{"image": "app:1", "exec": list{object{"command": list{"idle"}, "timeout": "10ms"}}}
	current, diagnostics := c.apply(c.plan(c.none(containerType), config), config)
	expectError(t, diagnostics, "exec[0]", "did not finish within 10ms.")
	expectError(t, diagnostics, "exec[0]", "If the step needs more time, raise its timeout.")
	expectError(t, diagnostics, "exec[0]", "is kept for inspection and marked as tainted. The next apply replaces it.")
	expectError(t, diagnostics, "exec[0]", "The attribute at fault is exec[0].")
	c.mustDestroy(current)
}

// An operation ends when its time is up, and says which attribute gives it more.
func TestOperationTimeout(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	c := newCore(t, h)
	config := object{"image": "app:1", "timeouts": object{"create": "1s"}}
	release := h.Block(fake.Start)
	current, diagnostics := c.apply(c.plan(c.none(containerType), config), config)
	release()
	expectError(t, diagnostics, "", "raise the limit in the timeouts attribute")
	if !current.tainted {
		t.Error("the container is not in state")
	}
	c.mustDestroy(current)
}

// An interrupt ends an apply at once, and what the engine has is in state.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	c := newCore(t, h)
	config := object{"name": "web", "image": "app:1", "wait_for": object{"log": object{"pattern": "never"}}}
	planned := c.plan(c.none(containerType), config)
	ctx, interrupt := context.WithCancel(t.Context())
	c.ctx = ctx
	go func() {
		if err := h.AwaitCalls(t.Context(), fake.Logs, 1); err == nil {
			interrupt()
		}
	}()
	current, diagnostics := c.apply(planned, config)
	interrupt()
	c.ctx = t.Context()
	expectError(t, diagnostics, "", "The operation was interrupted")
	if !current.tainted {
		t.Error("the container is not in state")
	}
	c.mustDestroy(current)
}
