package docker

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/docker/docker/api/types"
	"github.com/docker/docker/api/types/system"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// Config says which engine to use. All of it is optional: the zero value means
// the engine that the docker command line would use.
type Config struct {
	// Host is the engine's address, as in DOCKER_HOST. It excludes Context.
	Host string
	// Context is the name of a Docker context.
	Context string
	// CertPath is the directory that holds ca.pem, cert.pem and key.pem. It
	// applies to a host, not to a context, which has certificates of its own.
	CertPath string
	// LockDir is where locks live that hold across processes.
	LockDir string
	// UserAgent is sent with every request.
	UserAgent string
}

// Backend runs containers on one Docker engine.
type Backend struct {
	cfg Config
	env environment

	connection   atomic.Pointer[connection]
	description  atomic.Pointer[description]
	connections  shared[*connection]
	descriptions shared[*description]
	resolves     shared[image]
	bases        shared[string]
}

var _ backend.Backend = (*Backend)(nil)

// New returns the backend for the engine that cfg selects. It does no I/O: the
// engine is contacted by the first operation that needs it.
func New(cfg Config) *Backend {
	return &Backend{cfg: cfg, env: processEnvironment()}
}

// Name returns [backend.Docker].
func (b *Backend) Name() backend.Name { return backend.Docker }

// Engine identifies the engine.
func (b *Backend) Engine(ctx context.Context) (backend.Engine, error) {
	conn, err := b.connect(ctx)
	if err != nil {
		return backend.Engine{}, err
	}
	engine, err := b.describe(ctx)
	if err != nil {
		return backend.Engine{}, err
	}
	return backend.Engine{
		ID:      engine.id,
		Version: engine.version,
		Address: conn.endpoint.address(),
		Local:   conn.endpoint.local(),
		Capabilities: backend.Capabilities{
			HardwareIsolated:           false,
			Checkpoint:                 true,
			CheckpointRestartsWorkload: false,
			LayerLimit:                 maxLayers,
			Networks:                   true,
		},
	}, nil
}

// podmanComponent is the name of Podman among the components of a version.
const podmanComponent = "Podman Engine"

// description is what the engine says about itself, as far as it does not
// change while the engine runs.
type description struct {
	id      string
	version string
	// containerdStore says that images are kept in containerd's content store
	// rather than in that of a graph driver.
	containerdStore bool
}

// describe asks the engine to describe itself, once.
func (b *Backend) describe(ctx context.Context) (*description, error) {
	if known := b.description.Load(); known != nil {
		return known, nil
	}
	return b.descriptions.do(ctx, "", func(ctx context.Context) (*description, error) {
		const tried = "identify the engine"
		api, err := b.api(ctx)
		if err != nil {
			return nil, err
		}
		info, err := again(ctx, func() (system.Info, error) { return api.Info(ctx) })
		if err != nil {
			return nil, b.fail(tried, err)
		}
		version, err := again(ctx, func() (types.Version, error) { return api.ServerVersion(ctx) })
		if err != nil {
			return nil, b.fail(tried, err)
		}
		known := newDescription(info, version)
		b.description.Store(&known)
		return &known, nil
	})
}

func newDescription(info system.Info, version types.Version) description {
	id := info.ID
	isPodman := slices.ContainsFunc(version.Components, func(c types.ComponentVersion) bool {
		return c.Name == podmanComponent
	})
	if isPodman {
		// Podman answers every request with another random id. Where its
		// storage lives tells one from another, and survives restarts.
		id = info.Name + ":" + info.DockerRootDir
	}
	return description{
		id:              id,
		version:         info.ServerVersion,
		containerdStore: slices.Contains(info.DriverStatus, [2]string{"driver-type", "io.containerd.snapshotter.v1"}),
	}
}

// host returns the host name or address at which published ports are reached.
func (b *Backend) host(ctx context.Context) (string, error) {
	conn, err := b.connect(ctx)
	if err != nil {
		return "", err
	}
	return conn.endpoint.publishedOn(), nil
}

// bindAddress returns the address of the engine's host to publish ports on: the
// loopback address if that is this host, and every address (empty) otherwise,
// since a loopback port of another host is out of reach.
func (b *Backend) bindAddress(ctx context.Context) (string, error) {
	conn, err := b.connect(ctx)
	if err != nil {
		return "", err
	}
	if conn.endpoint.local() {
		return loopback, nil
	}
	return "", nil
}
