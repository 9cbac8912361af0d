package provider_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/fake"
)

// Import blocks and the import command adopt what is there.
func TestTerraformImport(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	source := filepath.Join(t.TempDir(), "data")
	writeFile(t, source, "data")
	stack := web + fmt.Sprintf(`
resource "rightsize_container" "seeded" {
  name     = "seeded"
  image    = "app:1"
  files    = [{ path = "/data", source = %q }]
  exec     = [{ command = ["true"] }]
  wait_for = { log = { pattern = "ready" } }
}
resource "rightsize_checkpoint" "orders" {
  name = "orders"
  seed = { image = "app:1", exposed_ports = [80] }
}
resource "rightsize_container" "copy" {
  name            = "copy"
  from_checkpoint = rightsize_checkpoint.orders.id
}
`, source)
	var forget, imports strings.Builder
	for address, id := range map[string]string{
		"rightsize_container.web": "web", "rightsize_container.seeded": "seeded", "rightsize_container.copy": "copy", "rightsize_checkpoint.orders": "orders",
	} {
		fmt.Fprintf(&forget, "removed {\n  from = %s\n  lifecycle {\n    destroy = false\n  }\n}\n", address)
		fmt.Fprintf(&imports, "import {\n  to = %s\n  id = %q\n}\n", address, id)
	}
	var before []backend.Container
	adopt := h.apply(stack+imports.String(),
		expectAction("rightsize_container.web", plancheck.ResourceActionNoop),
		expectAction("rightsize_container.seeded", plancheck.ResourceActionUpdate),
		expectAction("rightsize_container.copy", plancheck.ResourceActionUpdate),
		expectAction("rightsize_checkpoint.orders", plancheck.ResourceActionUpdate),
	)
	adopt.PreConfig = func() {
		before = h.Containers()
		h.ResetCalls()
	}
	h.test(
		t,
		h.apply(stack),
		resource.TestStep{ResourceName: "rightsize_container.web", ImportState: true, ImportStateId: "web", ImportStateVerify: true},
		resource.TestStep{
			ResourceName: "rightsize_checkpoint.orders", ImportState: true, ImportStateId: "orders",
			ImportStateVerify: true, ImportStateVerifyIdentifierAttribute: "name", ImportStateVerifyIgnore: []string{"seed", "triggers", "content_sha256"},
		},
		resource.TestStep{Config: h.config(forget.String())},
		adopt,
		resource.TestStep{
			PreConfig: func() {
				if diff := cmp.Diff(before, h.Containers()); diff != "" || len(h.CallsOf(fake.Capture)) > 0 {
					t.Errorf("the import changed the engine (-before +after):\n%s", diff)
				}
			},
			Config:   h.config(stack),
			PlanOnly: true,
		},
	)
}
