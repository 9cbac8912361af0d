package selection

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/docker"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/preflight"
)

// Selection opens the backend that its configuration asks for. It is safe for
// concurrent use.
type Selection struct {
	config Config

	// What a test puts in the place of this host and its engines.
	host            func() preflight.Host
	newDocker       func(docker.Config) backend.Backend
	newMicrosandbox func(microsandbox.Config) backend.Backend

	mu sync.Mutex
	// vms is kept although it may have failed: it remembers why, and what it
	// looked for in vain is not looked for again.
	vms backend.Backend
}

// New returns a Selection without any I/O.
func New(config Config) *Selection {
	return &Selection{
		config:          config,
		host:            preflight.ThisHost,
		newDocker:       func(c docker.Config) backend.Backend { return docker.New(c) },
		newMicrosandbox: func(c microsandbox.Config) backend.Backend { return microsandbox.New(c) },
	}
}

// Open returns the backend. Docker by name is not contacted, that is left to the
// first operation; of all else it is known afterwards that it is there.
func (s *Selection) Open(ctx context.Context) (backend.Backend, error) {
	switch s.config.Backend {
	case string(backend.Docker):
		return s.docker(), nil
	case string(backend.Microsandbox):
		b, err := s.microsandbox(ctx)
		if err != nil {
			return nil, unusable(ctx, fmt.Sprintf("use backend %q on this host", backend.Microsandbox), err)
		}
		return b, nil
	case Auto, "":
		return s.auto(ctx)
	default:
		return nil, &backend.Error{
			Kind:   backend.ErrUnsupported,
			Tried:  fmt.Sprintf("use backend %q", s.config.Backend),
			Cause:  errors.New("there is no backend of that name"),
			Remedy: fmt.Sprintf("Set backend or %s to %q, %q or %q.", EnvBackend, Auto, backend.Docker, backend.Microsandbox),
		}
	}
}

// auto takes microsandbox where the host can run it, else Docker where an
// engine answers, as the rightsize libraries do.
func (s *Selection) auto(ctx context.Context) (backend.Backend, error) {
	vms, noVMs := s.answering(ctx)
	if noVMs == nil {
		return vms, nil
	}
	if ctx.Err() != nil {
		return nil, noVMs
	}
	// Whoever names an msb wants it to be used, and would not know that it is
	// not.
	if unmet, ok := errors.AsType[*preflight.Unmet](noVMs); ok && unmet.Named {
		return nil, unusable(ctx, "choose a backend", noVMs)
	}
	s.log(ctx, "microsandbox cannot be used", "reason", noVMs.Error())

	engine := s.docker()
	_, noDocker := engine.Engine(ctx)
	if noDocker == nil {
		return engine, nil
	}
	if ctx.Err() != nil {
		return nil, noDocker
	}
	failed := &backend.Error{
		Kind:   backend.ErrUnavailable,
		Tried:  "choose a backend",
		Cause:  fmt.Errorf("no backend can be used on this host\n\n%s: %w\n\n%s: %w", backend.Microsandbox, noVMs, backend.Docker, noDocker),
		Remedy: "Start a Docker engine, or say where one is with the provider's docker block or DOCKER_HOST.",
	}
	if cause, ok := errors.AsType[*backend.Error](noDocker); ok && cause.Remedy != "" {
		failed.Remedy = cause.Remedy
	}
	return nil, failed
}

// answering returns microsandbox if its home can be read as well. An msb that
// starts may be older than the one that wrote its home.
func (s *Selection) answering(ctx context.Context) (backend.Backend, error) {
	b, err := s.microsandbox(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := b.List(ctx); err != nil {
		return nil, err
	}
	return b, nil
}

// unusable is the error of a backend whose preconditions are not met.
func unusable(ctx context.Context, tried string, err error) error {
	if ctx.Err() != nil {
		return err
	}
	if known, ok := errors.AsType[*backend.Error](err); ok && known != nil {
		return err
	}
	failed := &backend.Error{Kind: backend.ErrUnavailable, Tried: tried, Cause: err}
	if unmet, ok := errors.AsType[*preflight.Unmet](err); ok {
		failed.Remedy = unmet.Remedy
	}
	return failed
}

func (s *Selection) log(ctx context.Context, message string, keysAndValues ...any) {
	if s.config.Log != nil {
		s.config.Log(ctx, message, keysAndValues...)
	}
}
