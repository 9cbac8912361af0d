package fake

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// Create makes a container in StateCreated.
func (b *Backend) Create(ctx context.Context, spec backend.Spec) (_ backend.Container, err error) {
	spec = cloneSpec(spec)
	end, err := b.begin(ctx, Call{Method: Create, Target: spec.Name, Spec: spec})
	if err != nil {
		return backend.Container{}, err
	}
	defer end(&err)

	c, err := b.prepare(spec)
	if err != nil {
		return backend.Container{}, err
	}
	// Outside the lock: it reads files of this host.
	if err := c.files.copyIn(spec.Files); err != nil {
		return backend.Container{}, err
	}

	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.freeName(spec.Name); err != nil {
		return backend.Container{}, err
	}
	b.containers[c.id] = c
	return c.inspect(), nil
}

// prepare makes a container that the engine does not know yet.
func (b *Backend) prepare(spec backend.Spec) (*container, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.freeName(spec.Name); err != nil {
		return nil, err
	}
	for _, binding := range spec.Ports {
		if binding.Host == 0 {
			return nil, &backend.Error{
				Tried: b.tried("create container %s", spec.Name),
				Cause: fmt.Errorf("port %s has no host port, which the caller of a backend chooses", binding.Port),
				Field: backend.FieldPorts,
			}
		}
	}
	joined, err := b.join("create container "+spec.Name, spec.Networks)
	if err != nil {
		return nil, err
	}
	c := &container{
		name:    spec.Name,
		given:   givenOf(spec),
		joined:  joined,
		owner:   spec.Owner,
		ports:   publishedPorts(spec),
		journal: newJournal(),
		state:   backend.StateCreated,
		changed: make(chan struct{}),

		createdAt: time.Now(),
	}
	if spec.From != nil {
		from, ok := b.artifacts[spec.From.ID]
		if !ok {
			return nil, &backend.Error{
				Kind:   backend.ErrNotFound,
				Tried:  b.tried("create container %s from artifact %s", spec.Name, spec.From.ID),
				Remedy: "Capture the checkpoint again.",
			}
		}
		c.config, c.files = from.config.apply(spec), from.files.clone()
		c.imageID, c.artifact, c.layers = from.info.ID, from.info.ID, from.info.Layers
	} else {
		image, err := b.resolveImage(spec)
		if err != nil {
			return nil, err
		}
		c.config, c.files = image.config.apply(spec), image.files.clone()
		c.imageID, c.layers = image.id, 1
	}
	c.id = strings.TrimPrefix(b.digest(spec.Name), "sha256:")
	c.number = b.sequence
	return c, nil
}

// freeName fails if a container has the name. The caller holds b.mu.
func (b *Backend) freeName(name string) error {
	if other, taken := b.find(name); taken {
		return &backend.Error{
			Kind:   backend.ErrNameTaken,
			Tried:  b.tried("create container %s", name),
			Cause:  fmt.Errorf("container %s has the name", other.id[:12]),
			Remedy: "Choose another name, or import the container.",
			Field:  backend.FieldName,
		}
	}
	return nil
}

// Start runs the container's program.
func (b *Backend) Start(ctx context.Context, id string, spec backend.Spec) (err error) {
	end, err := b.begin(ctx, Call{Method: Start, Target: id, Spec: cloneSpec(spec)})
	if err != nil {
		return err
	}
	defer end(&err)

	b.mu.Lock()
	defer b.mu.Unlock()
	c, err := b.need(id, "start")
	if err != nil {
		return err
	}
	return b.start(c)
}

// start runs the container's program unless it runs. The caller holds b.mu.
func (b *Backend) start(c *container) error {
	if c.running() {
		c.state = backend.StateRunning
		c.announce()
		return nil
	}
	if c.removing {
		return &backend.Error{Kind: backend.ErrNotFound, Tried: b.tried("start container %s", c.name)}
	}
	if b.closed {
		return &backend.Error{Kind: backend.ErrUnavailable, Tried: b.tried("start container %s", c.name)}
	}
	if err := b.checkJoined(c); err != nil {
		return err
	}
	program, err := b.programOf(c)
	if err != nil {
		return err
	}
	ports, err := bind(c.ports, &b.processes)
	if err != nil {
		failure := &backend.Error{Tried: b.tried("start container %s", c.name), Cause: err, Field: backend.FieldPorts}
		if errors.Is(err, syscall.EADDRINUSE) {
			failure.Kind = backend.ErrPortTaken
			failure.Remedy = "Choose another host port, or end what uses this one."
		}
		return failure
	}
	c.process = newMainProcess(ports)
	c.state, c.exit, c.startedAt = backend.StateRunning, backend.Exit{}, time.Now()
	c.journal.setLive(true)
	b.run(c, program, c.process)
	c.announce()
	return nil
}

