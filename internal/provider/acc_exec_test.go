package provider_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
)

// TestAccExecAndFileCopy runs commands in a container and copies what they make:
// through a change, a stop, a reset and a destroy.
func TestAccExecAndFileCopy(t *testing.T) {
	onEachEngine(t, func(t *testing.T, e accEngine) {
		const (
			name    = "acc-exec"
			run     = "rightsize_exec.write"
			copied  = "rightsize_file_copy.tree"
			web     = "rightsize_container.web"
			written = "from stdin\nexec\n/srv\n1000\n"
		)
		dir := t.TempDir()
		tree := filepath.Join(dir, "tree")
		// The trap lets the container stop before it is killed; the file tells
		// that on_destroy ran, and is on this host.
		config := func(input, trigger string) string {
			return e.config(fmt.Sprintf(`
resource "rightsize_container" "web" {
  name          = %[1]q
  image         = %[2]q
  command       = ["sh", "-c", "trap 'exit 0' TERM; sleep 600 & wait"]
  files         = [{ path = "/srv/tree/of-image", content = "as defined", owner = "1000:1000", mode = "0755" }]
  exec          = [{ command = ["sh", "-c", "chown 1000 /srv/tree && ln -s of-image /srv/tree/link"] }]
  reset_trigger = %[4]q
}

resource "rightsize_exec" "write" {
  container_id       = rightsize_container.web.container_id
  command            = ["sh", "-c", "{ cat; echo $WORD; pwd; id -u; } | tee /srv/tree/written; exit 3"]
  stdin              = %[3]q
  env                = { WORD = "exec" }
  user               = "1000"
  working_dir        = "/srv"
  success_exit_codes = [3]
  on_destroy         = { command = ["rm", "/srv/tree/written"] }
}

resource "rightsize_file_copy" "tree" {
  container_id = rightsize_container.web.container_id
  path         = "/srv/tree"
  destination  = %[5]q
  triggers     = { after = rightsize_exec.write.id }
}
`, name, busyboxImage, input, trigger, tree))
		}
		holds := func(want map[string]string) resource.TestCheckFunc {
			return func(*terraform.State) error {
				t.Helper()
				expectBelow(t, tree, want)
				if target, err := os.Readlink(filepath.Join(tree, "link")); target != "of-image" {
					t.Errorf("the link leads to %q (%v)", target, err)
				}
				if info, err := os.Stat(filepath.Join(tree, "of-image")); err != nil || info.Mode().Perm() != 0o700 {
					t.Errorf("a program has mode %v (%v)", info.Mode(), err)
				}
				return nil
			}
		}
		// A link is neither a directory nor a file.
		whole := map[string]string{"of-image": "as defined", "link": "dir", "written": written}
		actions := func(web_, run_, copied_ plancheck.ResourceActionType) resource.ConfigPlanChecks {
			return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(web, web_), plancheck.ExpectResourceAction(run, run_), plancheck.ExpectResourceAction(copied, copied_),
			}}
		}
		resource.Test(t, resource.TestCase{
			ProtoV6ProviderFactories: accProviders,
			CheckDestroy: func(s *terraform.State) error {
				expectBelow(t, dir, map[string]string{})
				return e.nothingLeft(t, name)(s)
			},
			Steps: []resource.TestStep{
				{
					Config: config("from stdin\n", "1"),
					ConfigStateChecks: []statecheck.StateCheck{
						statecheck.ExpectKnownValue(run, tfjsonpath.New("stdout"), knownvalue.StringExact(written)),
						statecheck.ExpectKnownValue(run, tfjsonpath.New("exit_code"), knownvalue.Int64Exact(3)),
						statecheck.ExpectSensitiveValue(run, tfjsonpath.New("stdout")),
						statecheck.ExpectKnownValue(copied, tfjsonpath.New("size_bytes"), knownvalue.Int64Exact(int64(len(written)+len("as defined")))),
					},
					Check: holds(whole),
				},
				{ // Somebody works with the copy, and stops the container.
					PreConfig: func() {
						writeFile(t, filepath.Join(tree, "written"), "own work")
						e.docker(t, "stop", name)
					},
					Config:           config("from stdin\n", "1"),
					ConfigPlanChecks: actions(plancheck.ResourceActionUpdate, plancheck.ResourceActionNoop, plancheck.ResourceActionUpdate),
					Check:            holds(whole),
				},
				{ // Other input is seen though it is in no state.
					Config:           config("another\n", "1"),
					ConfigPlanChecks: actions(plancheck.ResourceActionNoop, plancheck.ResourceActionReplace, plancheck.ResourceActionUpdate),
					Check:            holds(map[string]string{"of-image": "as defined", "link": "dir", "written": "another\nexec\n/srv\n1000\n"}),
				},
				{
					Config:           config("another\n", "2"),
					ConfigPlanChecks: actions(plancheck.ResourceActionUpdate, plancheck.ResourceActionReplace, plancheck.ResourceActionUpdate),
				},
				{ // What is gone is made again, all of it.
					PreConfig:        func() { e.docker(t, "rm", "-f", name) },
					Config:           config("another\n", "2"),
					ConfigPlanChecks: actions(plancheck.ResourceActionCreate, plancheck.ResourceActionCreate, plancheck.ResourceActionUpdate),
				},
				{ // on_destroy is what takes the file away.
					Config: e.config(fmt.Sprintf(`
resource "rightsize_container" "web" {
  name          = %q
  image         = %q
  command       = ["sh", "-c", "trap 'exit 0' TERM; sleep 600 & wait"]
  files         = [{ path = "/srv/tree/of-image", content = "as defined", owner = "1000:1000", mode = "0755" }]
  exec          = [{ command = ["sh", "-c", "chown 1000 /srv/tree && ln -s of-image /srv/tree/link"] }]
  reset_trigger = "2"
}`, name, busyboxImage)),
					Check: func(*terraform.State) error {
						if got := e.docker(t, "exec", name, "ls", "/srv/tree"); got != "link\nof-image" {
							t.Errorf("the container holds %q", got)
						}
						return nil
					},
				},
			},
		})
	})
}

