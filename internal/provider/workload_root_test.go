package provider_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/fake"
)

// What was not known when it was validated is refused at apply, before the
// engine makes anything.
func TestInvalidRootAndNetworkAtApply(t *testing.T) {
	t.Parallel()
	seed := func(attributes object) object { return object{"name": "orders", "seed": attributes} }
	for name, tc := range map[string]struct {
		typeName       string
		planned, known object
		at, says       string
	}{
		"seed in memory": {
			checkpointType, seed(object{"image": "app:1", "tmpfs_root_mb": unknown}), seed(object{"image": "app:1", "tmpfs_root_mb": 64}),
			"seed.tmpfs_root_mb", "in memory alone",
		},
		"ports without a network": {
			containerType, object{"image": "app:1", "exposed_ports": list{"80"}, "network_disabled": unknown},
			object{"image": "app:1", "exposed_ports": list{"80"}, "network_disabled": true}, "network_disabled", "Remove exposed_ports and ports",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHarness(t)
			c := newCore(t, h)
			planned := c.plan(c.none(tc.typeName), tc.planned)
			c.must(planned.diagnostics, nil)
			_, diagnostics := c.apply(planned, tc.known)
			expectError(t, diagnostics, tc.at, tc.says)
			if calls := h.Mutations(); len(calls) > 0 {
				t.Errorf("the engine was told to %v", h.Methods())
			}
		})
	}
}

// An engine that cannot do it says so of the attribute, in either workload.
func TestRootThatTheEngineRefuses(t *testing.T) {
	t.Parallel()
	workload := object{"image": "app:1", "disk_limit_mb": 128}
	for at, tc := range map[string]struct {
		typeName string
		config   object
	}{
		"disk_limit_mb":      {containerType, workload},
		"seed.disk_limit_mb": {checkpointType, object{"name": "orders", "seed": workload}},
	} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			h := newHarness(t)
			h.Fail(fake.Create, &backend.Error{
				Kind: backend.ErrUnsupported, Tried: "create container web", Cause: errors.New("no quota"),
				Remedy: "Unset disk_limit_mb.", Field: backend.FieldDiskLimit,
			}, 1)
			c := newCore(t, h)
			_, diagnostics := c.apply(c.plan(c.none(tc.typeName), tc.config), tc.config)
			expectError(t, diagnostics, at, "no quota")
		})
	}
}

// A container whose filesystem is in memory is refused as a source, and goes on.
func TestCaptureOfRootInMemory(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	c := newCore(t, h)
	config := object{"name": "web", "image": "app:1", "tmpfs_root_mb": 64}
	web := c.reach(c.none(containerType), config)
	before := h.container(t, "web")
	checkpoint := object{"name": "orders", "container_id": "web"}
	_, diagnostics := c.apply(c.plan(c.none(checkpointType), checkpoint), checkpoint)
	expectError(t, diagnostics, "container_id", "cannot be captured whole")
	if diff := cmp.Diff(before, h.container(t, "web")); diff != "" {
		t.Errorf("the container changed (-before +after):\n%s", diff)
	}
	c.mustDestroy(web)
}
