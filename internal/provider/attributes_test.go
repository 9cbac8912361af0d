package provider_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/fake"
)

// attributeCase says what a change of one attribute does.
type attributeCase struct {
	// attribute is the top-level attribute to set; it is the name of the case
	// unless the case is about a part of it.
	attribute string
	// value and other are two values of it. In a third state it is null.
	value, other any
	// configure, if set, completes a configuration instead: value may be nil.
	configure func(config object, value any)
	// observe tells what the engine shows after a change, and shows what that
	// is with value, other and null.
	observe func(observed) any
	shows   [3]any
}

// withParent is an attribute that another case changes too: that of what it is
// part of, or of its parts.
var withParent attributeCase

func (tc attributeCase) apply(config object, value any) object {
	if tc.configure != nil {
		tc.configure(config, value)
	} else if value != nil {
		config[tc.attribute] = value
	}
	return config
}

// everyChange are the plans that take an attribute from null to a value, to
// another one and back to null.
type everyChange [3]action

func always(a action) everyChange { return everyChange{a, a, a} }

// observed is what an observation may look at: the engine, whose recorded calls
// begin with the change, and the resource afterwards.
type observed struct {
	t *testing.T
	*harness

	core *core
	// instance is what state has; an observation that goes on keeps it up to date.
	instance *instance
	config   object
}

// created is what the engine was last asked to make.
func (o observed) created() backend.Spec {
	calls := o.CallsOf(fake.Create)
	if len(calls) == 0 {
		return backend.Spec{}
	}
	return calls[len(calls)-1].Spec
}

// execs are the commands that the engine ran.
func (o observed) execs() any {
	commands := list{}
	for _, call := range o.CallsOf(fake.Exec) {
		commands = append(commands, fmt.Sprint(call.Exec.Command))
	}
	return commands
}

// exec is the last command that the engine ran.
func (o observed) exec() backend.Exec {
	calls := o.CallsOf(fake.Exec)
	if len(calls) == 0 {
		return backend.Exec{}
	}
	return calls[len(calls)-1].Exec
}

// file is the first file that the engine was asked to put in place.
func (o observed) file() backend.File {
	files := o.created().Files
	if len(files) == 0 {
		return backend.File{}
	}
	return files[0]
}

// expectChanges takes an attribute through every change and checks the plan, what
// became of it in the engine, and that nothing is left to do.
func expectChanges(t *testing.T, h *harness, tc attributeCase, typeName string, want everyChange, configure func(value any) object) {
	t.Helper()
	c := newCore(t, h)
	current := c.reach(c.none(typeName), configure(nil))
	for i, value := range []any{tc.value, tc.other, nil} {
		to := fmt.Sprintf("to %v", value)
		config := configure(value)
		before := h.snapshot(t)
		planned := c.plan(c.mustRefresh(current), config)
		c.must(planned.diagnostics, nil)
		if planned.action != want[i] {
			t.Errorf("%s: the plan is %s because of %v, want %s", to, planned.action, planned.replacing, want[i])
		}
		if diff := cmp.Diff(before, h.snapshot(t)); diff != "" {
			t.Errorf("%s: planning changed something (-before +after):\n%s", to, diff)
		}
		h.ResetCalls()
		var diagnostics []*tfprotov6.Diagnostic
		current, diagnostics = c.apply(planned, config)
		c.must(diagnostics, nil)
		c.mustSettle(current, config)
		settled := current.value
		got := tc.observe(observed{t: t, harness: h, core: c, instance: &current, config: config})
		if diff := cmp.Diff(tc.shows[i], got); diff != "" {
			t.Errorf("%s: the engine shows (-want +got):\n%s", to, diff)
		}
		if !current.value.Equal(settled) { // the observation went on from there
			current = c.reach(current, config)
		}
	}
	c.mustDestroy(current)
}

// settable are the paths of the attributes that a user can set, nested ones
// included.
func settable(attributes []*tfprotov6.SchemaAttribute, parent string) map[string]struct{} {
	paths := make(map[string]struct{})
	for _, attribute := range attributes {
		if !attribute.Required && !attribute.Optional {
			continue
		}
		path := parent + attribute.Name
		paths[path] = struct{}{}
		if attribute.NestedType != nil {
			maps.Copy(paths, settable(attribute.NestedType.Attributes, path+"."))
		}
	}
	return paths
}

// expectComplete fails for an attribute of the schema that the table misses.
func expectComplete[V any](t *testing.T, typeName string, table map[string]V) {
	t.Helper()
	attributes := settable(schemaOf(t, typeName).Block.Attributes, "")
	for path := range attributes {
		if _, ok := table[path]; !ok {
			t.Errorf("the table says nothing about %s", path)
		}
	}
	for path := range table {
		if _, ok := attributes[path]; !ok {
			t.Errorf("the schema has no attribute %s", path)
		}
	}
}

func schemaOf(t *testing.T, typeName string) *tfprotov6.Schema {
	t.Helper()
	server, err := newHarness(t).server()
	if err != nil {
		t.Fatal(err)
	}
	return newUnconfiguredCore(t, server).schema(typeName)
}

// freePorts returns ports of this host that nobody listened on just now.
func freePorts(t *testing.T, n int) []int {
	t.Helper()
	ports := make([]int, n)
	for i := range ports {
		var config net.ListenConfig
		listener, err := config.Listen(t.Context(), "tcp4", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close()
		ports[i] = listener.Addr().(*net.TCPAddr).Port
	}
	return ports
}

// takePort listens on a port of this host until the test ends.
func takePort(t *testing.T, port int) {
	t.Helper()
	var config net.ListenConfig
	listener, err := config.Listen(t.Context(), "tcp4", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
}

// errLost is a failure of an engine.
var errLost = &backend.Error{Tried: "reach the engine at fake://engine", Cause: errors.New("connection lost"), Remedy: "Start the engine."}

// keptAfterFailure changes the configuration in a way that makes a new
// container, lets that fail, tells whether the container is there, and mends it
// all again.
func (o observed) keptAfterFailure(change func(object)) bool {
	o.t.Helper()
	failing := maps.Clone(o.config)
	change(failing)
	o.Fail(fake.Exec, errLost, 1)
	after, diagnostics := o.core.apply(o.core.plan(*o.instance, failing), failing)
	if !failed(diagnostics) {
		o.t.Fatal("it did not fail")
	}
	kept := len(o.Containers()) > 0
	*o.instance = o.core.reach(after, o.config)
	return kept
}

// deadlines are how long the engine was given by the calls of a method.
func (h *harness) deadlines(method fake.Method) (last func() time.Duration) {
	var given time.Duration
	h.Hook(method, func(ctx context.Context, _ fake.Call) error {
		if deadline, ok := ctx.Deadline(); ok {
			given = time.Until(deadline).Round(time.Minute)
		}
		return nil
	})
	return func() time.Duration { return given }
}

func fileMode(mode *fs.FileMode) string {
	if mode == nil {
		return ""
	}
	return mode.String()
}
