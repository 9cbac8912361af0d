package provider_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/compare"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
)

// accMicroVMs is the msb of a host that boots microVMs, with a cache directory
// of its own.
type accMicroVMs struct{ cacheDir string }

// onMicroVMs runs a test in real microVMs, as test/kvmhost/testacc has them.
func onMicroVMs(t *testing.T) accMicroVMs {
	t.Helper()
	if os.Getenv("TF_ACC") == "" || os.Getenv("RIGHTSIZE_TEST_ENGINE") != "microsandbox" {
		t.Skip("these tests run with TF_ACC=1 and RIGHTSIZE_TEST_ENGINE=microsandbox, as `make testacc-microsandbox` sets them")
	}
	return accMicroVMs{cacheDir: filepath.Join(t.TempDir(), "cache")}
}

func (e accMicroVMs) config(body string) string {
	return fmt.Sprintf(`
provider "rightsize" {
  backend   = "microsandbox"
  cache_dir = %q
}
%s`, e.cacheDir, body)
}

// msb runs msb as a user beside Terraform would, and returns what it prints.
func (e accMicroVMs) msb(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(context.WithoutCancel(t.Context()), "msb", args...).CombinedOutput()
	if err != nil {
		t.Fatalf("msb %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// nothingLeft checks, after destroy, that nothing is left of what Terraform
// made.
func (e accMicroVMs) nothingLeft(t *testing.T, prefix string) func(*terraform.State) error {
	return func(*terraform.State) error {
		t.Helper()
		for name := range strings.Lines(e.msb(t, "ls", "-q")) {
			if strings.HasPrefix(name, prefix) {
				t.Errorf("sandbox %s is left", strings.TrimSpace(name))
			}
		}
		for _, pattern := range []string{"checkpoints/*", "checkpoints/.*", "locks/*", "microsandbox/*/*"} {
			left, err := filepath.Glob(filepath.Join(e.cacheDir, pattern))
			if err != nil {
				return err
			}
			if len(left) > 0 {
				t.Errorf("%q is left in the cache directory", left)
			}
		}
		return nil
	}
}

// registered checks that the registry's entry is one that the rightsize
// libraries restore, and returns the artifact that it names.
func (e accMicroVMs) registered(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(e.cacheDir, "checkpoints", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var entry struct {
		Name, Ref, Backend string
		Spec               struct{ ExposedPorts []int }
	}
	if err := json.Unmarshal(content, &entry); err != nil {
		t.Fatal(err)
	}
	inPlace := strings.HasPrefix(entry.Ref, filepath.Join(e.cacheDir, "checkpoints", "rz-ckpt-"+name))
	if entry.Name != name || entry.Backend != "microsandbox" || !inPlace || len(entry.Spec.ExposedPorts) != 1 {
		t.Errorf("the entry is %s", content)
	}
	e.msb(t, "snapshot", "inspect", entry.Ref)
	return entry.Ref
}

// TestAccMicroVMs leads one stack through its life: seeded, restored twice,
// stopped and removed behind Terraform's back, captured again, captured while it
// runs, destroyed.
func TestAccMicroVMs(t *testing.T) {
	e := onMicroVMs(t)
	const first, second = "rightsize_container.site[0]", "rightsize_container.site[1]"
	stack := func(text, more string) string {
		return e.config(fmt.Sprintf(`
resource "rightsize_checkpoint" "site" {
  name = "acc-vm"
  seed = {
    image         = %q
    command       = ["httpd", "-f", "-p", "8080", "-h", "/www"]
    exposed_ports = [8080]
    env           = { TEXT = %q }
    files         = [{ path = "/www/about.html", content = "a file" }]
    exec          = [{ command = ["sh", "-c", "printf %%s \"$TEXT\" >/www/index.html"] }]
    stop_timeout  = "1s"
  }
}
resource "rightsize_container" "site" {
  count           = 2
  name            = "acc-vm-${count.index}"
  from_checkpoint = rightsize_checkpoint.site.id
  memory_limit_mb = 128
  stop_timeout    = "1s"
}
%s`, busyboxImage, text, more))
	}
	samePorts := statecheck.CompareValue(compare.ValuesSame())
	ports := func() []statecheck.StateCheck {
		return []statecheck.StateCheck{samePorts.AddStateValue(first, tfjsonpath.New("mapped_ports"))}
	}
	serve := func(want string) resource.TestCheckFunc {
		return func(s *terraform.State) error {
			for _, name := range []string{first, second} {
				address := strings.NewReplacer("[", ".", "]", "").Replace(name)
				port := s.RootModule().Resources[address].Primary.Attributes["mapped_ports.8080"]
				if got := get(t, port); got != want {
					t.Errorf("%s serves %q, want %q", name, got, want)
				}
			}
			e.registered(t, "acc-vm")
			return nil
		}
	}
	action := plancheck.ExpectResourceAction
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: accProviders,
		CheckDestroy:             e.nothingLeft(t, "acc-vm"),
		Steps: []resource.TestStep{
			{
				Config:            stack("seeded", ""),
				ConfigStateChecks: ports(),
				Check:             serve("seeded"),
			},
			{
				PreConfig: func() {
					e.msb(t, "stop", "acc-vm-0")
					e.msb(t, "rm", "-f", "acc-vm-1")
				},
				Config: stack("seeded", ""),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					action(first, plancheck.ResourceActionUpdate),
					action(second, plancheck.ResourceActionCreate),
					action("rightsize_checkpoint.site", plancheck.ResourceActionNoop),
				}},
				ConfigStateChecks: ports(),
				Check:             serve("seeded"),
			},
			{
				Config: stack("seeded again", ""),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					action(first, plancheck.ResourceActionUpdate),
					action(second, plancheck.ResourceActionUpdate),
					action("rightsize_checkpoint.site", plancheck.ResourceActionUpdate),
				}},
				ConfigStateChecks: ports(),
				Check:             serve("seeded again"),
			},
			{
				Config: stack("seeded again", `
resource "rightsize_checkpoint" "running" {
  name         = "acc-vm-running"
  container_id = rightsize_container.site[0].container_id
}`),
				ConfigStateChecks: ports(),
				Check: func(s *terraform.State) error {
					e.registered(t, "acc-vm-running")
					return serve("seeded again")(s)
				},
			},
			{
				ResourceName:            "rightsize_checkpoint.running",
				ImportState:             true,
				ImportStateId:           "acc-vm-running",
				ImportStateVerify:       true,
				ImportStateVerifyIgnore: []string{"container_id"},
			},
		},
	})
}
