package provider_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// The tests whose names begin with TestTerraform run Terraform on the fake
// engine. They are skipped unless TF_ACC is set, as all that need its program.

// test runs Terraform, and fails if it leaves anything behind at its end.
func (h *harness) test(t *testing.T, steps ...resource.TestStep) {
	t.Helper()
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: h.factories(),
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.RequireAbove(tfversion.Version1_5_0)},
		CheckDestroy: func(*terraform.State) error {
			if left := len(h.Containers()) + len(h.AllArtifacts()); left > 0 {
				return fmt.Errorf("the destroy left %v and %v", h.Containers(), h.AllArtifacts())
			}
			return nil
		},
		Steps: steps,
	})
}

// apply is a step that applies a configuration if the plan is as expected, and
// expects that nothing is left to do then.
func (h *harness) apply(hcl string, checks ...plancheck.PlanCheck) resource.TestStep {
	return resource.TestStep{
		Config: h.config(hcl),
		ConfigPlanChecks: resource.ConfigPlanChecks{
			PreApply:             checks,
			PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
		},
	}
}

func expectAction(address string, action plancheck.ResourceActionType) plancheck.PlanCheck {
	return plancheck.ExpectResourceAction(address, action)
}

// everything sets every attribute that any version of Terraform can keep.
func everything(t *testing.T) string {
	t.Helper()
	source := filepath.Join(t.TempDir(), "schema.sql")
	writeFile(t, source, "create table orders ()")
	port := freePorts(t, 1)[0]
	workload := fmt.Sprintf(`
    env               = { PASSWORD = "x" }
    command           = ["/srv"]
    entrypoint        = ["serve"]
    working_dir       = "/srv"
    user              = "nobody:nogroup"
    exposed_ports     = [80, "53/udp"]
    preset            = "redis"
    files             = [{ path = "/srv/schema.sql", source = %q, mode = "0640", owner = "root:nogroup" }]
    wait_for          = {
      log     = { pattern = "^ready$", times = 1 }
      port    = "80"
      http    = { path = "/schema.sql", port = "80", status = 200, body = "orders" }
      exec    = { command = ["cat", "/srv/schema.sql"] }
      timeout = "30s"
    }
    exec              = [{ command = ["cat", "/srv/schema.sql"], user = "nobody", working_dir = "/", env = { A = "1" }, timeout = "1m" }]
    memory_limit_mb   = 64
    cpus              = 1.5
    require_isolation = false
    pull_policy       = "missing"
    stop_timeout      = "10s"
    on_failure        = "remove"
`, source)
	return fmt.Sprintf(`
resource "rightsize_checkpoint" "orders" {
  name     = "orders"
  triggers = { data = "1" }
  timeouts = { create = "1h", update = "1h", delete = "1m" }
  seed = {
    image = "app:1"
    %[1]s
  }
}

resource "rightsize_container" "web" {
  name          = "web"
  image         = "app:1"
  labels        = { team = "a" }
  ports         = [{ container_port = 81, host_port = %[2]d, protocol = "tcp" }]
  reset_trigger = "1"
  timeouts      = { create = "10m", update = "10m", delete = "1m" }
  %[1]s
}

resource "rightsize_container" "copy" {
  name            = "copy"
  from_checkpoint = rightsize_checkpoint.orders.id
}

data "rightsize_checkpoint" "orders" {
  name       = "orders"
  depends_on = [rightsize_checkpoint.orders]
}

output "checkpoint" { value = data.rightsize_checkpoint.orders.id == rightsize_checkpoint.orders.id }
output "ports" { value = keys(rightsize_container.copy.mapped_ports) }
`, workload, port)
}

func TestTerraformEverything(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	config := everything(t)
	var before []backend.Container
	h.test(
		t,
		h.apply(config,
			expectAction("rightsize_checkpoint.orders", plancheck.ResourceActionCreate),
			expectAction("rightsize_container.web", plancheck.ResourceActionCreate),
			expectAction("rightsize_container.copy", plancheck.ResourceActionCreate),
		),
		resource.TestStep{
			PreConfig: func() {
				before = h.Containers()
				h.ResetCalls()
			},
			Config:   h.config(config),
			PlanOnly: true,
		},
		resource.TestStep{
			PreConfig: func() {
				if calls := h.Mutations(); len(calls) > 0 {
					t.Errorf("a plan made %v", calls)
				}
				if diff := cmp.Diff(before, h.Containers()); diff != "" {
					t.Errorf("a plan changed the containers (-before +after):\n%s", diff)
				}
			},
			RefreshState: true,
		},
		resource.TestStep{
			Config: h.config(config),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownOutputValue("checkpoint", knownvalue.Bool(true)),
				statecheck.ExpectKnownOutputValue("ports", knownvalue.ListExact([]knownvalue.Check{knownvalue.StringExact("80")})),
				statecheck.ExpectSensitiveValue("rightsize_checkpoint.orders", tfjsonpath.New("spec").AtMapKey("env")),
				statecheck.ExpectSensitiveValue("data.rightsize_checkpoint.orders", tfjsonpath.New("spec").AtMapKey("env")),
			},
		},
		// Another capture: who was restored from it follows in place, and whoever
		// knows its host ports need not.
		h.apply(strings.Replace(config, `triggers = { data = "1" }`, `triggers = { data = "2" }`, 1),
			expectAction("rightsize_checkpoint.orders", plancheck.ResourceActionUpdate),
			plancheck.ExpectUnknownValue("rightsize_checkpoint.orders", tfjsonpath.New("id")),
			expectAction("rightsize_container.copy", plancheck.ResourceActionUpdate),
			plancheck.ExpectKnownValue("rightsize_container.copy", tfjsonpath.New("mapped_ports"), knownvalue.MapSizeExact(1)),
			expectAction("rightsize_container.web", plancheck.ResourceActionNoop),
		),
	)
}

