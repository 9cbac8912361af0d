package install

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/msb"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/preflight"
)

// answerLimit is how long a program may take to say who it is. It takes
// milliseconds; what takes this long is no msb.
const answerLimit = 30 * time.Second

// ready returns why the host is not ready for the msb at path; nil if it is. It
// sees what a look at the host cannot: the kernel that msb boots, and whether a
// hypervisor without a flag of its own works.
func (f *Finder) ready(ctx context.Context, path string) *preflight.Unmet {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	err := f.config.Client(path).Doctor(ctx)
	if err == nil {
		return nil
	}
	return &preflight.Unmet{
		Precondition: preflight.Setup,
		Missing:      fmt.Sprintf("%s finds that this host cannot run microVMs: %v", path, err),
		Remedy:       fmt.Sprintf("Run %q and do what it says.", path+" doctor") + ` Or run containers with Docker: backend = "docker".`,
		Cause:        err,
	}
}

// check returns why the msb at path cannot be used; nil if it can.
func (f *Finder) check(ctx context.Context, path string) *preflight.Unmet {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	found, err := f.version(ctx, path)
	if err != nil {
		return &preflight.Unmet{
			Precondition: preflight.Program,
			Missing:      fmt.Sprintf("%s does not tell its version: %v", path, err),
			Remedy:       startRemedy(err),
			Cause:        err,
		}
	}
	err = CheckVersion(found)
	if err == nil && f.config.Version != "" && found.String() != f.config.Version {
		err = fmt.Errorf("msb %s is not the release that microsandbox.version asks for, %s", found, f.config.Version)
	}
	if err != nil {
		return &preflight.Unmet{
			Precondition: preflight.Version,
			Missing:      fmt.Sprintf("%s cannot be used: %v", path, err),
			Remedy:       fmt.Sprintf("Install msb %s beside it and name it with the provider's microsandbox.path or %s.", f.wanted(), PathEnv),
			Cause:        err,
		}
	}
	return f.fits(ctx, path, found)
}

func (f *Finder) version(ctx context.Context, path string) (msb.Version, error) {
	client := f.config.Client(path)
	for delay := time.Millisecond; ; delay *= 2 {
		version, err := client.Version(ctx)
		// Between fork and exec, a process that is started by another goroutine
		// holds the file open that was written a moment ago.
		if !errors.Is(err, syscall.ETXTBSY) || delay > time.Second {
			return version, err
		}
		select {
		case <-ctx.Done():
			return version, ctx.Err()
		case <-time.After(delay):
		}
	}
}

// startRemedy is what to do about a program that does not start.
func startRemedy(err error) string {
	text := err.Error()
	switch {
	case strings.Contains(text, "libcap-ng"):
		return "Install the library libcap-ng (Debian and Ubuntu: apt-get install libcap-ng0; Fedora: dnf install libcap-ng)."
	case strings.Contains(text, "GLIBC_"):
		return fmt.Sprintf("This build of msb is for a newer C library. Use msb %s of the vendor's releases, which needs 2.28.", DefaultVersion)
	default:
		return "Check that it is an msb that was built for this host."
	}
}
