package provider_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/fake"
)

// What fails to be created is tainted and replaced by the next apply, or was
// removed again and is created.
func TestTerraformFailedCreate(t *testing.T) {
	t.Parallel()
	for onFailure, next := range map[string]plancheck.ResourceActionType{
		"keep": plancheck.ResourceActionReplace, "remove": plancheck.ResourceActionCreate,
	} {
		t.Run(onFailure, func(t *testing.T) {
			t.Parallel()
			h := newHarness(t)
			stack := func(program string) string {
				return fmt.Sprintf(`
resource "rightsize_container" "web" {
  name       = "web"
  image      = "app:1"
  on_failure = %q
  exec       = [{ command = [%q] }]
}
`, onFailure, program)
			}
			h.test(
				t,
				resource.TestStep{
					Config:      h.config(stack("false")),
					ExpectError: regexp.MustCompile(`(?s)Unable to Create Container.*exec +=.*exited with code 1`),
				},
				h.apply(stack("true"), expectAction("rightsize_container.web", next)),
			)
		})
	}
}

// A failed capture keeps the checkpoint that there is.
func TestTerraformFailedCapture(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	stack := func(program string) string {
		return fmt.Sprintf(`
resource "rightsize_checkpoint" "orders" {
  name = "orders"
  seed = {
    image = "app:1"
    exec  = [{ command = [%q] }]
  }
}
`, program)
	}
	var first []backend.Artifact
	h.test(
		t,
		h.apply(stack("true")),
		resource.TestStep{
			PreConfig:   func() { first = h.AllArtifacts() },
			Config:      h.config(stack("false")),
			ExpectError: regexp.MustCompile(`(?s)Unable to Capture Checkpoint.*exited with code 1`),
		},
		resource.TestStep{
			PreConfig: func() {
				if diff := cmp.Diff(first, h.AllArtifacts()); diff != "" {
					t.Errorf("the failed capture changed (-before +after):\n%s", diff)
				}
			},
			Config:   h.config(stack("true")),
			PlanOnly: true,
		},
		h.apply(stack("echo"), expectAction("rightsize_checkpoint.orders", plancheck.ResourceActionUpdate)),
	)
}

// A reset that fails in an update is done by the next apply.
func TestTerraformFailedReset(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	stack := func(trigger string) string {
		return strings.Replace(web, "image ", fmt.Sprintf("reset_trigger = %q\n  image ", trigger), 1)
	}
	fail := h.apply(stack("2"))
	fail.PreConfig = func() { h.Fail(fake.Start, errLost, 1) }
	fail.ExpectError = regexp.MustCompile(`(?s)Unable to Reset Container.*Start the engine\.`)
	h.test(
		t,
		h.apply(stack("1")),
		fail,
		h.apply(stack("2"), expectAction("rightsize_container.web", plancheck.ResourceActionUpdate)),
	)
}

// Terraform plans as usual before it destroys. A container that is gone and
// whose port somebody else has by now does not keep it from that.
func TestTerraformDestroyWithSomethingGone(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	port := freePorts(t, 1)[0]
	stack := fmt.Sprintf(`
resource "rightsize_container" "web" {
  name  = "web"
  image = "app:1"
  ports = [{ container_port = 80, host_port = %d }]
}
resource "rightsize_container" "other" { image = "app:1" }
`, port)
	h.test(
		t,
		h.apply(stack),
		resource.TestStep{
			PreConfig: func() {
				h.RemoveOutOfBand("web")
				takePort(t, port)
			},
			Config:  h.config(stack),
			Destroy: true,
		},
	)
}
