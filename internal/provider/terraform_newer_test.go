package provider_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/echoprovider"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/querycheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/fake"
)

// An ephemeral container is opened for a plan as for an apply, and is gone after
// either.
func TestTerraformEphemeral(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	providers := h.factories()
	providers["echo"] = echoprovider.NewProviderServer()
	created := func(want int) {
		t.Helper()
		if got := h.Count(fake.Create); got != want {
			t.Errorf("%d containers were started, want %d", got, want)
		}
		if left := h.Containers(); len(left) > 0 {
			t.Errorf("%s is left", left[0].Name)
		}
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: providers,
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_10_0)},
		CheckDestroy:             func(*terraform.State) error { created(h.Count(fake.Create)); return nil },
		Steps: []resource.TestStep{{
			Config: h.config(`
ephemeral "rightsize_container" "trial" {
  image         = "app:1"
  exposed_ports = [80]
  exec          = [{ command = ["write", "/rows", "1"] }]
}
provider "echo" {
  data = { name = ephemeral.rightsize_container.trial.name, port = ephemeral.rightsize_container.trial.mapped_ports["80"] }
}
resource "echo" "trial" {}
`),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue("echo.trial", tfjsonpath.New("data").AtMapKey("name"), knownvalue.StringRegexp(regexpf("^rightsize-ephemeral-"))),
				statecheck.ExpectKnownValue("echo.trial", tfjsonpath.New("data").AtMapKey("port"), knownvalue.NotNull()),
			},
			Check: func(*terraform.State) error { created(h.Count(fake.Create)); return nil },
		}},
	})
	if h.Count(fake.Create) < 2 {
		t.Errorf("it was opened %d times, for a plan and an apply", h.Count(fake.Create))
	}
}

// As long as a value of its configuration is not known, it is not opened.
func TestTerraformEphemeralOfUnknown(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	providers := h.factories()
	providers["echo"] = echoprovider.NewProviderServer()
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: providers,
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_10_0)},
		Steps: []resource.TestStep{{
			PreConfig: func() {
				h.Hook(fake.Create, func(_ context.Context, call fake.Call) error {
					if call.Spec.From == nil && call.Spec.Name != "rightsize-seed-orders" {
						t.Errorf("%s was started, from nothing that is known", call.Spec.Name)
					}
					return nil
				})
			},
			Config: h.config(`
resource "rightsize_checkpoint" "orders" {
  name = "orders"
  seed = { image = "app:1" }
}
ephemeral "rightsize_container" "trial" {
  from_checkpoint = rightsize_checkpoint.orders.id
}
provider "echo" {
  data = ephemeral.rightsize_container.trial.name
}
resource "echo" "trial" {}
`),
			Check: resource.TestMatchResourceAttr("echo.trial", "data", regexpf("^rightsize-ephemeral-")),
		}},
	})
}

// Import by identity leaves nothing to do.
func TestTerraformIdentity(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	identity := func(name string) map[string]knownvalue.Check {
		return map[string]knownvalue.Check{"name": knownvalue.StringExact(name), "backend": knownvalue.StringExact("docker")}
	}
	stack := h.config(`
resource "rightsize_container" "web" {
  name  = "web"
  image = "app:1"
}
resource "rightsize_checkpoint" "orders" {
  name         = "orders"
  container_id = rightsize_container.web.container_id
}
`)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: h.factories(),
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_12_0)},
		Steps: []resource.TestStep{
			{Config: stack, ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectIdentity("rightsize_container.web", identity("web")),
				statecheck.ExpectIdentity("rightsize_checkpoint.orders", identity("orders")),
			}},
			{ResourceName: "rightsize_container.web", ImportState: true, ImportStateKind: resource.ImportBlockWithResourceIdentity},
		},
	})
}

// terraform query lists what can be imported.
func TestTerraformQuery(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.registered(t, "orders", backend.Spec{Image: "app:1"})
	h.running(t, backend.Spec{Name: "web", Image: "app:1"})
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: h.factories(),
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_14_0)},
		Steps: []resource.TestStep{
			{Config: h.config(`data "rightsize_containers" "all" {}`)},
			{
				Query: true,
				Config: h.config(`
list "rightsize_container" "all" {
  provider         = rightsize
  include_resource = true
}
list "rightsize_checkpoint" "all" {
  provider = rightsize
}
`),
				QueryResultChecks: []querycheck.QueryResultCheck{
					querycheck.ExpectIdentity("rightsize_container.all", map[string]knownvalue.Check{
						"name": knownvalue.StringExact("web"), "backend": knownvalue.StringExact("docker"),
					}),
					querycheck.ExpectLength("rightsize_checkpoint.all", 1),
				},
			},
		},
	})
}

// Actions run after what triggers them, and the resource follows.
func TestTerraformActions(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.registered(t, "orders", backend.Spec{Image: "app:1"})
	stack := func(revision string) string {
		return h.config(fmt.Sprintf(`
resource "rightsize_container" "web" {
  name            = "web"
  from_checkpoint = "orders"
}
action "rightsize_container_reset" "web" {
  config {
    container_id = "web"
    save_as      = "before"
  }
}
resource "terraform_data" "revision" {
  input = %q
  lifecycle {
    action_trigger {
      events  = [after_update]
      actions = [action.rightsize_container_reset.web]
    }
  }
  depends_on = [rightsize_container.web]
}
`, revision))
	}
	var before string
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: h.factories(),
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_14_0)},
		Steps: []resource.TestStep{
			{Config: stack("1"), Check: func(*terraform.State) error { before = h.container(t, "web").ID; return nil }},
			{Config: stack("2"), Check: func(*terraform.State) error {
				if h.container(t, "web").ID == before {
					t.Error("it was not reset")
				}
				return nil
			}},
			{Config: stack("2"), PlanOnly: true},
		},
	})
}
