package provider_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/compare"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
)

// askRedis prints how many keys the Redis has that goes by a name on the network.
const askRedis = `printf 'DBSIZE\r\nQUIT\r\n' | nc -w 10 %s 6379`

// networksConfig is a Redis, and a container and a seed that reach it by an
// alias on a network.
func networksConfig(e accEngine, alias, team string) string {
	return e.config(fmt.Sprintf(`
resource "rightsize_network" "app" {
  name   = "acc-net"
  labels = { team = %[4]q }
}

resource "rightsize_container" "redis" {
  name          = "acc-net-redis"
  image         = %[1]q
  exposed_ports = [6379]
  wait_for      = { exec = { command = ["redis-cli", "ping"] } }
  exec          = [{ command = ["redis-cli", "set", "key", "value"] }]
  networks      = [{ name = rightsize_network.app.id, aliases = [%[3]q] }]
  stop_timeout  = "1s"
}

resource "rightsize_container" "client" {
  name         = "acc-net-client"
  image        = %[2]q
  command      = ["httpd", "-f", "-p", "8080"]
  networks     = [{ name = rightsize_network.app.id }]
  stop_timeout = "1s"
}

resource "rightsize_checkpoint" "keys" {
  name = "acc-net-keys"
  seed = {
    image        = %[2]q
    command      = ["httpd", "-f", "-p", "8080"]
    exec         = [{ command = ["sh", "-c", "%[5]s > /keys"] }]
    networks     = [{ name = rightsize_network.app.id }]
    stop_timeout = "1s"
  }
  depends_on = [rightsize_container.redis] # an alias is no reference
}
`, redisImage, busyboxImage, alias, team, fmt.Sprintf(`printf 'DBSIZE\\r\\nQUIT\\r\\n' | nc -w 10 %s 6379`, "acc-net-redis")))
}

