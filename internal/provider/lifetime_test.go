package provider_test

import (
	"maps"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// lifetime is how long the object is wanted whose id begins like this; empty for
// ever.
func (o observed) lifetime(id string) string {
	records, _, err := o.lifetimes.List()
	if err != nil {
		o.t.Fatal(err)
	}
	for _, record := range records {
		if strings.HasPrefix(record.ID, id) {
			return string(record.After)
		}
	}
	return ""
}

// expiring are a container and a checkpoint, in both of their configurations.
func expiring(expiresAfter any) map[string]object {
	return map[string]object{
		containerType:  {"name": "web", "image": "app:1", "expires_after": expiresAfter},
		checkpointType: {"name": "orders", "container_id": "db", "expires_after": expiresAfter},
	}
}

func eachExpiring(t *testing.T, test func(t *testing.T, h *harness, typeName string, config func(expiresAfter any) object)) {
	t.Helper()
	for typeName := range expiring(nil) {
		t.Run(typeName, func(t *testing.T) {
			t.Parallel()
			h := newHarness(t)
			h.running(t, backend.Spec{Name: "db", Image: "app:1"})
			test(t, h, typeName, func(expiresAfter any) object { return expiring(expiresAfter)[typeName] })
		})
	}
}

// at reads a time of an instance.
func at(t *testing.T, i instance, attribute string) time.Time {
	t.Helper()
	text, _ := i.attributes()[attribute].(string)
	parsed, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Errorf("%s: %v", attribute, err)
	}
	return parsed
}

func TestExpiresAt(t *testing.T) {
	t.Parallel()
	eachExpiring(t, func(t *testing.T, h *harness, typeName string, config func(any) object) {
		c := newCore(t, h)
		before := time.Now().Truncate(time.Second)
		planned := c.plan(c.none(typeName), config("72h"))
		c.must(planned.diagnostics, nil)
		if got := planned.attributes()["expires_at"]; got != unknown {
			t.Errorf("before it exists it is planned to expire at %v", got)
		}
		current, diagnostics := c.apply(planned, config("72h"))
		c.must(diagnostics, nil)
		c.mustSettle(current, config("72h"))
		expiresAt := at(t, current, "expires_at")
		if lived := expiresAt.Sub(before); lived < 72*time.Hour || lived > 73*time.Hour {
			t.Errorf("it expires %s after it was made", lived)
		}

		// Counted from when it was made, whenever it is set.
		h.now = func() time.Time { return time.Now().Add(time.Hour) }
		current = c.reach(current, config("1h"))
		c.mustSettle(current, config("1h"))
		if got, want := at(t, current, "expires_at"), expiresAt.Add(-71*time.Hour); !got.Equal(want) {
			t.Errorf("it expires at %s, want %s", got, want)
		}

		planned = c.plan(current, config(nil))
		if got := planned.attributes()["expires_at"]; got != nil {
			t.Errorf("without expires_after it is planned to expire at %v", got)
		}
		current, diagnostics = c.apply(planned, config(nil))
		c.must(diagnostics, nil)
		c.mustSettle(current, config(nil))
		planned = c.plan(c.none(typeName), config(nil))
		if got := planned.attributes()["expires_at"]; got != nil {
			t.Errorf("what never expires is planned to expire at %v", got)
		}
	})
}

// The plan says when a capture that exists is going to expire.
func TestExpiryIsPlanned(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.registered(t, "orders", backend.Spec{Image: "app:1"})
	h.running(t, backend.Spec{Name: "db", Image: "app:1"})
	c := newCore(t, h)
	imported, diagnostics := c.imported(checkpointType, "orders")
	c.must(diagnostics, nil)
	config := object{"name": "orders", "container_id": "db", "expires_after": "1000h"}
	planned := c.plan(imported, config)
	c.must(planned.diagnostics, nil)
	if got := planned.attributes()["expires_at"]; got != "2026-08-22T04:00:00Z" {
		t.Errorf("it is planned to expire at %v", got)
	}
	current, diagnostics := c.apply(planned, config)
	c.must(diagnostics, nil)
	c.mustSettle(current, config)

	config["triggers"] = object{"data": "2"}
	planned = c.plan(current, config)
	if got := planned.attributes()["expires_at"]; got != unknown {
		t.Errorf("captured again it is planned to expire at %v", got)
	}
	current, diagnostics = c.apply(planned, config)
	c.must(diagnostics, nil)
	c.mustSettle(current, config)
	if got, want := at(t, current, "expires_at"), at(t, current, "created_at").Add(1000*time.Hour); !got.Equal(want) {
		t.Errorf("it expires at %s, want %s", got, want)
	}
}

