package provider_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
)

// TestAccWithoutNetwork seeds a checkpoint with a port, and restores it without a
// network: it has the data, runs commands, and publishes nothing.
func TestAccWithoutNetwork(t *testing.T) {
	onEachEngine(t, func(t *testing.T, e accEngine) {
		const name = "acc-offline"
		resource.Test(t, resource.TestCase{
			ProtoV6ProviderFactories: accProviders,
			CheckDestroy:             e.nothingLeft(t, name),
			Steps: []resource.TestStep{{
				Config: e.config(`
resource "rightsize_checkpoint" "offline" {
  name = "acc-offline"
  seed = {
    image         = "` + busyboxImage + `"
    command       = ["httpd", "-f", "-p", "8080", "-h", "/srv"]
    exposed_ports = [8080]
    files         = [{ path = "/srv/index.html", content = "seeded" }]
    stop_timeout  = "1s"
  }
}

resource "rightsize_container" "offline" {
  name             = "acc-offline"
  from_checkpoint  = rightsize_checkpoint.offline.id
  network_disabled = true
  exec             = [{ command = ["sh", "-c", "ls /sys/class/net > /interfaces"] }]
  stop_timeout     = "1s"
}`),
				Check: resource.ComposeAggregateTestCheckFunc(
					resource.TestCheckResourceAttr("rightsize_container.offline", "mapped_ports.%", "0"),
					func(*terraform.State) error {
						if got := e.inspect(t, name, "{{.HostConfig.NetworkMode}}"); got != "none" {
							t.Errorf("its network is %q, want none", got)
						}
						if got := e.docker(t, "exec", name, "cat", "/interfaces", "/srv/index.html"); got != "lo\nseeded" {
							t.Errorf("its interfaces and its data are %q", got)
						}
						return nil
					},
				),
			}},
		})
	})
}
