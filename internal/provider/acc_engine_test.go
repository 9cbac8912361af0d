package provider_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/rightsize/terraform-provider-rightsize/internal/provider"
)

// The images of the acceptance tests, made by test/images/build.
const (
	busyboxImage  = "rightsize-test/busybox:1"
	healthyImage  = "rightsize-test/healthy:1"
	postgresImage = "rightsize-test/postgres:15"
)

// accEngine is a real engine together with a cache directory of its own.
type accEngine struct {
	host     string
	cacheDir string
}

// onEachEngine runs a test on the machine's engine, and on one with the
// containerd image store where the tier provides it. Images are kept in
// different ways there, and that is where captures go wrong.
func onEachEngine(t *testing.T, test func(t *testing.T, e accEngine)) {
	t.Helper()
	if os.Getenv("TF_ACC") == "" || os.Getenv("RIGHTSIZE_TEST_ENGINE") != "docker" {
		t.Skip("acceptance tests run with TF_ACC=1 and RIGHTSIZE_TEST_ENGINE=docker, as `make testacc` sets them")
	}
	hosts := map[string]string{"default": ""}
	if host := os.Getenv("RIGHTSIZE_TEST_CONTAINERD_HOST"); host != "" {
		hosts["containerd"] = host
	}
	for name, host := range hosts {
		t.Run(name, func(t *testing.T) {
			test(t, accEngine{host: host, cacheDir: filepath.Join(t.TempDir(), "cache")})
		})
	}
}

// onDefaultEngine runs a test on the machine's engine only.
func onDefaultEngine(t *testing.T, test func(t *testing.T, e accEngine)) {
	t.Helper()
	onEachEngine(t, func(t *testing.T, e accEngine) {
		if e.host == "" {
			test(t, e)
		}
	})
}

// config returns a configuration that uses the engine.
func (e accEngine) config(body string) string {
	docker := ""
	if e.host != "" {
		docker = `docker = { host = "` + e.host + `" }`
	}
	return `
provider "rightsize" {
  backend   = "docker"
  cache_dir = "` + e.cacheDir + `"
  ` + docker + `
}
` + body
}

// docker runs the docker command against the engine, as a user beside Terraform
// would, and returns what it prints.
func (e accEngine) docker(t *testing.T, args ...string) string {
	t.Helper()
	out, err := e.tryDocker(t, args...)
	if err != nil {
		t.Fatalf("docker %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

func (e accEngine) tryDocker(t *testing.T, args ...string) (string, error) {
	t.Helper()
	if e.host != "" {
		args = append([]string{"-H", e.host}, args...)
	}
	var output bytes.Buffer
	// Clean-up runs when the test's own context has ended.
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), "docker", args...)
	cmd.Stdout, cmd.Stderr = &output, &output
	err := cmd.Run()
	return strings.TrimSpace(output.String()), err
}

// inspect returns one value of a container by a Go template of docker inspect.
func (e accEngine) inspect(t *testing.T, container, template string) string {
	t.Helper()
	return e.docker(t, "container", "inspect", "--format", template, container)
}

// entryPath is where the registry keeps a checkpoint's entry.
func (e accEngine) entryPath(name string) string {
	return filepath.Join(e.cacheDir, "checkpoints", name+".json")
}

// nothingLeft checks, after destroy, that nothing is left of what Terraform
// made: no container, no network, no checkpoint, no entry, no temporary file or lock.
func (e accEngine) nothingLeft(t *testing.T, prefix string) func(*terraform.State) error {
	return func(*terraform.State) error {
		t.Helper()
		if left := e.docker(t, "ps", "-aq", "--filter", "name="+prefix); left != "" {
			t.Errorf("containers are left: %s", left)
		}
		if left := e.docker(t, "network", "ls", "-q", "--filter", "name="+prefix); left != "" {
			t.Errorf("networks are left: %s", left)
		}
		if left := e.docker(t, "images", "-q", "--filter", "reference=rightsize/checkpoint:"+prefix+"*"); left != "" {
			t.Errorf("checkpoints are left: %s", left)
		}
		if left := e.docker(t, "images", "-q", "--filter", "label=dev.rightsize.checkpoint="+prefix); left != "" {
			t.Errorf("artifacts are left: %s", left)
		}
		for _, dir := range []string{"checkpoints", "locks", "lifetimes"} {
			entries, err := os.ReadDir(filepath.Join(e.cacheDir, dir))
			if err != nil && !os.IsNotExist(err) {
				return err
			}
			for _, entry := range entries {
				t.Errorf("%s/%s is left in the cache directory", dir, entry.Name())
			}
		}
		return nil
	}
}

var accProviders = map[string]func() (tfprotov6.ProviderServer, error){
	"rightsize": providerserver.NewProtocol6WithError(provider.New("test")()),
}