const web = `
resource "rightsize_container" "web" {
  name          = "web"
  image         = "app:1"
  exposed_ports = [80]
}
`

func TestTerraformDrift(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	// Its own name, and with it a host port of its own: while it is stopped,
	// another test's container must not take it.
	name := uniqueName(t)
	stack := strings.Replace(web, `= "web"`, fmt.Sprintf("= %q", name), 1) + `
resource "rightsize_container" "other" {
  name  = "other"
  image = "app:1"
}
resource "rightsize_checkpoint" "orders" {
  name         = "orders"
  container_id = rightsize_container.other.container_id
}
`
	step := func(drift func(), checks ...plancheck.PlanCheck) resource.TestStep {
		s := h.apply(stack, checks...)
		s.PreConfig = drift
		return s
	}
	h.test(
		t,
		h.apply(stack),
		step(func() { h.StopOutOfBand(name) },
			expectAction("rightsize_container.web", plancheck.ResourceActionUpdate),
			plancheck.ExpectKnownValue("rightsize_container.web", tfjsonpath.New("container_id"), knownvalue.NotNull()),
			expectAction("rightsize_container.other", plancheck.ResourceActionNoop),
			expectAction("rightsize_checkpoint.orders", plancheck.ResourceActionNoop),
		),
		step(func() { h.RemoveOutOfBand(name) },
			expectAction("rightsize_container.web", plancheck.ResourceActionCreate),
			expectAction("rightsize_container.other", plancheck.ResourceActionNoop),
		),
		step(func() { dropArtifact(t, h) },
			expectAction("rightsize_checkpoint.orders", plancheck.ResourceActionUpdate),
			expectAction("rightsize_container.other", plancheck.ResourceActionNoop),
		),
		step(func() { removeEntry(t, h) },
			expectAction("rightsize_checkpoint.orders", plancheck.ResourceActionUpdate)),
		step(func() { removeEntry(t, h); dropArtifact(t, h) },
			expectAction("rightsize_checkpoint.orders", plancheck.ResourceActionCreate)),
		step(func() { h.registered(t, "orders", backend.Spec{Image: "app:2"}) },
			expectAction("rightsize_checkpoint.orders", plancheck.ResourceActionUpdate)),
	)
}

func TestTerraformUnknownValues(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	dir := t.TempDir()
	for _, name := range []string{"one", "two"} {
		writeFile(t, filepath.Join(dir, name), name)
	}
	stack := func(name string) string {
		return fmt.Sprintf(`
resource "terraform_data" "source" { input = %q }

resource "rightsize_checkpoint" "orders" {
  name = "orders"
  seed = {
    image = "app:1"
    files = [{ path = "/data", source = terraform_data.source.output }]
  }
}

resource "rightsize_container" "web" {
  name          = "web"
  image         = "app:1"
  env           = { SOURCE = terraform_data.source.output }
  files         = [{ path = "/data", source = terraform_data.source.output }]
  reset_trigger = terraform_data.source.output
}
`, filepath.Join(dir, name))
	}
	h.test(
		t,
		h.apply(stack("one"),
			plancheck.ExpectUnknownValue("rightsize_container.web", tfjsonpath.New("env").AtMapKey("SOURCE")),
			plancheck.ExpectUnknownValue("rightsize_container.web", tfjsonpath.New("content_sha256")),
			plancheck.ExpectUnknownValue("rightsize_checkpoint.orders", tfjsonpath.New("content_sha256")),
		),
		h.apply(stack("two"),
			expectAction("rightsize_container.web", plancheck.ResourceActionReplace),
			expectAction("rightsize_checkpoint.orders", plancheck.ResourceActionUpdate),
		),
	)
}

// The provider's own configuration may depend on what the first apply makes.
func TestTerraformUnknownProviderConfiguration(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	config := fmt.Sprintf(`
resource "terraform_data" "dir" { input = %q }

provider "rightsize" { cache_dir = terraform_data.dir.output }
`, h.cacheDir) + web
	h.test(t, resource.TestStep{
		Config: config,
		ConfigPlanChecks: resource.ConfigPlanChecks{
			PreApply:             []plancheck.PlanCheck{expectAction("rightsize_container.web", plancheck.ResourceActionCreate)},
			PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
		},
	})
}
