package docker

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/docker/cli/cli/config"
	"github.com/docker/docker/api/types/versions"
	"github.com/docker/docker/client"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

const (
	// minAPIVersion is that of Docker Engine 20.10, the oldest engine that this
	// package is tested with.
	minAPIVersion = "1.41"

	// connectTimeout bounds the first contact, which over ssh includes a login.
	connectTimeout = 30 * time.Second
)

// connection is an engine that has answered.
type connection struct {
	client   *client.Client
	endpoint endpoint
}

// api returns the client for the engine, and connects at the first call. A
// failed attempt is not remembered: the engine may have come up since.
func (b *Backend) api(ctx context.Context) (*client.Client, error) {
	conn, err := b.connect(ctx)
	if err != nil {
		return nil, err
	}
	return conn.client, nil
}

func (b *Backend) connect(ctx context.Context) (*connection, error) {
	if conn := b.connection.Load(); conn != nil {
		return conn, nil
	}
	return b.connections.do(ctx, "", func(ctx context.Context) (*connection, error) {
		if conn := b.connection.Load(); conn != nil {
			return conn, nil
		}
		ctx, cancel := context.WithTimeoutCause(ctx, connectTimeout,
			fmt.Errorf("no answer within %s", connectTimeout))
		defer cancel()
		conn, err := dial(ctx, b.cfg, b.env)
		if err != nil {
			return nil, err
		}
		b.connection.Store(conn)
		return conn, nil
	})
}

func dial(ctx context.Context, cfg Config, env environment) (*connection, error) {
	ep, err := resolve(cfg, env)
	if err != nil {
		return nil, err
	}
	api, err := newClient(ep, cfg, env)
	if err != nil {
		return nil, unavailable(ep, err)
	}
	if err := greet(ctx, api); err != nil {
		_ = api.Close()
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, unavailable(ep, err)
	}
	return &connection{client: api, endpoint: ep}, nil
}

func newClient(ep endpoint, cfg Config, env environment) (*client.Client, error) {
	options, err := ep.ClientOpts()
	if err != nil {
		return nil, err
	}
	// Headers that the user has configured for a proxy in front of the engine.
	// The file has no part in finding an explicit host, so that one that cannot
	// be read is no reason to fail here.
	if file, err := config.Load(env.configDir()); err == nil && len(file.HTTPHeaders) > 0 {
		options = append(options, client.WithHTTPHeaders(file.HTTPHeaders))
	}
	if cfg.UserAgent != "" {
		options = append(options, client.WithUserAgent(cfg.UserAgent))
	}
	return client.NewClientWithOpts(options...)
}

// greet checks that the engine answers and agrees on a version of the API.
func greet(ctx context.Context, api *client.Client) error {
	ping, err := api.Ping(ctx)
	if err != nil {
		return err
	}
	api.NegotiateAPIVersionPing(ping)
	if version := api.ClientVersion(); versions.LessThan(version, minAPIVersion) {
		return &versionError{version: version}
	}
	return nil
}

// versionError is an engine, or a DOCKER_API_VERSION, that is too old.
type versionError struct{ version string }

func (e *versionError) Error() string {
	return fmt.Sprintf("API version %s is too old: at least %s (Docker Engine 20.10) is needed", e.version, minAPIVersion)
}

func unavailable(ep endpoint, cause error) error {
	tried := fmt.Sprintf("connect to the Docker engine at %s, chosen by %s", ep.address(), ep.chosenBy)
	if len(ep.places) > 0 {
		tried += " (" + strings.Join(ep.places, "; ") + ")"
	}
	return &backend.Error{
		Kind:   backend.ErrUnavailable,
		Tried:  tried,
		Cause:  cause,
		Remedy: reachRemedy(ep, cause),
	}
}

// reachRemedy says what to do about an engine that cannot be used.
func reachRemedy(ep endpoint, cause error) string {
	var tooOld *versionError
	switch {
	case errors.As(cause, &tooOld):
		return "Upgrade the engine, or unset DOCKER_API_VERSION if it is set."
	case errors.Is(cause, fs.ErrPermission):
		return "Let this user use the socket, for example with membership of the docker group, or select an engine of the user's own."
	case ep.scheme() == "ssh":
		return "Check that \"docker system dial-stdio\" works on that host when it is run over ssh without a prompt."
	case ep.local():
		return "Start the engine (\"systemctl start docker\" or Docker Desktop), or select another one with the provider's host, DOCKER_HOST or a Docker context."
	default:
		return "Check that the engine runs there and listens on this address, and that its TLS certificates match those configured."
	}
}
