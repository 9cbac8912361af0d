package selection

import (
	"cmp"
	"context"
	"os"
	"path/filepath"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/install"
)

// Auto asks for the first backend that this host can use.
const Auto = "auto"

// EnvBackend names a backend where the configuration does not. It is shared
// with the rightsize libraries.
const EnvBackend = "RIGHTSIZE_BACKEND"

// Choice is the backend that is asked for: the configured one, else what
// RIGHTSIZE_BACKEND says, else Auto.
func Choice(configured string) string { return cmp.Or(configured, os.Getenv(EnvBackend), Auto) }

// Config says which backend to use and how to reach its engine.
type Config struct {
	// Backend is Auto or the name of a backend.
	Backend string
	// CacheDir is the directory shared with the rightsize libraries; locks that
	// hold across processes live below it.
	CacheDir     string
	Docker       DockerConfig
	Microsandbox MicrosandboxConfig
	// UserAgent names this program to engines that keep a record of it.
	UserAgent string
	// Log receives one line for each step worth knowing, with key-value pairs;
	// it may be nil.
	Log func(ctx context.Context, message string, keysAndValues ...any)
}

// DockerConfig is what a user may say about the Docker engine. What is empty is
// resolved as the docker command does.
type DockerConfig struct {
	Host, Context, CertPath string
}

// MicrosandboxConfig is what a user may say about microVMs. What is empty is
// resolved from the environment, and then as package install says.
type MicrosandboxConfig struct {
	// Path is the msb to run, Home the directory of its state.
	Path, Home string
	// Version is the one release of msb that will do.
	Version string
	// NoDownload forbids to download msb; DownloadURL is a mirror to download
	// it from, and DownloadSHA256 what the archive must be.
	NoDownload                  bool
	DownloadURL, DownloadSHA256 string
	// RecordIntegrity has snapshots carry a digest that is checked when they are
	// restored.
	RecordIntegrity bool
}

// LockDir is where locks live that hold across processes.
func (c Config) LockDir() string { return filepath.Join(c.CacheDir, "locks") }

// CheckMsbHome fails for a directory that msb cannot keep its state in. It looks
// at the path only.
func CheckMsbHome(home string) error {
	_, err := install.CheckHome(home)
	return err
}

// CheckMsbVersion fails for a release that the provider cannot drive.
func CheckMsbVersion(version string) error {
	_, err := install.ParseVersion(version)
	return err
}

// CheckMsbDownloadURL fails for what is not the base URL of a mirror.
func CheckMsbDownloadURL(url string) error {
	_, err := install.ParseBaseURL(url)
	return err
}

// CheckMsbDigest fails for what is not a SHA-256.
func CheckMsbDigest(digest string) error { return install.CheckDigest(digest) }
