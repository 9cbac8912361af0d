package provider_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/fake"
)

func namesOf(results []listed) []string {
	names := []string{}
	for _, result := range results {
		names = append(names, result.name)
	}
	return names
}

func TestListContainers(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	c := newCore(t, h)
	for _, name := range []string{"web-b", "web-a", "db", "rightsize-seed-db"} {
		h.running(t, backend.Spec{Name: name, Image: "app:1"})
	}
	theirs := h.running(t, backend.Spec{Name: "theirs", Image: "app:1"})
	h.MarkForeign(theirs.ID)
	for name, tc := range map[string]struct {
		config object
		limit  int64
		want   []string
	}{
		"managed":          {object{}, 0, []string{"db", "web-a", "web-b"}},
		"all":              {object{"all": true}, 0, []string{"db", "rightsize-seed-db", "theirs", "web-a", "web-b"}},
		"prefix":           {object{"name_prefix": "web"}, 0, []string{"web-a", "web-b"}},
		"prefix of none":   {object{"name_prefix": "users"}, 0, []string{}},
		"limit":            {object{}, 2, []string{"db", "web-a"}},
		"limit not needed": {object{}, 100, []string{"db", "web-a", "web-b"}},
	} {
		t.Run(name, func(t *testing.T) {
			h.ResetCalls()
			before := h.snapshot(t)
			results, diagnostics := c.query(containerType, tc.config, tc.limit, false)
			c.must(diagnostics, nil)
			if diff := cmp.Diff(tc.want, namesOf(results)); diff != "" {
				t.Errorf("names (-want +got):\n%s", diff)
			}
			for _, result := range results {
				if diff := cmp.Diff(identityNamed(result.name), result.identity); diff != "" || result.resource != nil {
					t.Errorf("resource %v, identity (-want +got):\n%s", result.resource, diff)
				}
			}
			if n := len(h.Calls()); n != 1 {
				t.Errorf("the engine was asked %d times", n)
			}
			if diff := cmp.Diff(before, h.snapshot(t)); diff != "" {
				t.Errorf("listing changed something (-before +after):\n%s", diff)
			}
		})
	}
}

// What a list includes of a resource is what its import reads.
func TestListedResourceIsWhatAnImportReads(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	c := newCore(t, h)
	c.reach(c.none(containerType), object{
		"name": "web", "image": "app:1", "env": object{"A": "1"}, "command": list{"serve", "/a"}, "exposed_ports": list{"80"}, "memory_limit_mb": 64,
		"expires_after": "36h",
	})
	c.reach(c.none(checkpointType), object{"name": "web", "container_id": "web", "expires_after": "36h"})
	for _, typeName := range []string{containerType, checkpointType} {
		imported, diagnostics := c.importedByIdentity(typeName, object{"name": "web"})
		c.must(diagnostics, nil)
		results, diagnostics := c.query(typeName, object{}, 0, true)
		c.must(diagnostics, nil)
		if len(results) != 1 {
			t.Fatalf("%s: there are %d results", typeName, len(results))
		}
		if diff := cmp.Diff(imported.attributes(), results[0].resource); diff != "" {
			t.Errorf("%s (-imported +listed):\n%s", typeName, diff)
		}
	}
}

// A container that goes away between the list and its inspection is not in it;
// an engine that fails in between is an error.
func TestListContainersChanging(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	c := newCore(t, h)
	for _, name := range []string{"a", "b", "c"} {
		h.running(t, backend.Spec{Name: name, Image: "app:1"})
	}
	h.Hook(fake.Inspect, func(_ context.Context, call fake.Call) error {
		if call.Target == h.container(t, "b").ID {
			return &backend.Error{Kind: backend.ErrNotFound, Tried: "inspect b"}
		}
		return nil
	})
	results, diagnostics := c.query(containerType, object{}, 0, true)
	c.must(diagnostics, nil)
	if diff := cmp.Diff([]string{"a", "c"}, namesOf(results)); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	h.Hook(fake.Inspect, func(context.Context, fake.Call) error { return errLost })
	_, diagnostics = c.query(containerType, object{}, 0, true)
	expectError(t, diagnostics, "", "Unable to Read Container")
}

func TestListCheckpoints(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	c := newCore(t, h)
	for _, name := range []string{"users", "orders-b", "orders-a", "dropped"} {
		h.registered(t, name, backend.Spec{Image: "app:1"})
	}
	h.DropArtifact("rightsize/checkpoint:dropped")
	h.put(t, foreignEntry("foreign"))
	writeFile(t, h.entryPath("corrupt"), "{")
	writeFile(t, h.entryPath("hostile"), `{"name":"../../etc/passwd","ref":"x","backend":"docker"}`)
	for name, tc := range map[string]struct {
		config object
		limit  int64
		want   []string
	}{
		"all":    {object{}, 0, []string{"orders-a", "orders-b", "users"}},
		"prefix": {object{"name_prefix": "orders"}, 0, []string{"orders-a", "orders-b"}},
		"limit":  {object{}, 1, []string{"orders-a"}},
	} {
		t.Run(name, func(t *testing.T) {
			h.ResetCalls()
			before := h.snapshot(t)
			results, diagnostics := c.query(checkpointType, tc.config, tc.limit, false)
			c.must(diagnostics, nil)
			if diff := cmp.Diff(tc.want, namesOf(results)); diff != "" {
				t.Errorf("names (-want +got):\n%s", diff)
			}
			for _, result := range results {
				if diff := cmp.Diff(identityNamed(result.name), result.identity); diff != "" {
					t.Errorf("identity (-want +got):\n%s", diff)
				}
			}
			text := render(diagnostics)
			for _, path := range []string{h.entryPath("corrupt"), h.entryPath("hostile")} {
				if !strings.Contains(text, path) {
					t.Errorf("no warning about %s:\n%s", path, text)
				}
			}
			if n := h.Count(fake.ListArtifacts); n != 1 {
				t.Errorf("the engine was asked %d times for its artifacts", n)
			}
			if diff := cmp.Diff(before, h.snapshot(t)); diff != "" {
				t.Errorf("listing changed something (-before +after):\n%s", diff)
			}
		})
	}
}

// A list that cannot be read is an error, not an empty list.
func TestListFails(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.registered(t, "orders", backend.Spec{Image: "app:1"})
	c := newCore(t, h)
	h.Fail(fake.List, errLost, fake.Always)
	h.Fail(fake.ListArtifacts, errLost, fake.Always)
	_, diagnostics := c.query(containerType, object{}, 0, false)
	expectError(t, diagnostics, "", "Unable to List Containers")
	_, diagnostics = c.query(checkpointType, object{}, 0, false)
	expectError(t, diagnostics, "", "Unable to List Checkpoints")

	server, err := h.server()
	if err != nil {
		t.Fatal(err)
	}
	c = newUnconfiguredCore(t, server)
	c.configure(object{"cache_dir": unknown})
	for _, typeName := range []string{containerType, checkpointType} {
		_, diagnostics := c.query(typeName, object{}, 0, false)
		expectError(t, diagnostics, "", "Provider Configuration Not Known Yet")
	}
}
