package faults

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// busyboxImage is made by test/images/build.
const busyboxImage = "rightsize-test/busybox:1"

var (
	// terraformPath is Terraform or OpenTofu.
	terraformPath string
	// workDir is a directory for the whole run, gone at its end.
	workDir string
	// cliConfig makes Terraform take the provider that TestMain has built.
	cliConfig string
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	if os.Getenv("RIGHTSIZE_TEST_ENGINE") == "" {
		return m.Run() // every test skips
	}
	var err error
	if workDir, err = os.MkdirTemp("", "rightsize-faults-"); err != nil {
		log.Print(err)
		return 1
	}
	defer func() { _ = os.RemoveAll(workDir) }()
	// Some runs are of a user without rights.
	if err = os.Chmod(workDir, 0o711); err != nil {
		log.Print(err)
		return 1
	}
	if terraformPath, err = exec.LookPath(cmp.Or(os.Getenv("TF_ACC_TERRAFORM_PATH"), "terraform")); err != nil {
		log.Print(err)
		return 1
	}
	if cliConfig, err = buildProvider("plain"); err != nil {
		log.Print(err)
		return 1
	}
	code := m.Run()
	printFigures(os.Stdout)
	return code
}

// buildProvider builds the provider, with tags if any are given, and returns
// the path of a CLI configuration that makes Terraform use it. A machine without
// Go is given the builds: RIGHTSIZE_TEST_PROVIDERS has a directory for each
// variant.
func buildProvider(variant string, tags ...string) (string, error) {
	config := filepath.Join(workDir, variant+".tfrc")
	dir := filepath.Join(os.Getenv("RIGHTSIZE_TEST_PROVIDERS"), variant)
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(workDir, variant)
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
		defer cancel()
		build := exec.CommandContext(ctx, "go", "build", "-tags", strings.Join(tags, ","),
			"-o", filepath.Join(dir, "terraform-provider-rightsize"), "github.com/rightsize/terraform-provider-rightsize")
		if out, err := build.CombinedOutput(); err != nil {
			return "", fmt.Errorf("build the provider: %w\n%s", err, out)
		}
	}
	text := fmt.Sprintf("provider_installation {\n  dev_overrides {\n    \"rightsize/rightsize\" = %q\n  }\n  direct {}\n}\n", dir)
	return config, os.WriteFile(config, []byte(text), 0o644)
}

// reduced says that only a sample of the cases is run.
func reduced() bool { return os.Getenv("RIGHTSIZE_TEST_FAULTS") == "reduced" }

// engine is a real engine.
type engine struct {
	name string
	// host is its address, always set.
	host string
}

func defaultEngine() engine {
	return engine{name: "default", host: cmp.Or(os.Getenv("DOCKER_HOST"), "unix:///var/run/docker.sock")}
}

// onEachEngine runs a test on the machine's engine, and on one with the
// containerd image store where the tier provides it.
func onEachEngine(t *testing.T, test func(t *testing.T, e engine)) {
	t.Helper()
	requireEngine(t)
	engines := []engine{defaultEngine()}
	if host := os.Getenv("RIGHTSIZE_TEST_CONTAINERD_HOST"); host != "" {
		engines = append(engines, engine{name: "containerd", host: host})
	}
	for _, e := range engines {
		t.Run(e.name, func(t *testing.T) { test(t, e) })
	}
}

func requireEngine(t *testing.T) {
	t.Helper()
	if os.Getenv("RIGHTSIZE_TEST_ENGINE") == "" {
		t.Skip("these tests run with RIGHTSIZE_TEST_ENGINE=docker, as `make test-faults` sets it")
	}
}

