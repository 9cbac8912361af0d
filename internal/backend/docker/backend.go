package docker

import (
	"context"
	"sync/atomic"

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

	connection  atomic.Pointer[connection]
	engineInfo  atomic.Pointer[system.Info]
	connections shared[*connection]
	infos       shared[*system.Info]
	resolves    shared[image]
	bases       shared[string]
}

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
	info, err := b.info(ctx)
	if err != nil {
		return backend.Engine{}, err
	}
	return backend.Engine{
		ID:      info.ID,
		Version: info.ServerVersion,
		Address: conn.endpoint.address(),
		Local:   conn.endpoint.local(),
		Capabilities: backend.Capabilities{
			HardwareIsolated:           false,
			Checkpoint:                 true,
			CheckpointRestartsWorkload: false,
		},
	}, nil
}

// info returns the engine's description of itself. It is asked for once: what
// is used of it (identity, version, kind of image store) does not change while
// the engine runs.
func (b *Backend) info(ctx context.Context) (*system.Info, error) {
	if info := b.engineInfo.Load(); info != nil {
		return info, nil
	}
	return b.infos.do(ctx, "", func(ctx context.Context) (*system.Info, error) {
		api, err := b.api(ctx)
		if err != nil {
			return nil, err
		}
		info, err := api.Info(ctx)
		if err != nil {
			return nil, b.fail("identify the engine", err)
		}
		b.engineInfo.Store(&info)
		return &info, nil
	})
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