// A reset makes another container, whose life begins with it.
func TestResetBeginsANewLife(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	c := newCore(t, h)
	config := expiring("1h")[containerType]
	current := c.reach(c.none(containerType), config)
	first := h.container(t, "web").ID
	config["reset_trigger"] = "1"
	planned := c.plan(current, config)
	if got := planned.attributes()["expires_at"]; got != unknown {
		t.Errorf("it is planned to expire at %v", got)
	}
	current, diagnostics := c.apply(planned, config)
	c.must(diagnostics, nil)
	c.mustSettle(current, config)
	second := h.container(t, "web")
	o := observed{t: t, harness: h}
	if o.lifetime(first) != "" || o.lifetime(second.ID) != "1h" {
		t.Errorf("the old container's lifetime is %q, the new one's %q", o.lifetime(first), o.lifetime(second.ID))
	}
	if got, want := at(t, current, "expires_at"), second.CreatedAt.Truncate(time.Second).Add(time.Hour); !got.Equal(want) {
		t.Errorf("it expires at %s, want %s", got, want)
	}
	c.mustDestroy(current)
	if !h.lifetimes.Empty() {
		t.Error("a lifetime is left")
	}
}

// So does one by an action, which knows the lifetime from what is recorded.
func TestActionBeginsANewLife(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	c := newCore(t, h)
	config := expiring("1h")[containerType]
	current := c.reach(c.none(containerType), config)
	first := h.container(t, "web").ID
	_, diagnostics := c.invoke(resetAction, object{"container_id": "web"})
	c.must(diagnostics, nil)
	second := h.container(t, "web")
	o := observed{t: t, harness: h}
	if o.lifetime(first) != "" || o.lifetime(second.ID) != "1h" {
		t.Errorf("the old container's lifetime is %q, the new one's %q", o.lifetime(first), o.lifetime(second.ID))
	}
	current = c.mustRefresh(current)
	if got, want := at(t, current, "expires_at"), second.CreatedAt.Truncate(time.Second).Add(time.Hour); !got.Equal(want) {
		t.Errorf("state says that it expires at %s, want %s", got, want)
	}
	c.mustSettle(current, config)
	c.mustDestroy(current)
	if !h.lifetimes.Empty() {
		t.Error("a lifetime is left")
	}
}

// A plan warns about what has expired, and has nothing to do about it.
func TestExpiredWarns(t *testing.T) {
	t.Parallel()
	eachExpiring(t, func(t *testing.T, h *harness, typeName string, config func(any) object) {
		c := newCore(t, h)
		current := c.reach(c.none(typeName), config("1h"))
		h.now = func() time.Time { return time.Now().Add(2 * time.Hour) }
		snapshot := h.snapshot(t)
		current = c.mustRefresh(current)
		planned := c.plan(current, config("1h"))
		c.must(planned.diagnostics, nil)
		if planned.action != actionNone {
			t.Errorf("the plan is %s", planned.action)
		}
		const summary = "WARNING at expires_after: "
		if text := render(planned.diagnostics); strings.Count(text, summary) != 1 || !strings.Contains(text, "Has Expired") {
			t.Errorf("the plan says %q", text)
		}
		if diff := cmp.Diff(snapshot, h.snapshot(t)); diff != "" {
			t.Errorf("planning changed something (-before +after):\n%s", diff)
		}
		if text := render(c.plan(current, config("2h")).diagnostics); typeName == checkpointType && !strings.Contains(text, summary) {
			t.Errorf("a change that is not enough says %q", text)
		}
		for name, changed := range map[string]object{"longer": config("3h"), "for ever": config(nil)} {
			if planned := c.plan(current, changed); len(planned.diagnostics) > 0 {
				t.Errorf("%s: the plan says %q", name, render(planned.diagnostics))
			}
		}
		again := maps.Clone(config("1h"))
		if typeName == containerType {
			again["reset_trigger"] = "1"
		} else {
			again["triggers"] = object{"data": "2"}
		}
		if planned := c.plan(current, again); len(planned.diagnostics) > 0 {
			t.Errorf("made anew: the plan says %q", render(planned.diagnostics))
		}
	})
}

// What is recorded differs from state, or is gone: the next apply mends it in
// place.
func TestLifetimeDrifts(t *testing.T) {
	t.Parallel()
	eachExpiring(t, func(t *testing.T, h *harness, typeName string, config func(any) object) {
		c := newCore(t, h)
		current := c.reach(c.none(typeName), config("1h"))
		for name, change := range map[string]func() error{
			"gone":      func() error { return os.RemoveAll(h.lifetimes.Dir()) },
			"unwelcome": func() error { return nil },
		} {
			want := any("1h")
			if name == "unwelcome" { // there is one that nobody configures
				want = nil
			}
			if err := change(); err != nil {
				t.Fatal(err)
			}
			h.ResetCalls()
			planned := c.plan(c.mustRefresh(current), config(want))
			c.must(planned.diagnostics, nil)
			if planned.action != actionUpdate {
				t.Errorf("%s: the plan is %s", name, planned.action)
			}
			mended, diagnostics := c.apply(planned, config(want))
			c.must(diagnostics, nil)
			c.mustSettle(mended, config(want))
			if n := len(h.Mutations()); n > 0 {
				t.Errorf("%s: the engine was changed by %v", name, h.Mutations())
			}
			current = c.reach(mended, config("1h"))
		}
	})
}

