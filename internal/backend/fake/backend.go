package fake

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"sync"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

var _ backend.Backend = (*Backend)(nil)

// Backend is an engine in memory. Its methods, the knobs for tests included,
// are safe for concurrent use.
type Backend struct {
	name     backend.Name
	commands map[string]Program

	recorder recorder
	faults   faults

	// processes counts the goroutines that run programs or serve ports.
	processes sync.WaitGroup

	mu          sync.Mutex
	engine      backend.Engine
	unavailable bool
	closed      bool
	images      map[string]*storedImage
	containers  map[string]*container
	artifacts   map[string]*artifact
	networks    map[string]*network
	// refs maps each published ref to an artifact's id.
	refs map[string]string
	// sequence numbers everything the engine makes, so that its ids differ
	// from each other and are the same in each run of a test.
	sequence int
}

// New returns an engine that has no containers and no artifacts, and only the
// images that the options give it. Close it when the test ends.
func New(options ...Option) *Backend {
	b := &Backend{
		name:     backend.Docker,
		commands: builtinCommands(),
		engine: backend.Engine{
			ID:           "fake-engine",
			Version:      "1.0.0",
			Address:      "fake://engine",
			Local:        true,
			Capabilities: backend.Capabilities{Checkpoint: true, CheckpointMemory: true, LayerLimit: 125, Networks: true},
		},
		images:     make(map[string]*storedImage),
		containers: make(map[string]*container),
		artifacts:  make(map[string]*artifact),
		networks:   make(map[string]*network),
		refs:       make(map[string]string),
	}
	b.recorder.changed = make(chan struct{})
	for _, option := range options {
		option(b)
	}
	return b
}

// Close kills every process, closes every port and waits until the last
// program has returned. Every later call fails with ErrUnavailable.
func (b *Backend) Close() {
	b.mu.Lock()
	b.closed = true
	for _, c := range b.containers {
		if c.process != nil {
			c.process.end(killed)
		}
	}
	b.mu.Unlock()
	b.faults.releaseAll()
	b.processes.Wait()
}

// Name returns the backend's name. It is not recorded: it contacts no engine.
func (b *Backend) Name() backend.Name { return b.name }

// Engine identifies the engine.
func (b *Backend) Engine(ctx context.Context) (_ backend.Engine, err error) {
	end, err := b.begin(ctx, Call{Method: Engine})
	if err != nil {
		return backend.Engine{}, err
	}
	defer end(&err)

	b.mu.Lock()
	defer b.mu.Unlock()
	return b.engine, nil
}

// SetEngine replaces what Engine returns. Its capabilities govern the engine
// from then on.
func (b *Backend) SetEngine(engine backend.Engine) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.engine = engine
}

// SetAvailable says whether the engine answers. Its containers go on while it
// does not.
func (b *Backend) SetAvailable(available bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.unavailable = !available
}

// tried completes an error's Tried with the place. The caller holds b.mu.
func (b *Backend) tried(format string, args ...any) string {
	return fmt.Sprintf(format, args...) + " on " + b.engine.Address
}

// digest returns a new id in the form of an image's. The caller holds b.mu.
func (b *Backend) digest(of string) string {
	b.sequence++
	sum := sha256.Sum256([]byte(strconv.Itoa(b.sequence) + "\x00" + of))
	return "sha256:" + hex.EncodeToString(sum[:])
}
