package microsandbox_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/backendtest"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox"
)

const (
	busyboxImage = "rightsize-test/busybox:1"
	redisImage   = "rightsize-test/redis:7"
)

// TestContract tests the msb that is on the PATH, on a host that boots microVMs.
func TestContract(t *testing.T) {
	if engine := os.Getenv("RIGHTSIZE_TEST_ENGINE"); engine != "microsandbox" {
		t.Skipf("RIGHTSIZE_TEST_ENGINE is %q, not microsandbox", engine)
	}
	msb, err := exec.LookPath("msb")
	if err != nil {
		t.Fatal(err)
	}
	cacheDir := t.TempDir()
	backendtest.Run(t, backendtest.Harness{
		Open: func(*testing.T) backend.Backend {
			return microsandbox.New(microsandbox.Config{
				Locate:   func(context.Context) (string, error) { return msb, nil },
				CacheDir: cacheDir,
				LockDir:  filepath.Join(cacheDir, "locks"),
			})
		},
		Images: backendtest.Images{
			Base:       busyboxImage,
			Volume:     redisImage,
			VolumePath: "/data",
			// The registry is refused at once: nothing listens on port 1.
			Missing: "127.0.0.1:1/rightsize-test/missing:1",
		},
		Commands: backendtest.Shell{},
		Counter:  backendtest.Shell{}.Counter,
		MakeUncapturable: func(t *testing.T, name string) {
			args := []string{"create", "--pull", "never", "--root-disk", "tmpfs:64M", "--name=" + name, busyboxImage}
			if exec.CommandContext(t.Context(), msb, args...).Run() != nil {
				// As for the driver, one boot that hangs is not the end.
				run(t, msb, "remove", "--force", name)
				run(t, msb, args...)
			}
		},
		Leftovers: func(t *testing.T, prefix string) []string { return leftovers(t, msb, cacheDir, prefix) },
		// A boot takes seconds under emulation, and there is one at a time for
		// each processor.
		Deadline:     8 * time.Minute,
		Many:         3,
		MemoryUnitMB: 32,
	})
}

func run(t *testing.T, msb string, args ...string) string {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), msb, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("msb %q: %v\n%s", args, err, output)
	}
	return string(output)
}

func leftovers(t *testing.T, msb, cacheDir, prefix string) []string {
	t.Helper()
	var left []string
	for name := range strings.Lines(run(t, msb, "ls", "-q")) {
		if strings.HasPrefix(name, prefix) {
			left = append(left, "sandbox "+strings.TrimSpace(name))
		}
	}
	for _, pattern := range []string{
		"checkpoints/*rz-ckpt-" + prefix + "*",
		"microsandbox/*/" + prefix + "*",
	} {
		files, err := filepath.Glob(filepath.Join(cacheDir, filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		left = append(left, files...)
	}
	return left
}