// The same length in other words is what is recorded, but no news.
func TestLifetimeInOtherWords(t *testing.T) {
	t.Parallel()
	eachExpiring(t, func(t *testing.T, h *harness, typeName string, config func(any) object) {
		c := newCore(t, h)
		current := c.reach(c.none(typeName), config("60m"))
		expiresAt := current.attributes()["expires_at"]
		current = c.reach(current, config("1h"))
		c.mustSettle(current, config("1h"))
		if got := current.attributes()["expires_at"]; got != expiresAt {
			t.Errorf("it expires at %v, before at %v", got, expiresAt)
		}
	})
}

// An import adopts what is recorded.
func TestImportAdoptsLifetimes(t *testing.T) {
	t.Parallel()
	eachExpiring(t, func(t *testing.T, h *harness, typeName string, config func(any) object) {
		c := newCore(t, h)
		created := c.reach(c.none(typeName), config("36h"))
		imported, diagnostics := c.imported(typeName, config(nil)["name"].(string))
		c.must(diagnostics, nil)
		for _, name := range []string{"expires_after", "expires_at"} {
			if diff := cmp.Diff(created.attributes()[name], imported.attributes()[name]); diff != "" {
				t.Errorf("%s (-created +imported):\n%s", name, diff)
			}
		}
		// Of a longer one only that is changed.
		h.ResetCalls()
		current := c.reach(imported, config("48h"))
		c.mustSettle(current, config("48h"))
		if n := len(h.Mutations()); n > 0 {
			t.Errorf("the engine was changed by %v", h.Mutations())
		}
	})
}

// A lifetime that cannot be recorded is an error on its attribute, and nothing
// is left that never expires.
func TestLifetimeCannotBeRecorded(t *testing.T) {
	t.Parallel()
	eachExpiring(t, func(t *testing.T, h *harness, typeName string, config func(any) object) {
		c := newCore(t, h)
		without := c.reach(c.none(typeName), config(nil))
		writeFile(t, h.lifetimes.Dir(), "")
		after, diagnostics := c.apply(c.plan(without, config("1h")), config("1h"))
		expectError(t, diagnostics, "expires_after", "this directory can be written")
		if diff := cmp.Diff(without.attributes(), after.attributes()); diff != "" {
			t.Errorf("state changed (-before +after):\n%s", diff)
		}
		c.mustDestroy(without)
		_, diagnostics = c.apply(c.plan(c.none(typeName), config("1h")), config("1h"))
		if !failed(diagnostics) || !strings.Contains(render(diagnostics), "expire") {
			t.Errorf("a creation says %q", render(diagnostics))
		}
	})
}

// A container that somebody else has made is not let expire.
func TestForeignContainerDoesNotExpire(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.running(t, backend.Spec{Name: "web", Image: "app:1"})
	h.MarkForeign("web")
	c := newCore(t, h)
	imported, diagnostics := c.imported(containerType, "web")
	c.must(diagnostics, nil)
	config := expiring("1h")[containerType]
	_, diagnostics = c.apply(c.plan(imported, config), config)
	expectError(t, diagnostics, "expires_after", "somebody else's")
}

func TestLifetimesInData(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	c := newCore(t, h)
	h.running(t, backend.Spec{Name: "db", Image: "app:1"})
	h.registered(t, "ever", backend.Spec{Image: "app:1"})
	current := c.reach(c.none(checkpointType), expiring("2h")[checkpointType])
	for name, tc := range map[string]struct {
		now     time.Duration
		hours   int64
		expired bool
	}{
		"young":                  {now: time.Hour + time.Minute, hours: 1},
		"expired":                {now: 2*time.Hour + time.Minute, hours: 2, expired: true},
		"a clock that is behind": {now: -time.Hour},
	} {
		h.now = func() time.Time { return at(t, current, "created_at").Add(tc.now) }
		want := object{"age_hours": tc.hours, "expires_at": current.attributes()["expires_at"], "expired": tc.expired}
		one, diagnostics := c.data(checkpointData, object{"name": "orders"})
		c.must(diagnostics, nil)
		all, diagnostics := c.data(checkpointsData, object{})
		c.must(diagnostics, nil)
		listed := all["checkpoints"].(list)
		for what, attributes := range map[string]object{"one": one, "of all": listed[1].(object)} {
			got := object{}
			for key := range want {
				got[key] = attributes[key]
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s, %s (-want +got):\n%s", name, what, diff)
			}
		}
		if ever := listed[0].(object); ever["expired"] != false || ever["expires_at"] != nil {
			t.Errorf("%s: what never expires expires: %v", name, ever)
		}
	}
}

func TestInvalidLifetimes(t *testing.T) {
	t.Parallel()
	for _, value := range []string{"3 days", "0s", "-1h", "3600", ""} {
		for typeName, config := range expiring(value) {
			c := newCore(t, newHarness(t))
			if diagnostics := c.validate(typeName, config); !failed(diagnostics) {
				t.Errorf("%s: %q is taken", typeName, value)
			}
		}
	}
}
