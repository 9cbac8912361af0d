package provider_test

import (
	"context"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/fake"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/selection"
	"github.com/rightsize/terraform-provider-rightsize/internal/checkpoint"
	"github.com/rightsize/terraform-provider-rightsize/internal/lifetime"
	"github.com/rightsize/terraform-provider-rightsize/internal/provider"
)

// TestMain lets garbage lie for longer. The framework makes a lot of it, of
// which the tests keep nothing: collecting it was a fifth of what they cost.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}

// harness is an engine in memory and a registry of checkpoints, both of which
// outlive the provider servers that work on them: Terraform starts a new one for
// each of its commands.
type harness struct {
	*fake.Backend

	cacheDir string
	registry *checkpoint.Registry
	// lifetimes is what is recorded, and now the clock by which they end.
	lifetimes *lifetime.Registry
	now       func() time.Time
}

func newHarness(t *testing.T, options ...fake.Option) *harness {
	t.Helper()
	options = append([]fake.Option{
		// What an image runs is a word of its command, so that a test that
		// changes the command sees the change.
		fake.WithImage("app:1", fake.Image{Command: []string{"serve", "/srv"}, Env: map[string]string{"OF_IMAGE": "1"}}),
		fake.WithImage("app:2", fake.Image{Command: []string{"serve", "/srv"}}),
		fake.WithImage("job:1", fake.Image{Program: fake.Job(backend.Exit{}, "done")}),
		fake.WithImage("broken:1", fake.Image{Program: fake.Job(backend.Exit{Code: 3}, "cannot find my data")}),
		fake.WithImage("greedy:1", fake.Image{Program: fake.Crash("allocating")}),
	}, options...)
	h := &harness{Backend: fake.New(options...), cacheDir: t.TempDir(), now: time.Now}
	h.registry = checkpoint.Open(h.cacheDir)
	h.lifetimes = lifetime.Open(h.cacheDir)
	t.Cleanup(h.Close)
	return h
}

// server returns a new provider server on the harness.
func (h *harness) server() (tfprotov6.ProviderServer, error) {
	return h.serverOf(h.Backend)
}

// serverOf returns a new provider server on the harness whose active backend is
// another one.
func (h *harness) serverOf(active backend.Backend) (tfprotov6.ProviderServer, error) {
	open := func(context.Context, selection.Config) (backend.Backend, error) { return active, nil }
	return providerserver.NewProtocol6WithError(provider.NewWithClock(open, func() time.Time { return h.now() }))()
}

// factories hands the provider to a test that runs Terraform.
func (h *harness) factories() map[string]func() (tfprotov6.ProviderServer, error) {
	return map[string]func() (tfprotov6.ProviderServer, error){"rightsize": h.server}
}

// config completes a configuration with the provider block of the harness.
func (h *harness) config(hcl string) string {
	return fmt.Sprintf("provider \"rightsize\" {\n  cache_dir = %q\n}\n", h.cacheDir) + hcl
}

// uniqueName returns a container's name that no other test has. The name decides
// which host port is tried first, and tests run in parallel.
func uniqueName(t *testing.T) string {
	t.Helper()
	return fmt.Sprintf("web-%08x", crc32.ChecksumIEEE([]byte(t.Name())))
}

// container returns the container of that name as the engine has it.
func (h *harness) container(t *testing.T, name string) backend.Container {
	t.Helper()
	for _, c := range h.Containers() {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("the engine has no container %s", name)
	return backend.Container{}
}

// running starts a container that the provider knows nothing of.
func (h *harness) running(t *testing.T, spec backend.Spec) backend.Container {
	t.Helper()
	c, err := h.Create(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Start(t.Context(), c.ID, spec); err != nil {
		t.Fatal(err)
	}
	return h.container(t, spec.Name)
}

// network makes a network that the provider's state does not know of.
func (h *harness) network(t *testing.T, name string) backend.Network {
	t.Helper()
	n, err := h.CreateNetwork(t.Context(), backend.NetworkSpec{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// registered puts a checkpoint into the engine and the registry, as another
// stack or a rightsize library does.
func (h *harness) registered(t *testing.T, name string, spec backend.Spec) backend.Artifact {
	t.Helper()
	ctx := t.Context()
	spec.Name = "made-by-somebody-else"
	c, err := h.Create(ctx, spec)
	if err != nil {
		t.Fatal(err)
	}
	artifact, err := h.Capture(ctx, c.ID, backend.CaptureOptions{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	ref, err := h.Publish(ctx, name, artifact)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Remove(ctx, c.ID); err != nil {
		t.Fatal(err)
	}
	entry := checkpoint.Entry{
		Name: name, Ref: ref, Backend: string(backend.Docker), CreatedAt: time.Date(2026, 7, 11, 12, 0, 0, 0, time.UTC),
		Spec: checkpoint.Spec{Env: spec.Env, Command: spec.Command},
	}
	for _, binding := range spec.Ports {
		entry.Spec.ExposedPorts = append(entry.Spec.ExposedPorts, int(binding.Number))
	}
	h.put(t, entry)
	artifact.Ref = ref
	return artifact
}

func (h *harness) put(t *testing.T, entry checkpoint.Entry) {
	t.Helper()
	if err := h.registry.Put(entry); err != nil {
		t.Fatal(err)
	}
}

// entryPath is the file of a checkpoint's entry.
func (h *harness) entryPath(name string) string {
	return filepath.Join(h.registry.Dir(), name+".json")
}

// snapshot is everything that reading and planning must leave as it is: the
// calls that change the engine, and the bytes of the cache directory.
type snapshot struct {
	Mutations int
	Files     map[string]string
}

func (h *harness) snapshot(t *testing.T) snapshot {
	t.Helper()
	s := snapshot{Mutations: len(h.Mutations()), Files: make(map[string]string)}
	err := filepath.WalkDir(h.cacheDir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		s.Files[path] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func writeFile(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
