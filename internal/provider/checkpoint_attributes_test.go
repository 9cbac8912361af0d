package provider_test

import (
	"maps"
	"testing"
	"time"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/fake"
)

// TestCheckpointAttributes changes each attribute and looks in the engine whether
// a new capture was really made from the new source.
func TestCheckpointAttributes(t *testing.T) {
	t.Parallel()
	cases := checkpointAttributeCases()
	for name, tc := range workloadAttributeCases(t) {
		cases["seed."+name] = tc.inSeed()
	}
	for name, tc := range seedAttributeCases() {
		cases["seed."+name] = tc.inSeed()
	}
	expectComplete(t, checkpointType, cases)
	for name, tc := range cases {
		if tc.observe == nil {
			continue // withParent
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newAttributeHarness(t)
			h.running(t, backend.Spec{Name: "db", Image: "app:1"})
			h.running(t, backend.Spec{Name: "other-db", Image: "app:2"})
			want := always(actionUpdate)
			if name == "name" {
				want = always(actionReplace)
			}
			expectChanges(t, h, tc, checkpointType, want, func(value any) object {
				return tc.apply(object{"name": "orders", "seed": object{"image": "app:1"}}, value)
			})
		})
	}
}

// inSeed makes a case about a container one about a checkpoint's seed, each
// change of which must capture again.
func (tc attributeCase) inSeed() attributeCase {
	if tc.observe == nil {
		return tc
	}
	inner := tc
	tc.configure = func(config object, value any) {
		seed := object{"image": "app:1"}
		inner.apply(seed, value)
		config["seed"] = seed
	}
	tc.observe = func(o observed) any {
		if o.Count(fake.Capture) != 1 {
			o.t.Errorf("the change made %d captures", o.Count(fake.Capture))
		}
		return inner.observe(o)
	}
	return tc
}

// seedAttributeCases are the attributes of which a change means something else
// for a seed, which does not stay.
func seedAttributeCases() map[string]attributeCase {
	return map[string]attributeCase{
		// TestInvalidCheckpoint: there is no value that a seed can have.
		"tmpfs_root_mb": withParent,
		"warm": {
			attribute: "warm", value: true, other: false,
			observe: heldMemory,
			shows:   [3]any{[]bool{true}, []bool{false}, []bool{false}},
		},
		"stop_timeout": {
			attribute: "stop_timeout", value: "7s", other: "8s",
			observe: func(o observed) any { return o.CallsOf(fake.Stop)[0].Grace },
			shows:   [3]any{7 * time.Second, 8 * time.Second, backend.DefaultStopTimeout},
		},
		"on_failure": {
			value: "keep", other: "remove",
			configure: func(seed object, value any) {
				seed["exec"] = list{object{"command": list{"true"}}}
				seed["on_failure"] = value
			},
			observe: func(o observed) any {
				o.RemoveOutOfBand("db")
				o.RemoveOutOfBand("other-db")
				kept := o.keptAfterFailure(func(config object) { config["triggers"] = object{"fail": "1"} })
				o.running(o.t, backend.Spec{Name: "db", Image: "app:1"})
				o.running(o.t, backend.Spec{Name: "other-db", Image: "app:2"})
				return kept
			},
			shows: [3]any{true, false, false},
		},
	}
}

// heldMemory says of each capture whether it was to hold memory.
func heldMemory(o observed) any {
	var held []bool
	for _, call := range o.CallsOf(fake.Capture) {
		held = append(held, call.Capture.Memory)
	}
	return held
}

func checkpointAttributeCases() map[string]attributeCase {
	captured := func(o observed) any { return o.CallsOf(fake.Capture)[0].Target == o.container(o.t, "db").ID }
	cases := map[string]attributeCase{
		"name": {
			configure: func(config object, value any) {
				if value != nil {
					config["name"] = value
				}
			},
			value: "stock", other: "users",
			observe: func(o observed) any {
				var names []string
				entries, _, err := o.registry.List()
				for _, entry := range entries {
					names = append(names, entry.Name)
				}
				if err != nil {
					o.t.Error(err)
				}
				return names
			},
			shows: [3]any{[]string{"first", "second", "stock"}, []string{"first", "second", "users"}, []string{"first", "orders", "second"}},
		},
		"container_id": {
			configure: func(config object, value any) {
				if value != nil {
					delete(config, "seed")
					config["container_id"] = value
				}
			},
			value: "db", other: "other-db",
			observe: captured, shows: [3]any{true, false, false},
		},
		"flatten": {
			value: true, other: false,
			observe: func(o observed) any {
				var flattened []bool
				for _, call := range o.CallsOf(fake.Capture) {
					flattened = append(flattened, call.Capture.Flatten)
				}
				return flattened
			},
			// Unset is the same as false.
			shows: [3]any{[]bool{true}, []bool{false}, []bool(nil)},
		},
		"memory": {
			configure: func(config object, value any) {
				delete(config, "seed")
				config["container_id"] = "db"
				if value != nil {
					config["memory"] = value
				}
			},
			value: true, other: false,
			observe: heldMemory,
			// Unset is the same as false; here the source is another one as well.
			shows: [3]any{[]bool{true}, []bool{false}, []bool(nil)},
		},
		"expires_after": {
			value: "1h", other: "72h",
			observe: func(o observed) any { return [2]any{len(o.Mutations()), o.lifetime("orders@")} },
			shows:   [3]any{[2]any{0, "1h"}, [2]any{0, "72h"}, [2]any{0, ""}},
		},
		"triggers": {
			value: object{"data": "1"}, other: object{"data": "2"},
			observe: func(o observed) any { return o.Count(fake.Capture) }, shows: [3]any{1, 1, 1},
		},
		"timeouts": {
			value: object{"create": "1m", "update": "2m", "delete": "3m"}, other: object{"create": "4m"},
			observe: func(o observed) any {
				created, removed := o.deadlines(fake.Create), o.deadlines(fake.RemoveArtifact)
				config := maps.Clone(o.config)
				config["triggers"] = object{"again": "1"}
				*o.instance = o.core.reach(*o.instance, config)
				update := created()
				o.core.mustDestroy(*o.instance)
				remove := removed()
				*o.instance = o.core.reach(o.core.none(checkpointType), o.config)
				return [3]time.Duration{created(), update, remove}
			},
			shows: [3]any{
				[3]time.Duration{time.Minute, 2 * time.Minute, 3 * time.Minute},
				[3]time.Duration{4 * time.Minute, 2 * time.Hour, 5 * time.Minute},
				[3]time.Duration{2 * time.Hour, 2 * time.Hour, 5 * time.Minute},
			},
		},
		"seed":            withParent,
		"timeouts.create": withParent,
		"timeouts.update": withParent,
		"timeouts.delete": withParent,
	}
	for name, tc := range cases {
		tc.attribute = name
		cases[name] = tc
	}
	return cases
}