// programOf finds what the container's process is. The caller holds b.mu.
func (b *Backend) programOf(c *container) (Program, error) {
	if c.config.program != nil {
		return c.config.program, nil
	}
	args := slices.Concat(c.config.entrypoint, c.config.command)
	if len(args) == 0 {
		return nil, &backend.Error{
			Tried: b.tried("start container %s", c.name), Cause: errors.New("no command specified"),
			Remedy: "Set a command.", Field: backend.FieldCommand,
		}
	}
	program, ok := b.commands[args[0]]
	if !ok {
		return nil, &backend.Error{
			Tried: b.tried("start container %s", c.name), Cause: fmt.Errorf("executable %q not found", args[0]),
			Remedy: "Correct the command.", Field: backend.FieldCommand,
		}
	}
	return program, nil
}

// Stop asks the process to end and kills it after the grace.
func (b *Backend) Stop(ctx context.Context, id string, grace time.Duration) (err error) {
	end, err := b.begin(ctx, Call{Method: Stop, Target: id, Grace: grace})
	if err != nil {
		return err
	}
	defer end(&err)

	b.mu.Lock()
	c, err := b.need(id, "stop")
	if err != nil {
		b.mu.Unlock()
		return err
	}
	process := c.process
	b.mu.Unlock()
	if process == nil {
		return nil
	}
	return process.stop(ctx, grace)
}

// stop returns when the container is no longer running. Only an interrupted
// one fails, and then the process may still end.
func (m *mainProcess) stop(ctx context.Context, grace time.Duration) error {
	m.ask()
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-m.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		m.end(killed)
	}
	select {
	case <-m.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Remove deletes the container.
func (b *Backend) Remove(ctx context.Context, id string) (err error) {
	end, err := b.begin(ctx, Call{Method: Remove, Target: id})
	if err != nil {
		return err
	}
	defer end(&err)

	b.mu.Lock()
	c, ok := b.find(id)
	if !ok {
		b.mu.Unlock()
		return nil
	}
	c.removing = true
	process := c.process
	b.mu.Unlock()
	if process != nil {
		process.end(killed)
		select {
		case <-process.done:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.containers, c.id)
	return nil
}

// Update records new limits.
func (b *Backend) Update(ctx context.Context, id string, limits backend.Limits) (err error) {
	end, err := b.begin(ctx, Call{Method: Update, Target: id, Limits: limits})
	if err != nil {
		return err
	}
	defer end(&err)

	b.mu.Lock()
	defer b.mu.Unlock()
	c, err := b.need(id, "update")
	if err != nil {
		return err
	}
	c.given.Limits = limits
	return nil
}

// Inspect returns everything about one container.
func (b *Backend) Inspect(ctx context.Context, id string) (_ backend.Container, err error) {
	end, err := b.begin(ctx, Call{Method: Inspect, Target: id})
	if err != nil {
		return backend.Container{}, err
	}
	defer end(&err)

	b.mu.Lock()
	defer b.mu.Unlock()
	c, err := b.need(id, "inspect")
	if err != nil {
		return backend.Container{}, err
	}
	return c.inspect(), nil
}

// List returns every container, the oldest first.
func (b *Backend) List(ctx context.Context) (_ []backend.Summary, err error) {
	end, err := b.begin(ctx, Call{Method: List})
	if err != nil {
		return nil, err
	}
	defer end(&err)

	var summaries []backend.Summary
	for _, c := range b.Containers() {
		if c.State != backend.StateRunning && c.State != backend.StatePaused {
			// Docker, too, lists ports only while they are bound.
			c.Ports = nil
		}
		summaries = append(summaries, c.Summary)
	}
	return summaries, nil
}

// Containers returns every container, the oldest first, without counting as a
// call.
func (b *Backend) Containers() []backend.Container {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := slices.SortedFunc(maps.Values(b.containers), func(x, y *container) int { return cmp.Compare(x.number, y.number) })
	inspected := make([]backend.Container, len(all))
	for i, c := range all {
		inspected[i] = c.inspect()
	}
	return inspected
}