// TestAccNetworks lets containers reach each other by alias, while networks and
// aliases change, are lost and are made anew.
func TestAccNetworks(t *testing.T) {
	onEachEngine(t, func(t *testing.T, e accEngine) {
		t.Cleanup(func() { _, _ = e.tryDocker(t, "rm", "-f", "acc-net-foreign") })
		same := statecheck.CompareValue(compare.ValuesSame())
		sameContainer := func() []statecheck.StateCheck {
			return []statecheck.StateCheck{same.AddStateValue("rightsize_container.redis", tfjsonpath.New("container_id"))}
		}
		changes := func(redis plancheck.ResourceActionType) resource.ConfigPlanChecks {
			return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction("rightsize_container.redis", redis),
				plancheck.ExpectResourceAction("rightsize_container.client", plancheck.ResourceActionNoop),
				plancheck.ExpectResourceAction("rightsize_checkpoint.keys", plancheck.ResourceActionNoop),
			}}
		}
		reached := func(hosts ...string) resource.TestCheckFunc {
			return func(s *terraform.State) error {
				for _, host := range hosts {
					if got := e.docker(t, "exec", "acc-net-client", "sh", "-c", fmt.Sprintf(askRedis, host)); got != ":1\r\n+OK" {
						t.Errorf("%s answers %q", host, got)
					}
				}
				port := s.RootModule().Resources["rightsize_container.redis"].Primary.Attributes["mapped_ports.6379"]
				if got := e.docker(t, "port", "acc-net-redis"); got != "6379/tcp -> 127.0.0.1:"+port {
					t.Errorf("the engine publishes %q, and state has port %s", got, port)
				}
				return nil
			}
		}
		resource.Test(t, resource.TestCase{
			ProtoV6ProviderFactories: accProviders,
			CheckDestroy:             e.nothingLeft(t, "acc-net"),
			Steps: []resource.TestStep{
				{
					Config:            networksConfig(e, "cache", "a"),
					ConfigStateChecks: sameContainer(),
					Check: resource.ComposeTestCheckFunc(reached("cache", "acc-net-redis"), func(*terraform.State) error {
						if got := e.docker(t, "run", "--rm", "rightsize/checkpoint:acc-net-keys", "cat", "/keys"); got != ":1\r\n+OK" {
							t.Errorf("the seed has read %q", got)
						}
						return nil
					}),
				},
				{ // another alias
					Config:            networksConfig(e, "store", "a"),
					ConfigPlanChecks:  changes(plancheck.ResourceActionUpdate),
					ConfigStateChecks: sameContainer(),
					Check:             reached("store"),
				},
				{
					PreConfig:         func() { e.docker(t, "network", "disconnect", "acc-net", "acc-net-redis") },
					Config:            networksConfig(e, "store", "a"),
					ConfigPlanChecks:  changes(plancheck.ResourceActionUpdate),
					ConfigStateChecks: sameContainer(),
					Check:             reached("store"),
				},
				{ // another network under the same name
					Config:            networksConfig(e, "store", "b"),
					ConfigPlanChecks:  changes(plancheck.ResourceActionNoop),
					ConfigStateChecks: sameContainer(),
					Check:             reached("store"),
				},
				{ // and one that was removed while its container was stopped
					PreConfig: func() {
						e.docker(t, "stop", "acc-net-redis") // Redis saves its keys
						e.docker(t, "network", "disconnect", "acc-net", "acc-net-client")
						e.docker(t, "network", "rm", "acc-net")
					},
					Config:            networksConfig(e, "store", "b"),
					ConfigStateChecks: sameContainer(),
					Check:             reached("store"),
				},
				{ImportState: true, ImportStateVerify: true, ResourceName: "rightsize_network.app", ImportStateId: "acc-net", Config: networksConfig(e, "store", "b")},
				{
					PreConfig: func() {
						e.docker(t, "run", "-d", "--name", "acc-net-foreign", "--network", "acc-net", busyboxImage, "sleep", "600")
					},
					Config:      networksConfig(e, "store", "b"),
					Destroy:     true,
					ExpectError: regexpf("acc-net-foreign"),
				},
				{
					PreConfig: func() { e.docker(t, "rm", "-f", "acc-net-foreign") },
					Config:    networksConfig(e, "store", "b"),
				},
			},
		})
	})
}

// TestAccInternalNetwork finds no way in to a container of an internal network,
// and says so before it is made.
func TestAccInternalNetwork(t *testing.T) {
	onEachEngine(t, func(t *testing.T, e accEngine) {
		config := func(ports, networks string) string {
			return e.config(`
resource "rightsize_network" "closed" {
  name     = "acc-internal"
  internal = true
}
resource "rightsize_network" "open" {
  name = "acc-internal-not"
}
resource "rightsize_container" "web" {
  name          = "acc-internal-web"
  image         = "` + busyboxImage + `"
  command       = ["httpd", "-f", "-p", "8080"]
  exposed_ports = ` + ports + `
  networks      = ` + networks + `
  stop_timeout  = "1s"
}`)
		}
		const closed, both = `[{ name = rightsize_network.closed.id }]`, `[{ name = rightsize_network.closed.id }, { name = rightsize_network.open.id }]`
		resource.Test(t, resource.TestCase{
			ProtoV6ProviderFactories: accProviders,
			CheckDestroy:             e.nothingLeft(t, "acc-internal"),
			Steps: []resource.TestStep{
				{Config: config("[8080]", closed), ExpectError: regexpf("all\\s+its\\s+networks\\s+are\\s+internal")},
				{Config: config("[8080]", both)},
				{Config: config("[8080]", closed), ExpectError: regexpf("all\\s+its\\s+networks\\s+are\\s+internal")},
				{Config: config("[]", closed), Check: func(*terraform.State) error {
					if _, err := e.tryDocker(t, "exec", "acc-internal-web", "ping", "-c", "1", "-W", "1", "192.0.2.1"); err == nil {
						t.Error("there is a way out")
					}
					return nil
				}},
			},
		})
	})
}
