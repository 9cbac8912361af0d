package provider_test

import (
	"context"
	"io"
	"maps"
	"testing"
	"time"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/fake"
)

// TestContainerAttributes changes each attribute and looks in the engine whether
// the planned action really made the change.
func TestContainerAttributes(t *testing.T) {
	t.Parallel()
	cases := workloadAttributeCases(t)
	maps.Copy(cases, containerAttributeCases(t))
	expectComplete(t, containerType, cases)
	for name, tc := range cases {
		if tc.observe == nil {
			continue // withParent
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want, ok := containerActions[name]
			if !ok {
				if want, ok = containerActions[tc.attribute]; !ok {
					want = always(actionReplace)
				}
			}
			expectChanges(t, newAttributeHarness(t), tc, containerType, want, func(value any) object {
				return tc.apply(object{"name": "web", "image": "app:1"}, value)
			})
		})
	}
}

// containerActions are the attributes of which not every change replaces the
// container.
var containerActions = map[string]everyChange{
	// Null means any name, and so the one that is there.
	"name":            {actionReplace, actionReplace, actionNone},
	"image":           {actionReplace, actionReplace, actionReplace},
	"from_checkpoint": {actionReplace, actionUpdate, actionReplace},
	"memory_limit_mb": {actionUpdate, actionUpdate, actionUpdate},
	"cpus":            {actionUpdate, actionUpdate, actionUpdate},
	"networks":        always(actionUpdate),
	// Unset is the same as false.
	"network_disabled":  {actionReplace, actionReplace, actionUpdate},
	"reset_trigger":     always(actionUpdate),
	"save_before_reset": always(actionUpdate),
	"expires_after":     always(actionUpdate),
	"wait_for":          always(actionUpdate),
	"wait_for.exit":     {actionReplace, actionUpdate, actionReplace},
	"require_isolation": always(actionUpdate),
	"pull_policy":       always(actionUpdate),
	"stop_timeout":      always(actionUpdate),
	"on_failure":        always(actionUpdate),
	"timeouts":          always(actionUpdate),
}

// newAttributeHarness has an engine that can do everything, and two checkpoints.
func newAttributeHarness(t *testing.T) *harness {
	t.Helper()
	h := newHarness(t,
		fake.WithImage("healthy:1", fake.Image{HealthCheck: true, Program: func(ctx context.Context, p *fake.Process) backend.Exit {
			p.SetHealthy(true)
			return fake.Serve(ctx, p)
		}}),
		fake.WithCommand("expect", expectInput),
		withServers(),
	)
	h.SetEngine(backend.Engine{ID: "one", Version: "1", Address: "fake://one", Local: true, Capabilities: backend.Capabilities{
		Checkpoint: true, CheckpointMemory: true, HardwareIsolated: true, Networks: true,
	}})
	h.network(t, "one")
	h.network(t, "two")
	h.registered(t, "first", backend.Spec{Image: "app:1"})
	h.registered(t, "second", backend.Spec{Image: "app:1"})
	return h
}

// expectInput fails unless its standard input is its argument.
func expectInput(_ context.Context, p *fake.Process) backend.Exit {
	input, err := io.ReadAll(p.Stdin)
	if err != nil || string(input) != p.Args[1] {
		return backend.Exit{Code: 1}
	}
	return backend.Exit{}
}

