package provider_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/compare"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend/selection"
	"github.com/rightsize/terraform-provider-rightsize/internal/checkpoint"
	"github.com/rightsize/terraform-provider-rightsize/internal/prune"
)

// prune cleans up as the provider's own command does.
func (e accEngine) prune(t *testing.T, dryRun bool) string {
	t.Helper()
	t.Setenv(checkpoint.CacheDirEnv, e.cacheDir)
	t.Setenv(selection.EnvBackend, "docker")
	if e.host != "" {
		t.Setenv("DOCKER_HOST", e.host)
	}
	var output bytes.Buffer
	if code := (prune.Command{DryRun: dryRun, UserAgent: "test", Stdout: &output, Stderr: &output}).Run(t.Context()); code != prune.ExitDone {
		t.Errorf("the clean-up ended with %d:\n%s", code, output.String())
	}
	return output.String()
}

// TestAccLifetimes lets a container and a checkpoint expire, and cleans up.
func TestAccLifetimes(t *testing.T) {
	onEachEngine(t, func(t *testing.T, e accEngine) {
		const web, cp = "rightsize_container.web", "rightsize_checkpoint.web"
		config := func(expiresAfter string) string {
			return e.config(strings.ReplaceAll(`
resource "rightsize_checkpoint" "web" {
  name          = "acc-life"
  expires_after = "PERIOD"
  seed          = { image = "`+busyboxImage+`", command = ["sleep", "600"], stop_timeout = "1s" }
}
resource "rightsize_container" "web" {
  name            = "acc-life-web"
  from_checkpoint = rightsize_checkpoint.web.id
  expires_after   = "PERIOD"
  stop_timeout    = "1s"
}
resource "rightsize_container" "kept" {
  name            = "acc-life-kept"
  from_checkpoint = "acc-life"
  stop_timeout    = "1s"
  depends_on      = [rightsize_checkpoint.web]
}
data "rightsize_checkpoints" "all" { depends_on = [rightsize_checkpoint.web] }
output "expired" { value = one([for c in data.rightsize_checkpoints.all.checkpoints : c.expired if c.name == "acc-life"]) }
`, "PERIOD", expiresAfter))
		}
		sameContainer, sameArtifact := statecheck.CompareValue(compare.ValuesSame()), statecheck.CompareValue(compare.ValuesSame())
		same := func() []statecheck.StateCheck {
			return []statecheck.StateCheck{
				sameContainer.AddStateValue(web, tfjsonpath.New("container_id")),
				sameArtifact.AddStateValue(cp, tfjsonpath.New("artifact_id")),
			}
		}
		planned := func(action plancheck.ResourceActionType) resource.ConfigPlanChecks {
			return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(web, action),
				plancheck.ExpectResourceAction(cp, action),
				plancheck.ExpectResourceAction("rightsize_container.kept", plancheck.ResourceActionNoop),
			}}
		}
		resource.Test(t, resource.TestCase{
			ProtoV6ProviderFactories: accProviders,
			CheckDestroy:             e.nothingLeft(t, "acc-life"),
			Steps: []resource.TestStep{
				{
					Config:            config("72h"),
					ConfigStateChecks: same(),
					Check:             resource.TestCheckOutput("expired", "false"),
				},
				{
					PreConfig: func() {
						if got := e.prune(t, false); got != "Nothing has expired.\n" {
							t.Errorf("the clean-up says %q", got)
						}
					},
					Config:            config("1ms"),
					ConfigPlanChecks:  planned(plancheck.ResourceActionUpdate),
					ConfigStateChecks: same(),
					Check:             resource.TestCheckOutput("expired", "true"),
				},
				{
					PreConfig: func() {
						if got := e.prune(t, true); !strings.Contains(got, "2 would be removed (") {
							t.Errorf("the dry run says %q", got)
						}
						if got := e.prune(t, false); !strings.Contains(got, "removed container acc-life-web (") ||
							!strings.Contains(got, "removed checkpoint acc-life (") || !strings.Contains(got, "2 removed (") {
							t.Errorf("the clean-up says %q", got)
						}
						// What runs from the checkpoint goes on.
						if got := e.docker(t, "ps", "--filter", "name=acc-life", "--format", "{{.Names}}"); got != "acc-life-kept" {
							t.Errorf("after the clean-up there run %q", got)
						}
					},
					Config:           config("72h"),
					ConfigPlanChecks: planned(plancheck.ResourceActionCreate),
					Check:            resource.TestCheckOutput("expired", "false"),
				},
			},
		})
	})
}
