package provider_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/fake"
)

const containersData = "rightsize_containers"

func TestContainersData(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	c := newCore(t, h)
	got, diagnostics := c.data(containersData, object{})
	c.must(diagnostics, nil)
	if diff := cmp.Diff(object{"all": nil, "name_prefix": nil, "containers": list{}}, got); diff != "" {
		t.Errorf("without containers (-want +got):\n%s", diff)
	}

	port := freePorts(t, 1)[0]
	web := h.running(t, backend.Spec{Name: "web", Image: "app:1", Ports: []backend.PortBinding{
		{Port: backend.Port{Number: 53, Protocol: backend.UDP}, Host: uint16(port)},
	}})
	theirs := h.running(t, backend.Spec{Name: "theirs", Image: "app:1"})
	h.MarkForeign(theirs.ID)
	h.StopOutOfBand(theirs.ID)
	seed := h.running(t, backend.Spec{Name: "rightsize-seed-orders", Image: "app:1"})

	element := func(c backend.Container, managed bool, status string, ports object) object {
		return object{
			"name": c.Name, "container_id": c.ID, "backend": "docker", "managed": managed, "status": status, "host": c.Host, "mapped_ports": ports,
		}
	}
	wantWeb := element(web, true, "running", object{"53/udp": int64(port)})
	for name, tc := range map[string]struct {
		config object
		want   list
	}{
		"managed": {object{}, list{wantWeb}},
		"all":     {object{"all": true}, list{element(seed, true, "running", object{}), element(theirs, false, "exited", object{}), wantWeb}},
		"prefix":  {object{"all": true, "name_prefix": "th"}, list{element(theirs, false, "exited", object{})}},
	} {
		t.Run(name, func(t *testing.T) {
			h.ResetCalls()
			before := h.snapshot(t)
			got, diagnostics := c.data(containersData, tc.config)
			c.must(diagnostics, nil)
			if diff := cmp.Diff(tc.want, got["containers"]); diff != "" {
				t.Errorf("containers (-want +got):\n%s", diff)
			}
			if calls := h.Calls(); len(calls) != 1 || calls[0].Method != fake.List {
				t.Errorf("the engine was asked %v", calls)
			}
			if diff := cmp.Diff(before, h.snapshot(t)); diff != "" {
				t.Errorf("reading changed something (-before +after):\n%s", diff)
			}
		})
	}

	h.Fail(fake.List, errLost, fake.Always)
	_, diagnostics = c.data(containersData, object{})
	expectError(t, diagnostics, "", "Unable to List Containers")
}
