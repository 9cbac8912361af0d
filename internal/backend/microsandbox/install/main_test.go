package install_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/install"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/preflight"
)

// roleEnv makes the test binary another process that looks for msb, given the
// cache directory and the base URL.
const roleEnv = "INSTALL_TEST_FIND"

// release is one whose checksum the provider does not know.
const release = "0.6.17"

func TestMain(m *testing.M) {
	// Whatever this machine has of msb is not what is tested.
	for _, name := range []string{install.PathEnv, install.SkipDownloadEnv, install.DownloadURLEnv, install.HomeEnv} {
		_ = os.Unsetenv(name)
	}
	_ = os.Setenv("PATH", os.DevNull)
	if os.Getenv(roleEnv) == "" {
		os.Exit(m.Run())
	}
	found, err := install.NewFinder(config(os.Args[1], os.Args[2])).Find(context.Background())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Print(found)
}

// config asks for the release of a mirror.
func config(cacheDir, baseURL string) install.Config {
	return install.Config{
		Home:     cacheDir + "/home",
		Version:  release,
		CacheDir: cacheDir,
		LockDir:  cacheDir + "/locks",
		Download: install.Download{BaseURL: baseURL},
		CLibrary: func() preflight.GNUC { return preflight.GNUC{Major: 2, Minor: 39} },
	}
}

// finding returns a process that looks for msb.
func finding(t *testing.T, cacheDir, baseURL string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, cacheDir, baseURL)
	cmd.Env = append(os.Environ(), roleEnv+"=1")
	return cmd
}
