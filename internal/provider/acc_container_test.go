package provider_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/compare"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
)

func regexpf(format string, args ...any) *regexp.Regexp {
	return regexp.MustCompile(fmt.Sprintf(format, args...))
}

// get reads a page that a container serves.
func get(t *testing.T, port string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1:"+port+"/", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// TestAccContainerDrift stops and removes a container behind Terraform's back.
func TestAccContainerDrift(t *testing.T) {
	onEachEngine(t, func(t *testing.T, e accEngine) {
		const name = "acc-drift"
		config := e.config(`
resource "rightsize_container" "web" {
  name          = "acc-drift"
  image         = "` + busyboxImage + `"
  command       = ["httpd", "-f", "-p", "8080", "-h", "/srv"]
  exposed_ports = [8080]
  files         = [{ path = "/srv/index.html", content = "as defined" }]
  stop_timeout  = "1s"
}
resource "rightsize_container" "other" {
  name         = "acc-drift-other"
  image        = "` + busyboxImage + `"
  command      = ["sleep", "600"]
  stop_timeout = "1s"
}`)
		samePorts := statecheck.CompareValue(compare.ValuesSame())
		sameContainer := statecheck.CompareValue(compare.ValuesSame())
		ports := func() statecheck.StateCheck {
			return samePorts.AddStateValue("rightsize_container.web", tfjsonpath.New("mapped_ports"))
		}
		serves := func(s *terraform.State) error {
			port := s.RootModule().Resources["rightsize_container.web"].Primary.Attributes["mapped_ports.8080"]
			if got := get(t, port); got != "as defined" {
				t.Errorf("the container serves %q", got)
			}
			return nil
		}
		resource.Test(t, resource.TestCase{
			ProtoV6ProviderFactories: accProviders,
			CheckDestroy:             e.nothingLeft(t, name),
			Steps: []resource.TestStep{
				{
					Config:            config,
					ConfigStateChecks: []statecheck.StateCheck{ports(), sameContainer.AddStateValue("rightsize_container.web", tfjsonpath.New("container_id"))},
					Check:             serves,
				},
				{
					PreConfig: func() { e.docker(t, "stop", "-t", "0", name) },
					Config:    config,
					ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
						plancheck.ExpectResourceAction("rightsize_container.web", plancheck.ResourceActionUpdate),
						plancheck.ExpectResourceAction("rightsize_container.other", plancheck.ResourceActionNoop),
					}},
					ConfigStateChecks: []statecheck.StateCheck{ports(), sameContainer.AddStateValue("rightsize_container.web", tfjsonpath.New("container_id"))},
					Check:             serves,
				},
				{
					PreConfig: func() { e.docker(t, "pause", name) },
					Config:    config,
					ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
						plancheck.ExpectResourceAction("rightsize_container.web", plancheck.ResourceActionUpdate),
					}},
					Check: serves,
				},
				{
					PreConfig: func() { e.docker(t, "rm", "-f", name) },
					Config:    config,
					ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
						plancheck.ExpectResourceAction("rightsize_container.web", plancheck.ResourceActionCreate),
						plancheck.ExpectResourceAction("rightsize_container.other", plancheck.ResourceActionNoop),
					}},
					ConfigStateChecks: []statecheck.StateCheck{ports()},
					Check:             serves,
				},
			},
		})
	})
}

