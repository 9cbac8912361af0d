package selection

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/docker"
)

// Auto asks for the first backend that this host can use.
const Auto = "auto"

// EnvBackend names a backend where the configuration does not. It is shared
// with the rightsize libraries.
const EnvBackend = "RIGHTSIZE_BACKEND"

// Config says which backend to use and how to reach its engine.
type Config struct {
	// Backend is Auto or the name of a backend.
	Backend string
	// CacheDir is the directory shared with the rightsize libraries; locks that
	// hold across processes live below it.
	CacheDir string
	Docker   DockerConfig
	// UserAgent names this program to engines that keep a record of it.
	UserAgent string
}

// DockerConfig is what a user may say about the Docker engine. What is empty is
// resolved as the docker command does.
type DockerConfig struct {
	Host, Context, CertPath string
}

// LockDir is where locks live that hold across processes.
func (c Config) LockDir() string { return filepath.Join(c.CacheDir, "locks") }

// Open returns the backend that config asks for. With Auto it contacts the
// engine, to know that it is there; otherwise the first operation does.
func Open(ctx context.Context, config Config) (backend.Backend, error) {
	switch config.Backend {
	case string(backend.Docker):
		return newDocker(config), nil
	case string(backend.Microsandbox):
		return nil, &backend.Error{
			Kind:   backend.ErrUnsupported,
			Tried:  fmt.Sprintf("use backend %q", backend.Microsandbox),
			Cause:  errNoMicrosandbox,
			Remedy: fmt.Sprintf("Set backend = %q, or %s=%s.", backend.Docker, EnvBackend, backend.Docker),
		}
	case Auto, "":
		return auto(ctx, config)
	default:
		return nil, &backend.Error{
			Kind:   backend.ErrUnsupported,
			Tried:  fmt.Sprintf("use backend %q", config.Backend),
			Cause:  errors.New("there is no backend of that name"),
			Remedy: fmt.Sprintf("Set backend or %s to %q, %q or %q.", EnvBackend, Auto, backend.Docker, backend.Microsandbox),
		}
	}
}

var errNoMicrosandbox = errors.New("it is not available in this build of the provider")

// auto takes microsandbox where the host can run it, else Docker where an
// engine answers, as the rightsize libraries do.
func auto(ctx context.Context, config Config) (backend.Backend, error) {
	b := newDocker(config)
	_, err := b.Engine(ctx)
	if err == nil {
		return b, nil
	}
	if ctx.Err() != nil {
		return nil, err
	}
	failed := &backend.Error{
		Kind:   backend.ErrUnavailable,
		Tried:  "choose a backend",
		Cause:  fmt.Errorf("no backend can be used on this host\n\n%s: %w\n\n%s: %w", backend.Microsandbox, errNoMicrosandbox, backend.Docker, err),
		Remedy: "Start a Docker engine, or say where one is with the provider's docker block or DOCKER_HOST.",
	}
	var cause *backend.Error
	if errors.As(err, &cause) && cause.Remedy != "" {
		failed.Remedy = cause.Remedy
	}
	return nil, failed
}

func newDocker(config Config) *docker.Backend {
	return docker.New(docker.Config{
		Host:      config.Docker.Host,
		Context:   config.Docker.Context,
		CertPath:  config.Docker.CertPath,
		LockDir:   config.LockDir(),
		UserAgent: config.UserAgent,
	})
}

// CheckDockerContext fails if name is not a context of the docker command. The
// empty name is fine. It reads the command's configuration and contacts no
// engine.
func CheckDockerContext(name string) error {
	return docker.CheckContext(name)
}
