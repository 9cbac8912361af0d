package provider_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/compare"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
)

const postgresRows = 100_000

// postgresConfig seeds a PostgreSQL whose image declares its data directory a
// volume, and restores copies of it.
func (e accEngine) postgresConfig(name, trigger string, copies int) string {
	return e.config(fmt.Sprintf(`
resource "rightsize_checkpoint" "orders" {
  name = %[1]q
  seed = {
    image         = %[2]q
    env           = { POSTGRES_PASSWORD = "fixture" }
    exposed_ports = [5432]
    files         = [{ path = "/seed/schema.sql", content = "create table orders (id int primary key, note text);" }]
    wait_for      = { log = { pattern = "ready to accept connections", times = 2 } }
    exec = [
      { command = ["psql", "-v", "ON_ERROR_STOP=1", "-U", "postgres", "-f", "/seed/schema.sql"] },
      {
        command = ["psql", "-v", "ON_ERROR_STOP=1", "-U", "postgres"]
        stdin   = "insert into orders select i, 'seeded' from generate_series(1, %[3]d) i;"
      },
    ]
  }
  triggers = { data = %[4]q }
}

resource "rightsize_container" "copy" {
  count           = %[5]d
  name            = "%[1]s-${count.index}"
  from_checkpoint = rightsize_checkpoint.orders.id
  wait_for        = { log = { pattern = "ready to accept connections" } }
}
`, name, postgresImage, postgresRows, trigger, copies))
}

// query runs SQL in a copy, over TCP and with the password.
func (e accEngine) query(t *testing.T, container, sql string) string {
	t.Helper()
	return e.docker(t, "exec", "-e", "PGPASSWORD=fixture", container, "psql", "-h", "127.0.0.1", "-U", "postgres", "-tAc", sql)
}

// TestAccSeededPostgres is the headline: every row of a seeded database, kept in
// a declared volume, is in every copy, and the copies do not share anything.
func TestAccSeededPostgres(t *testing.T) {
	onEachEngine(t, func(t *testing.T, e accEngine) {
		const name = "acc-orders"
		samePorts := statecheck.CompareValue(compare.ValuesSame())
		newCapture := statecheck.CompareValue(compare.ValuesDiffer())
		newContainer := statecheck.CompareValue(compare.ValuesDiffer())
		resource.Test(t, resource.TestCase{
			ProtoV6ProviderFactories: accProviders,
			CheckDestroy:             e.nothingLeft(t, name),
			Steps: []resource.TestStep{
				{
					Config: e.postgresConfig(name, "1", 3),
					ConfigStateChecks: []statecheck.StateCheck{
						samePorts.AddStateValue("rightsize_container.copy[0]", tfjsonpath.New("mapped_ports")),
						newCapture.AddStateValue("rightsize_checkpoint.orders", tfjsonpath.New("id")),
						newContainer.AddStateValue("rightsize_container.copy[0]", tfjsonpath.New("container_id")),
					},
					Check: func(*terraform.State) error {
						for i := range 3 {
							if got := e.query(t, fmt.Sprintf("%s-%d", name, i), "select count(*) from orders"); got != fmt.Sprint(postgresRows) {
								t.Errorf("copy %d has %s rows, want %d", i, got, postgresRows)
							}
						}
						e.query(t, name+"-0", "update orders set note = 'mine' where id = 1")
						for i := 1; i < 3; i++ {
							if got := e.query(t, fmt.Sprintf("%s-%d", name, i), "select note from orders where id = 1"); got != "seeded" {
								t.Errorf("copy %d sees the write of copy 0: note is %q", i, got)
							}
						}
						// A seed that was shut down properly needs no recovery.
						if log := e.docker(t, "logs", name+"-0"); strings.Contains(log, "automatic recovery in progress") {
							t.Errorf("the restored database had to recover:\n%s", log)
						}
						// No volume that a copy could leave behind. The engine's list
						// of volumes is shared with other tests and says nothing.
						if got := e.inspect(t, name+"-0", "{{len .Mounts}}"); got != "0" {
							t.Errorf("the copy has %s mounts: its data is not copy-on-write", got)
						}
						return nil
					},
				},
				{
					// A changed trigger captures again in place, and resets the
					// copies: same name, same ports, the data as defined.
					Config: e.postgresConfig(name, "2", 3),
					ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
						plancheck.ExpectResourceAction("rightsize_checkpoint.orders", plancheck.ResourceActionUpdate),
						plancheck.ExpectResourceAction("rightsize_container.copy[0]", plancheck.ResourceActionUpdate),
						plancheck.ExpectResourceAction("rightsize_container.copy[2]", plancheck.ResourceActionUpdate),
					}},
					ConfigStateChecks: []statecheck.StateCheck{
						samePorts.AddStateValue("rightsize_container.copy[0]", tfjsonpath.New("mapped_ports")),
						newCapture.AddStateValue("rightsize_checkpoint.orders", tfjsonpath.New("id")),
						newContainer.AddStateValue("rightsize_container.copy[0]", tfjsonpath.New("container_id")),
					},
					Check: func(*terraform.State) error {
						if got := e.query(t, name+"-0", "select note from orders where id = 1"); got != "seeded" {
							t.Errorf("the copy was not reset: note is %q", got)
						}
						return nil
					},
				},
				{
					// A capture that fails leaves the checkpoint as it is.
					Config:      strings.ReplaceAll(e.postgresConfig(name, "3", 3), "generate_series", "no_such_function"),
					ExpectError: regexpf(`Unable to Capture Checkpoint[\s\S]*Exec step 2 \(psql\) exited with code 3`),
				},
				{
					Config: e.postgresConfig(name, "2", 3),
					ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
						plancheck.ExpectEmptyPlan(),
					}},
					Check: func(*terraform.State) error {
						if got := e.query(t, name+"-1", "select count(*) from orders"); got != fmt.Sprint(postgresRows) {
							t.Errorf("after a failed capture a copy has %s rows", got)
						}
						return nil
					},
				},
			},
		})
	})
}