// TestAccContainerEveryAttribute sets every attribute and looks at what the
// engine made of it; the testing library checks that the second plan is empty.
func TestAccContainerEveryAttribute(t *testing.T) {
	onEachEngine(t, func(t *testing.T, e accEngine) {
		const name = "acc-full"
		source := filepath.Join(t.TempDir(), "tree")
		if err := os.MkdirAll(filepath.Join(source, "sub"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(source, "sub", "file"), []byte("from a tree"), 0o640); err != nil {
			t.Fatal(err)
		}
		resource.Test(t, resource.TestCase{
			ProtoV6ProviderFactories: accProviders,
			CheckDestroy:             e.nothingLeft(t, name),
			Steps: []resource.TestStep{{
				Config: e.config(fmt.Sprintf(`
resource "rightsize_container" "full" {
  name          = "acc-full"
  image         = %q
  env           = { GREETING = "hello", EMPTY = "" }
  command       = ["-f", "-p", "8080", "-h", "/srv"]
  entrypoint    = ["httpd"]
  working_dir   = "/tmp"
  user          = "0:0"
  labels        = { team = "orders" }
  exposed_ports = [8080, "5353/udp"]
  ports         = [{ container_port = 9090, host_port = 61999 }]
  files = [
    { path = "/srv/index.html", content = "text", mode = "0600", owner = "1000:1001" },
    { path = "/srv/binary", content_base64 = base64encode("binary") },
    { path = "/srv/tree", source = %q },
  ]
  wait_for = {
    port    = 8080
    http    = { path = "/", port = 8080, status = 200, body = "te.t" }
    exec    = { command = ["test", "-e", "/srv/index.html"] }
    timeout = "30s"
  }
  exec = [{
    command     = ["sh", "-c", "cat > /seeded; echo $STEP >> /seeded; pwd >> /seeded; id -u >> /seeded"]
    stdin       = "from stdin\n"
    user        = "root"
    working_dir = "/srv"
    env         = { STEP = "from env" }
    timeout     = "20s"
  }]
  memory_limit_mb   = 64
  cpus              = 0.5
  require_isolation = false
  reset_trigger     = "1"
  pull_policy       = "never"
  stop_timeout      = "1s"
  on_failure        = "remove"
  timeouts          = { create = "5m", update = "5m", delete = "1m" }
}`, busyboxImage, source)),
				Check: func(*terraform.State) error {
					for template, want := range map[string]string{
						`{{.HostConfig.Memory}}`:               "67108864",
						`{{.HostConfig.NanoCpus}}`:             "500000000",
						`{{.Config.WorkingDir}}`:               "/tmp",
						`{{.Config.User}}`:                     "0:0",
						`{{index .Config.Labels "team"}}`:      "orders",
						`{{join .Config.Entrypoint " "}}`:      "httpd",
						`{{join .Config.Cmd " "}}`:             "-f -p 8080 -h /srv",
						`{{len .Mounts}}`:                      "0",
						`{{json .HostConfig.PublishAllPorts}}`: "false",
						`{{(index (index .NetworkSettings.Ports "9090/tcp") 0).HostPort}}`: "61999",
						`{{(index (index .NetworkSettings.Ports "8080/tcp") 0).HostIp}}`:   "127.0.0.1",
					} {
						if got := e.inspect(t, name, template); got != want {
							t.Errorf("%s is %q, want %q", template, got, want)
						}
					}
					for command, want := range map[string]string{
						"echo $GREETING$EMPTY":                  "hello",
						"cat /seeded":                           "from stdin\nfrom env\n/srv\n0",
						"stat -c '%a %u %g' /srv/index.html":    "600 1000 1001",
						"cat /srv/binary":                       "binary",
						"cat /srv/tree/sub/file":                "from a tree",
						"stat -c %a /srv/tree/sub/file":         "640",
						"cat /etc/hosts | grep -c host.docker.": "1",
					} {
						if got := e.docker(t, "exec", name, "sh", "-c", command); got != want {
							t.Errorf("%s prints %q, want %q", command, got, want)
						}
					}
					return nil
				},
			}},
		})
	})
}

// TestAccContainerWaits tries each kind of wait on a real container.
func TestAccContainerWaits(t *testing.T) {
	onDefaultEngine(t, func(t *testing.T, e accEngine) {
		resource.Test(t, resource.TestCase{
			ProtoV6ProviderFactories: accProviders,
			CheckDestroy:             e.nothingLeft(t, "acc-wait"),
			Steps: []resource.TestStep{
				{
					Config: e.config(`
resource "rightsize_container" "health" {
  name         = "acc-wait-health"
  image        = "` + healthyImage + `"
  wait_for     = { health = true }
  stop_timeout = "1s"
}
resource "rightsize_container" "log" {
  name         = "acc-wait-log"
  image        = "` + busyboxImage + `"
  command      = ["sh", "-c", "echo ready 1; echo ready 2; sleep 600"]
  wait_for     = { log = { pattern = "^ready [0-9]$", times = 2 } }
  stop_timeout = "1s"
}
resource "rightsize_container" "job" {
  name     = "acc-wait-job"
  image    = "` + busyboxImage + `"
  command  = ["sh", "-c", "echo done"]
  wait_for = { exit = true, log = { pattern = "done" } }
}`),
					Check: resource.ComposeAggregateTestCheckFunc(
						resource.TestCheckResourceAttr("rightsize_container.health", "status", "running"),
						resource.TestCheckResourceAttr("rightsize_container.job", "status", "exited"),
						func(*terraform.State) error {
							if got := e.inspect(t, "acc-wait-health", "{{.State.Health.Status}}"); got != "healthy" {
								t.Errorf("health is %s", got)
							}
							return nil
						},
					),
				},
				{
					Config: e.config(`
resource "rightsize_container" "dies" {
  name       = "acc-wait-dies"
  image      = "` + busyboxImage + `"
  command    = ["sh", "-c", "echo cannot open the data directory; exit 3"]
  wait_for   = { log = { pattern = "never" }, timeout = "10m" }
  on_failure = "remove"
}`),
					ExpectError: regexpf(`Unable to Create Container[\s\S]*code 3[\s\S]*cannot open the data directory`),
				},
				{
					Config: e.config(`
resource "rightsize_container" "slow" {
  name         = "acc-wait-slow"
  image        = "` + busyboxImage + `"
  command      = ["sleep", "600"]
  wait_for     = { log = { pattern = "never" }, timeout = "2s" }
  stop_timeout = "1s"
}`),
					ExpectError: regexpf(`Unable to Create Container[\s\S]*2s`),
				},
				{
					// It was kept, marked as tainted, and is now replaced.
					Config: e.config(`
resource "rightsize_container" "slow" {
  name         = "acc-wait-slow"
  image        = "` + busyboxImage + `"
  command      = ["sleep", "600"]
  stop_timeout = "1s"
}`),
					ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
						plancheck.ExpectResourceAction("rightsize_container.slow", plancheck.ResourceActionReplace),
					}},
				},
			},
		})
	})
}