// docker runs the docker command against the engine, as a user beside Terraform
// would, and returns what it prints.
func (e engine) docker(t *testing.T, args ...string) string {
	t.Helper()
	out, err := e.tryDocker(args...)
	if err != nil {
		t.Fatalf("docker %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

func (e engine) tryDocker(args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "docker", append([]string{"-H", e.host}, args...)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, stderr.String())
	}
	return strings.TrimSpace(stdout.String()), err
}

// lines runs the docker command and returns the lines it prints.
func (e engine) lines(t *testing.T, args ...string) []string {
	t.Helper()
	return strings.Fields(e.docker(t, args...))
}

// uniqueName returns a name that nothing else on the engine begins with.
func uniqueName() string { return "ft-" + strings.ToLower(rand.Text()[:10]) }

// stack is a Terraform configuration with its state.
type stack struct {
	t *testing.T
	// kind is the backend that it uses.
	kind   kind
	engine engine
	// host is where the provider finds the engine; a proxy may be there.
	host string
	// name begins the names of everything that the stack makes.
	name string
	// image declares a volume, and is used by this stack and its siblings only.
	image    string
	cacheDir string
	dir      string
	cli      string
	env      []string
}

// newStack returns a stack with an image, names and a cache directory of its
// own. Whatever a test that fails leaves behind is removed at its end.
func newStack(t *testing.T, e engine) *stack {
	t.Helper()
	s := &stack{
		t: t, kind: onDocker{}, engine: e, host: e.host,
		name: uniqueName(), cli: cliConfig,
		cacheDir: filepath.Join(t.TempDir(), "cache"),
		dir:      t.TempDir(),
	}
	s.image = "rightsize-faults/" + s.name + ":1"
	t.Cleanup(func() { s.kind.sweep(s) })
	s.makeImage()
	return s
}

// workload is what the stacks' containers run.
const workload = "trap 'exit 0' TERM; echo up; sleep 600 & wait"

// makeImage makes an image that declares a volume. What the volume holds tells
// whose it is.
func (s *stack) makeImage() {
	s.t.Helper()
	e := s.engine
	id := e.docker(s.t, "create", "--name", s.name+"-image", busyboxImage, "true")
	defer e.docker(s.t, "rm", id)
	marker := filepath.Join(s.t.TempDir(), s.name)
	if err := os.MkdirAll(marker, 0o755); err != nil {
		s.t.Fatal(err)
	}
	e.docker(s.t, "cp", marker, id+":/srv/")
	e.docker(s.t, "commit", "--change", "VOLUME /srv", "--change", `CMD ["sh","-c","`+workload+`"]`, id, s.image)
}

// sibling is another stack, with a state of its own, that uses the same names,
// image, cache directory and engine.
func (s *stack) sibling() *stack {
	other := *s
	other.dir = s.t.TempDir()
	return &other
}

// in returns the stack for use in a subtest.
func (s *stack) in(t *testing.T) *stack {
	within := *s
	within.t = t
	return &within
}

// write sets the configuration.
func (s *stack) write(body string) {
	s.t.Helper()
	text := fmt.Sprintf(`terraform {
  required_providers {
    rightsize = { source = "rightsize/rightsize" }
  }
}

provider "rightsize" {
  cache_dir = %q
  %s
}
`, s.cacheDir, s.kind.provider(s)) + body
	if err := os.WriteFile(filepath.Join(s.dir, "main.tf"), []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// result is how a run of Terraform ended.
type result struct {
	// output is what it printed on both streams.
	output string
	code   int
}

// command prepares a run of Terraform in the stack's directory.
func (s *stack) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, terraformPath, append([]string{"-chdir=" + s.dir}, args...)...)
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "TF_") && !strings.HasPrefix(kv, "DOCKER_") {
			cmd.Env = append(cmd.Env, kv)
		}
	}
	cmd.Env = append(cmd.Env, "TF_CLI_CONFIG_FILE="+s.cli, "TF_IN_AUTOMATION=1", "CHECKPOINT_DISABLE=1")
	cmd.Env = append(cmd.Env, s.env...)
	return cmd
}

// try runs Terraform and returns how it ended.
func (s *stack) try(args ...string) result {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), s.kind.limit())
	defer cancel()
	out, err := s.command(ctx, args...).CombinedOutput()
	r := result{output: string(out)}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		s.t.Fatalf("terraform %s hangs:\n%s", args[0], out)
	case errors.As(err, &exit):
		r.code = exit.ExitCode()
	case err != nil:
		s.t.Fatal(err)
	}
	return r
}

func (s *stack) apply(args ...string) result {
	s.t.Helper()
	return s.try(append([]string{"apply", "-auto-approve", "-no-color", "-input=false"}, args...)...)
}

func (s *stack) destroy(args ...string) result {
	s.t.Helper()
	return s.try(append([]string{"destroy", "-auto-approve", "-no-color", "-input=false"}, args...)...)
}

// plan ends with code 0 if there is nothing to do, and 2 if there is.
func (s *stack) plan(args ...string) result {
	s.t.Helper()
	return s.try(append([]string{"plan", "-detailed-exitcode", "-no-color", "-input=false"}, args...)...)
}

// mustApply applies, and plans again: a second plan has nothing to do.
func (s *stack) mustApply() {
	s.t.Helper()
	if r := s.apply(); r.code != 0 {
		s.t.Fatalf("apply failed:\n%s", r.output)
	}
	s.mustPlanNothing()
}

func (s *stack) mustPlanNothing() {
	s.t.Helper()
	if r := s.plan(); r.code != 0 {
		s.t.Fatalf("the plan is not empty:\n%s", r.output)
	}
}

func (s *stack) mustDestroy() {
	s.t.Helper()
	if r := s.destroy(); r.code != 0 {
		s.t.Fatalf("destroy failed:\n%s", r.output)
	}
}

// statePath is the file of the stack's state.
func (s *stack) statePath() string { return filepath.Join(s.dir, "terraform.tfstate") }

// output returns the value of an output, as text.
func (s *stack) output(name string) string {
	s.t.Helper()
	r := s.try("output", "-raw", "-no-color", name)
	if r.code != 0 {
		s.t.Fatalf("output %s: %s", name, r.output)
	}
	return r.output
}

// entryPath is where the registry keeps a checkpoint's entry.
func (s *stack) entryPath(name string) string {
	return filepath.Join(s.cacheDir, "checkpoints", name+".json")
}

// registered returns the ref that the registry has for the stack's checkpoint;
// empty if there is none.
func (s *stack) registered(t *testing.T) string {
	t.Helper()
	return s.registeredAs(t, s.name)
}

func (s *stack) registeredAs(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(s.entryPath(name))
	if errors.Is(err, os.ErrNotExist) {
		return ""
	}
	var entry struct{ Ref string }
	if err == nil {
		err = json.Unmarshal(data, &entry)
	}
	if err != nil {
		t.Error(err)
	}
	return entry.Ref
}

// restored starts a container from what the registry says, as any library would,
// and returns what it holds. A checkpoint that cannot be restored is lost.
func (s *stack) restored(t *testing.T) string {
	t.Helper()
	return s.restoredAs(t, s.name)
}

func (s *stack) restoredAs(t *testing.T, name string) string {
	t.Helper()
	ref := s.registeredAs(t, name)
	data, err := s.engine.tryDocker("run", "--rm", "--pull", "never", "--entrypoint", "cat", ref, "/srv/data")
	if ref == "" || err != nil {
		checkpointsLost.Add(1)
		t.Fatalf("the checkpoint %s is lost: %q cannot be restored: %v", name, ref, err)
	}
	return data
}
