package provider_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// A restored container publishes its checkpoint's ports unless its user names
// some, in either way.
func TestPortsOfRestoredContainer(t *testing.T) {
	t.Parallel()
	fixed := list{object{"container_port": 82, "host_port": freePorts(t, 1)[0]}}
	for name, tc := range map[string]struct {
		config object
		want   list
	}{
		"checkpoint's": {object{}, list{"80", "81"}},
		"exposed":      {object{"exposed_ports": list{"81"}}, list{"81"}},
		"none":         {object{"exposed_ports": list{}}, list{}},
		"fixed":        {object{"ports": fixed}, list{"82"}},
		"no network":   {object{"network_disabled": true}, list{}},
		"both":         {object{"exposed_ports": list{"81"}, "ports": fixed}, list{"81", "82"}},
	} {
		t.Run(name, func(t *testing.T) {
			// Not in parallel: two of them have the same fixed port.
			h := newHarness(t)
			h.registered(t, "orders", backend.Spec{Image: "app:1", Ports: []backend.PortBinding{
				{Port: backend.Port{Number: 80, Protocol: backend.TCP}, Host: 1},
				{Port: backend.Port{Number: 81, Protocol: backend.TCP}, Host: 2},
			}})
			c := newCore(t, h)
			tc.config["name"], tc.config["from_checkpoint"] = "copy", "orders"
			current := c.reach(c.none(containerType), tc.config)
			c.mustSettle(current, tc.config)
			got := list{}
			for _, binding := range h.container(t, "copy").Ports {
				got = append(got, binding.String())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("published ports (-want +got):\n%s", diff)
			}
			c.mustDestroy(current)
		})
	}
}
