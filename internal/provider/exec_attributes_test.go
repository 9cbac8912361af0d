package provider_test

import (
	"maps"
	"testing"
	"time"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/fake"
)

// TestExecAttributes changes each attribute and looks in the engine what was run
// for it.
func TestExecAttributes(t *testing.T) {
	t.Parallel()
	cases := execResourceCases()
	expectComplete(t, execType, cases)
	for name, tc := range cases {
		if tc.observe == nil {
			continue // withParent
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newAttributeHarness(t)
			web := h.running(t, backend.Spec{Name: "web", Image: "app:1"})
			h.running(t, backend.Spec{Name: "db", Image: "app:1"})
			h.running(t, backend.Spec{Name: "other-db", Image: "app:1"})
			want := always(actionReplace)
			if tc.attribute == "on_destroy" || tc.attribute == "timeouts" {
				want = always(actionUpdate)
			}
			expectChanges(t, h, tc, execType, want, func(value any) object {
				return tc.apply(object{"container_id": web.ID, "command": list{"true"}}, value)
			})
		})
	}
}

func execResourceCases() map[string]attributeCase {
	ranIn := func(o observed) any {
		for _, c := range o.Containers() {
			if c.ID == o.CallsOf(fake.Exec)[0].Target {
				return c.Name
			}
		}
		return ""
	}
	times := func(o observed) any { return o.Count(fake.Exec) }
	cases := map[string]attributeCase{
		"container_id": {value: "db", other: "other-db", observe: ranIn, shows: [3]any{"db", "other-db", "web"}},
		"command": {
			value: list{"echo", "x"}, other: list{"echo", "y"},
			observe: observed.execs, shows: [3]any{list{"[echo x]"}, list{"[echo y]"}, list{"[true]"}},
		},
		"stdin": {
			configure: func(config object, value any) { config["command"], config["stdin"] = list{"cat"}, value },
			value:     "one", other: "two",
			observe: func(o observed) any { return o.instance.attributes()["stdout"] },
			shows:   [3]any{"one", "two", ""},
		},
		"user": {
			value: "nobody", other: "root",
			observe: func(o observed) any { return o.exec().User }, shows: [3]any{"nobody", "root", ""},
		},
		"working_dir": {
			value: "/a", other: "/b",
			observe: func(o observed) any { return o.exec().WorkingDir }, shows: [3]any{"/a", "/b", ""},
		},
		"env": {
			value: object{"A": "1"}, other: object{"A": "2"},
			observe: func(o observed) any { return o.exec().Env },
			shows:   [3]any{map[string]string{"A": "1"}, map[string]string{"A": "2"}, map[string]string(nil)},
		},
		// TestExecExitCodes shows what they mean.
		"success_exit_codes": {value: list{0, 3}, other: list{0}, observe: times, shows: [3]any{1, 1, 1}},
		"triggers":           {value: object{"a": "1"}, other: object{"a": "2"}, observe: times, shows: [3]any{1, 1, 1}},
		"timeouts": {
			configure: func(config object, value any) {
				config["on_destroy"] = object{"command": list{"true"}}
				config["timeouts"] = value
			},
			value: object{"create": "1m", "delete": "2m"}, other: object{"create": "4m"},
			observe: func(o observed) any {
				given := o.deadlines(fake.Exec)
				o.core.mustDestroy(*o.instance)
				undo := given()
				*o.instance = o.core.reach(o.core.none(execType), o.config)
				return [2]time.Duration{given(), undo}
			},
			shows: [3]any{
				[2]time.Duration{time.Minute, 2 * time.Minute},
				[2]time.Duration{4 * time.Minute, 10 * time.Minute},
				[2]time.Duration{10 * time.Minute, 10 * time.Minute},
			},
		},
		"timeouts.create": withParent,
		"timeouts.delete": withParent,
	}
	for name, tc := range cases {
		tc.attribute = name
		cases[name] = tc
	}
	maps.Copy(cases, onDestroyCases())
	return cases
}

// onDestroyCases are about a command that a change of it does not run.
func onDestroyCases() map[string]attributeCase {
	undo := func(attributes object) object {
		all := object{"command": list{"echo", "gone"}}
		maps.Copy(all, attributes)
		return all
	}
	destroyed := func(look func(observed) any) func(observed) any {
		return func(o observed) any {
			if o.Count(fake.Exec) > 0 {
				o.t.Errorf("the change ran %v", o.execs())
			}
			o.core.mustDestroy(*o.instance)
			*o.instance = o.core.none(execType)
			return look(o)
		}
	}
	cases := map[string]attributeCase{
		"on_destroy": {
			value: undo(nil), other: undo(object{"command": list{"true"}}),
			observe: destroyed(observed.execs), shows: [3]any{list{"[echo gone]"}, list{"[true]"}, list{}},
		},
		"on_destroy.command": withParent,
		"on_destroy.user": {
			value: undo(object{"user": "nobody"}), other: undo(object{"user": "root"}),
			observe: destroyed(func(o observed) any { return o.exec().User }), shows: [3]any{"nobody", "root", ""},
		},
		"on_destroy.working_dir": {
			value: undo(object{"working_dir": "/a"}), other: undo(object{"working_dir": "/b"}),
			observe: destroyed(func(o observed) any { return o.exec().WorkingDir }), shows: [3]any{"/a", "/b", ""},
		},
		"on_destroy.env": {
			value: undo(object{"env": object{"A": "1"}}), other: undo(object{"env": object{"A": "2"}}),
			observe: destroyed(func(o observed) any { return o.exec().Env["A"] }), shows: [3]any{"1", "2", ""},
		},
	}
	return about("on_destroy", cases)
}