// TestAccContainerErrors gives the engine what it cannot do.
func TestAccContainerErrors(t *testing.T) {
	onEachEngine(t, func(t *testing.T, e accEngine) {
		for name, step := range map[string]struct {
			body string
			want string
		}{
			"image never pulled": {
				body: `image = "rightsize-test/no-such-image:1"
pull_policy = "never"`,
				want: `Unable to Create Container[\s\S]*rightsize-test/no-such-image:1`,
			},
			"isolation required": {
				body: `image = "` + busyboxImage + `"
require_isolation = true`,
				want: `hardware isolation[\s\S]*RIGHTSIZE_BACKEND=microsandbox`,
			},
			"root in memory": {
				body: `image = "` + busyboxImage + `"
tmpfs_root_mb = 64`,
				want: `Unable to Create Container[\s\S]*cannot be kept in\s+memory on Docker[\s\S]*tmpfs_root_mb`,
			},
			"no such command": {
				body: `image = "` + busyboxImage + `"
command = ["no-such-program"]
on_failure = "remove"`,
				want: `Unable to Create Container[\s\S]*no-such-program`,
			},
			"absent checkpoint": {
				body: `from_checkpoint = "nowhere"`,
				want: `No checkpoint "nowhere" is registered`,
			},
		} {
			t.Run(name, func(t *testing.T) {
				resource.Test(t, resource.TestCase{
					ProtoV6ProviderFactories: accProviders,
					CheckDestroy:             e.nothingLeft(t, "acc-error"),
					Steps: []resource.TestStep{{
						Config:      e.config("resource \"rightsize_container\" \"error\" {\nname = \"acc-error\"\n" + step.body + "\n}"),
						ExpectError: regexp.MustCompile(step.want),
					}},
				})
			})
		}
	})
}

// TestAccContainerImport imports by name and plans nothing destructive.
func TestAccContainerImport(t *testing.T) {
	onDefaultEngine(t, func(t *testing.T, e accEngine) {
		config := e.config(`
resource "rightsize_container" "web" {
  name          = "acc-import"
  image         = "` + busyboxImage + `"
  command       = ["httpd", "-f", "-p", "8080", "-h", "/srv"]
  env           = { A = "1" }
  exposed_ports = [8080]
  files         = [{ path = "/srv/index.html", content = "kept" }]
  exec          = [{ command = ["sh", "-c", "echo once >> /srv/index.html"] }]
  stop_timeout  = "1s"
}`)
		resource.Test(t, resource.TestCase{
			ProtoV6ProviderFactories: accProviders,
			CheckDestroy:             e.nothingLeft(t, "acc-import"),
			Steps: []resource.TestStep{
				{Config: config},
				{
					ResourceName:      "rightsize_container.web",
					ImportState:       true,
					ImportStateId:     "acc-import",
					ImportStateVerify: true,
					// What no engine knows is adopted from the configuration.
					ImportStateVerifyIgnore: []string{"content_sha256", "exec", "files", "stop_timeout", "timeouts"},
				},
			},
		})
	})
}

