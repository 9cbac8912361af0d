package microsandbox

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/msb"
)

// loopback is where published ports are reached.
const loopback = "127.0.0.1"

// Config says which msb to run, and where what it does not keep is kept.
type Config struct {
	// Locate finds the msb to run. It is called by the first operation that
	// needs one, and again if it failed.
	Locate func(context.Context) (path string, err error)
	// Home is msb's directory, absolute; empty means the one of the environment,
	// as for msb itself.
	Home string
	// CacheDir is the directory shared with the rightsize libraries.
	CacheDir string
	// LockDir is where locks live that hold across processes.
	LockDir string
	// RecordIntegrity has msb note a digest of a snapshot's disk, which is
	// checked before the snapshot is restored. Both read the whole disk.
	RecordIntegrity bool
}

// Backend runs containers with one msb in one home.
type Backend struct {
	cfg     Config
	home    string
	records records

	mu        sync.Mutex
	client    *msb.Client
	installed msb.Version
}

var _ backend.Backend = (*Backend)(nil)

// New returns the backend without any I/O.
func New(cfg Config) *Backend {
	home := homeOf(cfg.Home)
	// Two ways to write one path must not have two sets of records.
	if home != "" {
		home = filepath.Clean(home)
	}
	b := &Backend{cfg: cfg, home: home}
	b.records = records{dir: filepath.Join(cfg.CacheDir, "microsandbox", digest(home)[:12])}
	return b
}

// homeOf resolves msb's directory as msb does.
func homeOf(configured string) string {
	if configured != "" {
		return configured
	}
	if home := os.Getenv("MSB_HOME"); home != "" {
		if absolute, err := filepath.Abs(home); err == nil {
			return absolute
		}
		return home
	}
	user, err := os.UserHomeDir()
	if err != nil {
		// msb finds it in another way, or says that it cannot.
		return ""
	}
	return filepath.Join(user, ".microsandbox")
}

// Name returns [backend.Microsandbox].
func (b *Backend) Name() backend.Name { return backend.Microsandbox }

// Engine identifies the home: its images and sandboxes are in no other one.
func (b *Backend) Engine(ctx context.Context) (backend.Engine, error) {
	client, err := b.msb(ctx)
	if err != nil {
		return backend.Engine{}, err
	}
	return backend.Engine{
		ID:      digest(machineID() + "\n" + b.home),
		Version: b.installed.String(),
		Address: b.home,
		Local:   true,
		Capabilities: backend.Capabilities{
			HardwareIsolated:           true,
			Checkpoint:                 true,
			CheckpointRestartsWorkload: !client.Features().Live,
			CheckpointMemory:           client.Features().Memory,
			LimitsRestartWorkload:      true,
		},
	}, nil
}

// msb returns the client, finding msb at the first call.
func (b *Backend) msb(ctx context.Context) (*msb.Client, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.client != nil {
		return b.client, nil
	}
	path, err := b.cfg.Locate(ctx)
	if err != nil {
		return nil, err
	}
	client := msb.New(msb.Config{Path: path, Home: b.home})
	version, err := client.Version(ctx)
	if err == nil {
		client, err = client.Speak(version)
	}
	if err != nil {
		failed := b.fail("ask "+path+" for its version", err)
		if failure, ok := errors.AsType[*backend.Error](failed); ok && failure.Kind == nil && ctx.Err() == nil {
			failure.Kind = backend.ErrUnavailable
		}
		return nil, failed
	}
	b.client, b.installed = client, version
	return client, nil
}

// machineID tells this host from others that have the same paths.
func machineID() string {
	for _, file := range []string{"/etc/machine-id", "/var/lib/dbus/machine-id"} {
		if id, err := os.ReadFile(file); err == nil && len(strings.TrimSpace(string(id))) > 0 {
			return strings.TrimSpace(string(id))
		}
	}
	// Without one, as on macOS, its name has to do.
	name, _ := os.Hostname()
	return name
}

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}