// TestAccExecAndFileCopyFail shows what a user reads who made a mistake.
func TestAccExecAndFileCopyFail(t *testing.T) {
	onDefaultEngine(t, func(t *testing.T, e accEngine) {
		const name = "acc-exec-fail"
		dir := t.TempDir()
		config := func(body string) string {
			return e.config(fmt.Sprintf(`
resource "rightsize_container" "web" {
  name         = %q
  image        = %q
  command      = ["sleep", "600"]
  exec         = [{ command = ["sh", "-c", "mkdir -p /srv/pipes && mkfifo /srv/pipes/one && ln -s /etc /srv/etc"] }]
  stop_timeout = "1s"
}
`, name, busyboxImage) + body)
		}
		command := func(command string) string {
			return config(fmt.Sprintf("resource \"rightsize_exec\" \"it\" {\n  container_id = rightsize_container.web.container_id\n  command = %s\n}\n", command))
		}
		file := func(path string) string {
			return config(fmt.Sprintf("resource \"rightsize_file_copy\" \"it\" {\n  container_id = rightsize_container.web.container_id\n  path = %q\n  destination = %q\n}\n",
				path, filepath.Join(dir, "copy")))
		}
		resource.Test(t, resource.TestCase{
			ProtoV6ProviderFactories: accProviders,
			CheckDestroy: func(s *terraform.State) error {
				expectBelow(t, dir, map[string]string{})
				return e.nothingLeft(t, name)(s)
			},
			Steps: []resource.TestStep{
				{Config: command(`["sh", "-c", "echo no such table >&2; exit 4"]`), ExpectError: regexpf(`(?s)Unable to Run Command.*exited with\s+code 4.*no such table`)},
				{Config: command(`["nothing"]`), ExpectError: regexpf(`(?s)Unable to Run Command.*exited with\s+code 12[67]`)},
				{Config: file("/srv/nothing"), ExpectError: regexpf(`(?s)Unable to Copy File.*the container\s+has no\s+/srv/nothing`)},
				{Config: file("/srv/pipes"), ExpectError: regexpf(`(?s)Unable to Copy File.*neither\s+a\s+file`)},
				{Config: file("/srv"), ExpectError: regexpf(`(?s)Unable to Copy File.*(neither\s+a\s+file|leads\s+out)`)},
				{Config: config("")},
			},
		})
	})
}