// TestAccCaptureForeignContainer captures what Terraform did not start: a
// container with data in a volume that was mounted by name.
func TestAccCaptureForeignContainer(t *testing.T) {
	onEachEngine(t, func(t *testing.T, e accEngine) {
		const name = "acc-foreign"
		e.docker(t, "volume", "create", name)
		e.docker(t, "run", "-d", "--name", name, "-v", name+":/data", busyboxImage, "sh", "-c", "echo in the volume > /data/file; echo beside > /beside; sleep 600")
		t.Cleanup(func() {
			e.docker(t, "rm", "-f", name)
			e.docker(t, "volume", "rm", name)
		})
		resource.Test(t, resource.TestCase{
			ProtoV6ProviderFactories: accProviders,
			CheckDestroy:             e.nothingLeft(t, name+"-"),
			Steps: []resource.TestStep{{
				Config: e.config(`
resource "rightsize_checkpoint" "foreign" {
  name         = "acc-foreign-kept"
  container_id = "acc-foreign"
}
resource "rightsize_container" "copy" {
  name            = "acc-foreign-copy"
  from_checkpoint = rightsize_checkpoint.foreign.id
  command         = ["sleep", "600"]
  stop_timeout    = "1s"
}`),
				Check: func(*terraform.State) error {
					if got := e.docker(t, "exec", name+"-copy", "cat", "/data/file", "/beside"); got != "in the volume\nbeside" {
						t.Errorf("the copy has %q", got)
					}
					if got := e.inspect(t, name, "{{.State.Status}}"); got != "running" {
						t.Errorf("the captured container is %s afterwards", got)
					}
					if got := e.inspect(t, name+"-copy", "{{len .Mounts}}"); got != "0" {
						t.Errorf("the copy has %s mounts: its data is not copy-on-write", got)
					}
					return nil
				},
			}},
		})
	})
}

// TestAccLibraryCheckpoint restores what a rightsize library made: an entry in
// its words, and an image as its plain commit leaves it.
func TestAccLibraryCheckpoint(t *testing.T) {
	onDefaultEngine(t, func(t *testing.T, e accEngine) {
		const name = "acc-library"
		e.docker(t, "run", "--name", name, "--label", "dev.rightsize.runId=0a1b2c3d", busyboxImage, "sh", "-c", "echo from a library > /file")
		e.docker(t, "commit", name, "rightsize/checkpoint:"+name)
		e.docker(t, "rm", name)
		t.Cleanup(func() { e.docker(t, "rmi", "rightsize/checkpoint:"+name) })
		if err := os.MkdirAll(filepath.Dir(e.entryPath(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		entry := `{"name":"acc-library","ref":"rightsize/checkpoint:acc-library","backend":"docker","createdIso":"2026-07-11T12:00:00.000Z","spec":{"env":{"A":"1"},"command":["sleep","600"],"exposedPorts":[],"memoryLimitMb":null}}`
		if err := os.WriteFile(e.entryPath(name), []byte(entry), 0o644); err != nil {
			t.Fatal(err)
		}
		resource.Test(t, resource.TestCase{
			ProtoV6ProviderFactories: accProviders,
			Steps: []resource.TestStep{{
				Config: e.config(`
data "rightsize_checkpoint" "library" { name = "acc-library" }
data "rightsize_checkpoint" "absent" {
  name     = "acc-absent"
  required = false
}
data "rightsize_checkpoints" "all" {}
resource "rightsize_container" "copy" {
  name            = "acc-library-copy"
  from_checkpoint = data.rightsize_checkpoint.library.id
  stop_timeout    = "1s"
}`),
				Check: resource.ComposeAggregateTestCheckFunc(
					resource.TestCheckResourceAttr("data.rightsize_checkpoint.library", "created_at", "2026-07-11T12:00:00Z"),
					resource.TestCheckResourceAttr("data.rightsize_checkpoint.library", "exists", "true"),
					resource.TestCheckResourceAttr("data.rightsize_checkpoint.absent", "exists", "false"),
					resource.TestCheckResourceAttr("data.rightsize_checkpoints.all", "checkpoints.#", "1"),
					func(*terraform.State) error {
						if got := e.docker(t, "exec", name+"-copy", "sh", "-c", "cat /file; echo $A"); got != "from a library\n1" {
							t.Errorf("the copy has %q", got)
						}
						// A library removes what carries its run's label when it ends.
						if got := e.inspect(t, name+"-copy", `{{index .Config.Labels "dev.rightsize.runId"}}`); got != "" {
							t.Errorf("the copy inherited the run label %q", got)
						}
						return nil
					},
				),
			}},
		})
		data, err := os.ReadFile(e.entryPath(name))
		if err != nil || strings.TrimSpace(string(data)) != entry {
			t.Errorf("the library's entry was changed to %s (%v)", data, err)
		}
	})
}