// containerAttributeCases are the attributes that only a container has, and
// those that are applied to a container that stays.
func containerAttributeCases(t *testing.T) map[string]attributeCase {
	t.Helper()
	ports := freePorts(t, 2)
	limits := func(o observed) any { return o.container(o.t, "web").Given.Limits }
	reset := func(o observed) {
		config := maps.Clone(o.config)
		config["reset_trigger"] = "observe"
		*o.instance = o.core.reach(*o.instance, config)
	}
	cases := map[string]attributeCase{
		"name": {
			value: "api", other: "web",
			configure: func(config object, value any) { config["name"] = value },
			observe:   func(o observed) any { return o.Containers()[0].Name },
			shows:     [3]any{"api", "web", "web"},
		},
		"labels": {
			value: object{"team": "a"}, other: object{"team": "b"},
			observe: func(o observed) any { return o.created().Labels },
			shows:   [3]any{map[string]string{"team": "a"}, map[string]string{"team": "b"}, map[string]string(nil)},
		},
		"memory_limit_mb": {
			value: 64, other: 128, observe: limits,
			shows: [3]any{backend.Limits{MemoryMB: 64}, backend.Limits{MemoryMB: 128}, backend.Limits{}},
		},
		"cpus": {
			value: 1.5, other: 0.5, observe: limits,
			shows: [3]any{backend.Limits{CPUs: 1.5}, backend.Limits{CPUs: 0.5}, backend.Limits{}},
		},
		"tmpfs_root_mb": {
			value: 64, other: 128,
			observe: func(o observed) any { return o.container(o.t, "web").Given.TmpfsRootMB },
			shows:   [3]any{int64(64), int64(128), int64(0)},
		},
		"network_disabled": {
			value: true, other: false,
			observe: func(o observed) any {
				return [2]any{o.Count(fake.Create), o.container(o.t, "web").Given.NetworkDisabled}
			},
			shows: [3]any{[2]any{1, true}, [2]any{1, false}, [2]any{0, false}},
		},
		"networks": {
			value: list{object{"name": "one", "aliases": list{"db"}}},
			other: list{object{"name": "two"}, object{"name": "one"}},
			observe: func(o observed) any {
				return [2]any{o.Count(fake.Create), o.container(o.t, "web").Given.Networks}
			},
			shows: [3]any{
				[2]any{0, []backend.Attachment{{Network: "one", Aliases: []string{"db"}}}},
				[2]any{0, []backend.Attachment{{Network: "one"}, {Network: "two"}}},
				[2]any{0, []backend.Attachment(nil)},
			},
		},
		"expires_after": {
			value: "1h", other: "72h",
			observe: func(o observed) any {
				return [2]any{len(o.Mutations()), o.lifetime(o.container(o.t, "web").ID)}
			},
			shows: [3]any{[2]any{0, "1h"}, [2]any{0, "72h"}, [2]any{0, ""}},
		},
		"reset_trigger": {
			value: "a", other: "b",
			observe: func(o observed) any { return [2]int{o.Count(fake.Remove), o.Count(fake.Create)} },
			shows:   [3]any{[2]int{1, 1}, [2]int{1, 1}, [2]int{1, 1}},
		},
		"save_before_reset": {
			value: "before", other: "earlier",
			observe: func(o observed) any {
				if changed := o.Mutations(); len(changed) > 0 {
					o.t.Errorf("the change alone made %v", changed)
				}
				reset(o)
				names := []string{}
				for _, call := range o.CallsOf(fake.Capture) {
					names = append(names, call.Capture.Name)
				}
				return names
			},
			shows: [3]any{[]string{"before"}, []string{"earlier"}, []string{}},
		},
		"require_isolation": {
			value: true, other: false,
			observe: func(o observed) any { return len(o.Mutations()) },
			shows:   [3]any{0, 0, 0},
		},
		"pull_policy": {
			value: "always", other: "never",
			observe: func(o observed) any {
				reset(o)
				return o.created().PullPolicy
			},
			shows: [3]any{backend.PullAlways, backend.PullNever, backend.PullMissing},
		},
		"stop_timeout": {
			value: "7s", other: "8s",
			observe: func(o observed) any {
				o.core.mustDestroy(*o.instance)
				*o.instance = o.core.none(containerType)
				return o.CallsOf(fake.Stop)[0].Grace
			},
			shows: [3]any{7 * time.Second, 8 * time.Second, backend.DefaultStopTimeout},
		},
		"on_failure": {
			value: "remove", other: "keep",
			configure: func(config object, value any) {
				config["wait_for"] = object{"exec": object{"command": list{"true"}}}
				config["on_failure"] = value
			},
			observe: func(o observed) any {
				return o.keptAfterFailure(func(config object) { config["reset_trigger"] = "fail" })
			},
			shows: [3]any{false, true, true},
		},
		"timeouts": {
			value: object{"create": "1m", "update": "2m", "delete": "3m"}, other: object{"create": "4m"},
			observe: func(o observed) any {
				created, removed := o.deadlines(fake.Create), o.deadlines(fake.Remove)
				reset(o)
				update := created()
				o.core.mustDestroy(*o.instance)
				remove := removed()
				*o.instance = o.core.reach(o.core.none(containerType), o.config)
				return [3]time.Duration{created(), update, remove}
			},
			shows: [3]any{
				[3]time.Duration{time.Minute, 2 * time.Minute, 3 * time.Minute},
				[3]time.Duration{4 * time.Minute, 30 * time.Minute, 5 * time.Minute},
				[3]time.Duration{30 * time.Minute, 30 * time.Minute, 5 * time.Minute},
			},
		},
		"ports": {
			value: list{object{"container_port": 80, "host_port": ports[0]}},
			other: list{object{"container_port": 80, "host_port": ports[1], "protocol": "tcp"}, object{"container_port": 53, "host_port": ports[1], "protocol": "udp"}},
			observe: func(o observed) any {
				mapped := object{}
				for _, binding := range o.container(o.t, "web").Ports {
					mapped[binding.String()] = int(binding.Host)
				}
				return mapped
			},
			shows: [3]any{object{"80": ports[0]}, object{"80": ports[1], "53/udp": ports[1]}, object{}},
		},
	}
	for name, tc := range cases {
		tc.attribute = name
		cases[name] = tc
	}
	for _, name := range []string{
		"ports.container_port", "ports.host_port", "ports.protocol", "timeouts.create", "timeouts.update", "timeouts.delete",
	} {
		cases[name] = withParent
	}
	return cases
}
