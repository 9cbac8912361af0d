package install

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/preflight"
)

// releasesPage is where a person gets msb.
const releasesPage = "https://github.com/superradcompany/microsandbox/releases"

// wanted is the release to install.
func (f *Finder) wanted() string {
	if f.config.Version != "" {
		return f.config.Version
	}
	return DefaultVersion
}

// provisioner returns what installs the wanted release here.
func (f *Finder) provisioner() (provisioner, *preflight.Unmet) {
	version, err := ParseVersion(f.wanted())
	if err != nil {
		return provisioner{}, &preflight.Unmet{
			Precondition: preflight.Version,
			Missing:      fmt.Sprintf("microsandbox.version asks for what the provider cannot drive: %v", err),
			Remedy:       fmt.Sprintf("Set it to %s, or leave it out.", DefaultVersion),
			Cause:        err,
		}
	}
	platform, known := platforms[runtime.GOOS+"/"+runtime.GOARCH]
	if !known {
		return provisioner{}, &preflight.Unmet{
			Precondition: preflight.Platform,
			Missing:      fmt.Sprintf("msb %s is not released for %s/%s", version, runtime.GOOS, runtime.GOARCH),
			Remedy:       `Use backend = "docker" on this host.`,
		}
	}
	return provisioner{
		release:  release{version: version, platform: platform},
		dir:      filepath.Join(f.config.CacheDir, "msb", version.String(), platform),
		lockFile: filepath.Join(f.config.LockDir, "msb-"+version.String()+"-"+platform),
		sha256:   f.config.Download.SHA256,
		fetch:    newFetcher(f.config.Download.StallTimeout),
	}, nil
}

// download provisions the wanted release, if that is allowed and of use.
func (f *Finder) download(ctx context.Context, p provisioner) *preflight.Unmet {
	byHand := fmt.Sprintf("Install msb %s (%s) and put it on the PATH or name it with the provider's microsandbox.path or %s.", p.release.version, releasesPage, PathEnv)
	if off := f.downloadsOff(); off != "" {
		return &preflight.Unmet{
			Precondition: preflight.Download,
			Missing:      "none may be downloaded: " + off,
			Remedy:       byHand + " Or allow the download.",
		}
	}
	if runtime.GOOS == "linux" {
		if unmet := preflight.CheckCLibrary(f.config.CLibrary(), cLibraryOf(p.release.version), p.release.version.String()); unmet != nil {
			return unmet
		}
	}
	base, source := f.baseURL()
	parsed, err := ParseBaseURL(base)
	if err != nil {
		return &preflight.Unmet{
			Precondition: preflight.Download,
			Missing:      fmt.Sprintf("%s names no place to download from: %v", source, err),
			Remedy:       "Set it to an https URL below which the vendor's releases are kept.",
			Cause:        err,
		}
	}
	p.release.base = parsed
	f.config.Log(ctx, "downloading msb", "url", p.release.archiveURL().Redacted(), "to", p.dir)
	if err := p.install(ctx); err != nil {
		return &preflight.Unmet{
			Precondition: preflight.Download,
			Missing:      fmt.Sprintf("msb %s could not be installed in %s: %v", p.release.version, p.dir, err),
			Remedy:       downloadRemedy(err) + " " + byHand,
			Cause:        err,
		}
	}
	return nil
}

// downloadsOff says who forbade downloads; empty if nobody did.
func (f *Finder) downloadsOff() string {
	switch skip := os.Getenv(SkipDownloadEnv); {
	case f.config.Download.Disabled:
		return "the provider's microsandbox.download.enabled is false"
	case strings.EqualFold(skip, "true") || skip == "1":
		return SkipDownloadEnv + " is " + skip
	default:
		return ""
	}
}

func (f *Finder) baseURL() (base, source string) {
	if f.config.Download.BaseURL != "" {
		return f.config.Download.BaseURL, "the provider's microsandbox.download.base_url"
	}
	if base := os.Getenv(DownloadURLEnv); base != "" {
		return base, DownloadURLEnv
	}
	return DefaultBaseURL, "the provider"
}

func downloadRemedy(err error) string {
	if _, ok := errors.AsType[*checksumError](err); ok {
		return "Do not use that archive: ask whoever serves it, or set microsandbox.download.sha256 if it is one of your own."
	}
	if status, ok := errors.AsType[*statusError](err); ok && status.code == http.StatusNotFound {
		return "Check microsandbox.download.base_url and microsandbox.version: below the base URL, releases lie as in the vendor's."
	}
	return "Check that this host reaches the server, and HTTPS_PROXY if it needs a proxy; microsandbox.download.base_url names a mirror."
}