// TestAccRegistryEntry checks the bytes that the rightsize libraries read.
func TestAccRegistryEntry(t *testing.T) {
	onDefaultEngine(t, func(t *testing.T, e accEngine) {
		const name = "acc-entry"
		resource.Test(t, resource.TestCase{
			ProtoV6ProviderFactories: accProviders,
			CheckDestroy:             e.nothingLeft(t, name),
			Steps: []resource.TestStep{{
				Config: e.config(`
resource "rightsize_checkpoint" "entry" {
  name = "acc-entry"
  seed = {
    image           = "` + busyboxImage + `"
    command         = ["sleep", "600"]
    env             = { Z = "<&>", A = "1" }
    memory_limit_mb = 64
    wait_for        = { exec = { command = ["true"] } }
    stop_timeout    = "1s"
  }
}`),
				Check: resource.ComposeAggregateTestCheckFunc(
					resource.TestCheckResourceAttr("rightsize_checkpoint.entry", "ref", "rightsize/checkpoint:acc-entry"),
					resource.TestCheckResourceAttr("rightsize_checkpoint.entry", "backend", "docker"),
					resource.TestCheckResourceAttr("rightsize_checkpoint.entry", "spec.memory_limit_mb", "64"),
					func(*terraform.State) error {
						data, err := os.ReadFile(e.entryPath(name))
						if err != nil {
							return err
						}
						want := regexpf(`^\{"name":"acc-entry","ref":"rightsize/checkpoint:acc-entry","backend":"docker",` +
							`"createdIso":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z",` +
							`"spec":\{"env":\{"A":"1","Z":"<&>"\},"command":\["sleep","600"\],"exposedPorts":\[\],"memoryLimitMb":64\}\}$`)
						if !want.Match(data) {
							t.Errorf("the entry is %s", data)
						}
						info, err := os.Stat(e.entryPath(name))
						if err != nil {
							return err
						}
						if info.Mode().Perm() != 0o600 {
							t.Errorf("the entry's mode is %s", info.Mode())
						}
						return nil
					},
				),
			}},
		})
	})
}
