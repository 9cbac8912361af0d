package prune_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/fake"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/selection"
	"github.com/rightsize/terraform-provider-rightsize/internal/checkpoint"
	"github.com/rightsize/terraform-provider-rightsize/internal/fixture"
	"github.com/rightsize/terraform-provider-rightsize/internal/intent"
	"github.com/rightsize/terraform-provider-rightsize/internal/lifetime"
	"github.com/rightsize/terraform-provider-rightsize/internal/prune"
)

// host is a host with a container and a checkpoint that have expired, and the
// environment of its user. Its tests change that environment, and so run alone.
type host struct {
	*fake.Backend
	cacheDir string
	// asked is what the command asked for.
	asked selection.Config
}

func newHost(t *testing.T) *host {
	t.Helper()
	h := &host{Backend: fake.New(fake.WithImage("app:1", fake.Image{Program: fake.Idle})), cacheDir: t.TempDir()}
	t.Cleanup(h.Close)
	t.Setenv(checkpoint.CacheDirEnv, h.cacheDir)
	t.Setenv(selection.EnvBackend, "")
	past := func() time.Time { return time.Now().Add(-25 * time.Hour) }
	fixtures := fixture.New(fixture.Config{
		Open:      func(context.Context) (backend.Backend, error) { return h.Backend, nil },
		Registry:  checkpoint.Open(h.cacheDir),
		Lifetimes: lifetime.Open(h.cacheDir),
		Intents:   intent.Open(filepath.Join(h.cacheDir, "locks")),
		Now:       past,
	})
	def := fixture.Definition{Spec: backend.Spec{Name: "web", Image: "app:1"}, ExpiresAfter: "1ns"}
	c, _, err := fixtures.Start(t.Context(), def, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fixtures.Capture(t.Context(), "orders", fixture.Source{ContainerID: c.ID, ExpiresAfter: "1h"}); err != nil {
		t.Fatal(err)
	}
	h.ResetCalls()
	return h
}

// result is what a run printed, with sizes and ages left out, and its exit code.
type result struct {
	Stdout, Stderr string
	Code           int
}

var changing = regexp.MustCompile(`\d+ (seconds|B)`)

func (h *host) run(ctx context.Context, dryRun bool) result {
	var stdout, stderr bytes.Buffer
	code := prune.Command{
		DryRun: dryRun, UserAgent: "test", Stdout: &stdout, Stderr: &stderr,
		Open: func(_ context.Context, config selection.Config) (backend.Backend, error) {
			h.asked = config
			return h.Backend, nil
		},
	}.Run(ctx)
	return result{changing.ReplaceAllString(stdout.String(), "N $1"), stderr.String(), code}
}

func requireResult(t *testing.T, want, got result) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the run (-want +got):\n%s", diff)
	}
}

func TestRun(t *testing.T) {
	h := newHost(t)
	requireResult(t, result{Stdout: "would remove container web (expired N seconds ago)\n" +
		"would remove checkpoint orders (expired 24 hours ago, N B)\n2 would be removed (N B).\n"}, h.run(t.Context(), true))
	if calls := h.Mutations(); len(calls) > 0 {
		t.Errorf("a dry run changed the engine: %v", calls)
	}
	requireResult(t, result{Stdout: "removed container web (expired N seconds ago)\n" +
		"removed checkpoint orders (expired 24 hours ago, N B)\n2 removed (N B).\n"}, h.run(t.Context(), false))
	if left := len(h.Containers()) + len(h.AllArtifacts()); left > 0 {
		t.Errorf("%d objects are left", left)
	}
	requireResult(t, result{Stdout: "Nothing has expired.\n"}, h.run(t.Context(), false))
}

func TestRunIsConfiguredByTheEnvironment(t *testing.T) {
	h := newHost(t)
	t.Setenv(selection.EnvBackend, "docker")
	h.run(t.Context(), true)
	want := selection.Config{Backend: "docker", CacheDir: h.cacheDir, UserAgent: "test"}
	if diff := cmp.Diff(want, h.asked); diff != "" {
		t.Errorf("asked for (-want +got):\n%s", diff)
	}
	t.Setenv(selection.EnvBackend, "")
	h.run(t.Context(), true)
	if h.asked.Backend != selection.Auto {
		t.Errorf("asked for %q", h.asked.Backend)
	}
}

func TestRunFails(t *testing.T) {
	for name, test := range map[string]struct {
		arrange func(h *host)
		want    result
	}{
		"to remove one": {
			arrange: func(h *host) { h.Fail(fake.Remove, errors.New("device busy"), 1) },
			want: result{Code: prune.ExitFailed, Stdout: "FAILED container web (expired N seconds ago): device busy\n" +
				"removed checkpoint orders (expired 24 hours ago, N B)\n1 removed (N B), 1 failed.\n"},
		},
		"to reach the engine": {
			arrange: func(h *host) {
				h.Fail(fake.List, &backend.Error{Tried: "list containers", Cause: errors.New("connection refused"), Remedy: "Start the engine."}, 1)
			},
			want: result{Code: prune.ExitFailed, Stderr: "Error: list containers: connection refused\nStart the engine.\n"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHost(t)
			test.arrange(h)
			requireResult(t, test.want, h.run(t.Context(), false))
		})
	}
}

func TestRunLeavesWhatIsElsewhere(t *testing.T) {
	h := newHost(t)
	h.SetEngine(backend.Engine{ID: "another", Address: "fake://another"})
	got := h.run(t.Context(), false)
	if got.Code != prune.ExitDone || !strings.Contains(got.Stdout, "left container web") || !strings.HasSuffix(got.Stdout, "0 removed, 2 left.\n") {
		t.Errorf("the run is %+v", got)
	}
}

func TestRunIsInterrupted(t *testing.T) {
	h := newHost(t)
	ctx, cancel := context.WithCancel(t.Context())
	h.Hook(fake.ListArtifacts, func(context.Context, fake.Call) error {
		cancel()
		return nil
	})
	got := h.run(ctx, false)
	if got.Code != prune.ExitInterrupted || !strings.Contains(got.Stdout, "removed container web") || !strings.HasPrefix(got.Stderr, "Interrupted") {
		t.Errorf("the run is %+v", got)
	}
	requireResult(t, result{Stdout: "removed checkpoint orders (expired 24 hours ago, N B)\n1 removed (N B).\n"}, h.run(t.Context(), false))
}

func TestRunTellsOfDamage(t *testing.T) {
	h := newHost(t)
	path := filepath.Join(h.cacheDir, "lifetimes", "container-x.json")
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	got := h.run(t.Context(), false)
	if got.Code != prune.ExitDone || !strings.HasPrefix(got.Stderr, "Warning: left as it is: "+path) {
		t.Errorf("the run is %+v", got)
	}
}
