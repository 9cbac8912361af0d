package install

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/msb"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/preflight"
)

// The environment variables that are shared with the rightsize libraries.
const (
	// PathEnv names the msb to run.
	PathEnv = "MSB_PATH"
	// SkipDownloadEnv, set to true, forbids downloads.
	SkipDownloadEnv = "RIGHTSIZE_MSB_SKIP_DOWNLOAD"
)

// DownloadURLEnv is the base URL of a mirror, for all configurations that name
// none.
const DownloadURLEnv = "RIGHTSIZE_MSB_DOWNLOAD_URL"

// Config says where msb may come from.
type Config struct {
	// Path is the msb to run, as configured; empty leaves it to MSB_PATH and to
	// what is found.
	Path string
	// Home is the directory of msb's state.
	Home string
	// Version is the one release that will do; empty means any that is
	// supported, and DefaultVersion for a download.
	Version string
	// Download says how to get an msb where there is none.
	Download Download
	// CacheDir is where a downloaded msb goes.
	CacheDir string
	// LockDir is where locks live that hold across processes.
	LockDir string
	// Client runs the msb at a path; nil runs the program.
	Client func(path string) Client
	// CLibrary tells the host's C library; nil looks for it.
	CLibrary func() preflight.GNUC
	// Log receives one line for each step worth knowing, with key-value pairs;
	// it may be nil.
	Log func(ctx context.Context, message string, keysAndValues ...any)
}

// Download says whether and from where msb may be downloaded.
type Download struct {
	// Disabled forbids it, as RIGHTSIZE_MSB_SKIP_DOWNLOAD does.
	Disabled bool
	// BaseURL is a mirror; empty means RIGHTSIZE_MSB_DOWNLOAD_URL, else the
	// vendor's.
	BaseURL string
	// SHA256 is the digest of the archive for this platform, for an archive that
	// is not the vendor's.
	SHA256 string
	// StallTimeout is how long a server may send nothing; zero means 30 s.
	StallTimeout time.Duration
}

// Client is what is asked of an msb before it is used.
type Client interface {
	Version(context.Context) (msb.Version, error)
	Doctor(context.Context) error
}

// Finder finds the msb to run, once. It is safe for concurrent use.
type Finder struct {
	config Config
	// turn is held by the one that searches; a mutex could not be given up when
	// a caller's context ends.
	turn  chan struct{}
	done  bool
	found string
	err   error
}

// NewFinder returns a Finder without any I/O.
func NewFinder(config Config) *Finder {
	if config.Client == nil {
		config.Client = func(path string) Client { return msb.New(msb.Config{Path: path, Home: config.Home}) }
	}
	if config.CLibrary == nil {
		config.CLibrary = preflight.HostCLibrary
	}
	if config.Log == nil {
		config.Log = func(context.Context, string, ...any) {}
	}
	if config.Download.StallTimeout == 0 {
		config.Download.StallTimeout = 30 * time.Second
	}
	return &Finder{config: config, turn: make(chan struct{}, 1)}
}

// Find returns the path of an msb that starts, is of a supported release, and
// says that the host is ready for it. A failure is a [*preflight.Unmet]. What
// was found, or not, holds for the life of the Finder: fifty resources do not
// wait fifty times for a server that is not there.
func (f *Finder) Find(ctx context.Context) (string, error) {
	select {
	case f.turn <- struct{}{}:
	case <-ctx.Done():
		return "", ctx.Err()
	}
	defer func() { <-f.turn }()
	if f.done {
		return f.found, f.err
	}
	found, err := f.find(ctx)
	if err != nil && ctx.Err() != nil {
		// The interruption is what failed, and says nothing of the host.
		return "", err
	}
	f.done, f.found, f.err = true, found, err
	return found, err
}

func (f *Finder) find(ctx context.Context) (string, error) {
	path, err := f.choose(ctx)
	if err != nil {
		return "", err
	}
	if unmet := f.ready(ctx, path); unmet != nil {
		return "", unmet
	}
	f.config.Log(ctx, "found msb", "path", path)
	return path, nil
}

// choose goes through the places in their order.
func (f *Finder) choose(ctx context.Context) (string, error) {
	if f.config.Path != "" {
		return f.given(ctx, f.config.Path, "the provider's microsandbox.path")
	}
	if path := os.Getenv(PathEnv); path != "" {
		return f.given(ctx, path, PathEnv)
	}
	provisioner, unavailable := f.provisioner()
	// What was passed over, and why: the reader of the error wonders.
	var passed []string
	if unavailable == nil && provisioner.installed() {
		err := f.check(ctx, provisioner.binary())
		if err == nil {
			return provisioner.binary(), nil
		}
		unavailable = err
		unavailable.Remedy += fmt.Sprintf(" If the file is damaged, delete %s to have it downloaded again.", provisioner.dir)
	}
	if path, err := exec.LookPath(binaryName); err == nil {
		err := f.check(ctx, path)
		if err == nil {
			return path, nil
		}
		passed = append(passed, err.Error())
	} else {
		passed = append(passed, "there is no msb on the PATH")
	}
	if unavailable == nil {
		unavailable = f.download(ctx, provisioner)
	}
	if unavailable == nil {
		err := f.check(ctx, provisioner.binary())
		if err == nil {
			return provisioner.binary(), nil
		}
		unavailable = err
	}
	return "", &preflight.Unmet{
		Precondition: unavailable.Precondition,
		Missing:      strings.Join(append(passed, unavailable.Missing), "; "),
		Remedy:       unavailable.Remedy,
		Cause:        unavailable,
	}
}

// given returns an msb that the user named, which must work.
func (f *Finder) given(ctx context.Context, path, source string) (string, error) {
	expanded, err := expand(path)
	if err == nil {
		expanded, err = filepath.Abs(expanded)
	}
	if err != nil {
		return "", &preflight.Unmet{
			Precondition: preflight.Program,
			Missing:      fmt.Sprintf("%s names %q: %v", source, path, err),
			Remedy:       fmt.Sprintf("Set %s to the absolute path of an msb.", source),
			Named:        true,
			Cause:        err,
		}
	}
	if unmet := f.check(ctx, expanded); unmet != nil {
		return "", &preflight.Unmet{
			Precondition: unmet.Precondition,
			Missing:      fmt.Sprintf("%s names an msb that cannot be used: %s", source, unmet.Missing),
			Remedy:       unmet.Remedy + fmt.Sprintf(" Or set %s to another msb, or remove it to have one found.", source),
			Named:        true,
			Cause:        unmet,
		}
	}
	return expanded, nil
}
