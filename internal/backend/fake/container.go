package fake

import (
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// container is one container. Its fields are guarded by the mutex of its
// [Backend], except what guards itself.
type container struct {
	id, name string
	// number orders containers by creation.
	number  int
	given   backend.Given
	ports   []backend.PortBinding
	config  config
	imageID string
	// owner is the token of the operation that made it.
	owner string
	// joined are the networks that it is on, in order.
	joined []joined
	// artifact is the id of the one it was restored from, if any.
	artifact string
	// layers is how many layers lie below its files.
	layers int
	files  *Filesystem
	// journal guards itself, and is locked after the Backend's mutex.
	journal *journal
	// foreign says that somebody else is said to have created it.
	foreign bool
	// uncapturable are the paths that no capture can hold.
	uncapturable []string

	createdAt time.Time
	state     backend.State
	exit      backend.Exit
	startedAt time.Time
	endedAt   time.Time
	healthy   bool
	// process is nil unless the container is running or paused.
	process *mainProcess
	// removing says that it is about to go, so that nothing starts it again.
	removing bool
	// changed is closed, and replaced, whenever one of these changes.
	changed chan struct{}
}

// announce wakes those who wait for the container. The caller holds b.mu.
func (c *container) announce() {
	close(c.changed)
	c.changed = make(chan struct{})
}

func (c *container) running() bool { return c.process != nil }

func (c *container) summary() backend.Summary {
	return backend.Summary{
		ID: c.id, Name: c.name, State: c.state, Ports: slices.Clone(c.ports), Host: host, Networks: c.networkNames(), Managed: !c.foreign, Owner: c.owner,
	}
}

func (c *container) inspect() backend.Container {
	given := cloneGiven(c.given)
	given.Networks = c.attachments()
	return backend.Container{
		Summary:   c.summary(),
		CreatedAt: c.createdAt,
		Exit:      c.exit,
		StartedAt: c.startedAt,
		EndedAt:   c.endedAt,
		ImageID:   c.imageID,
		Given:     given,
	}
}

// publishedPorts are a spec's ports as an engine tells them: in order, and
// without saying who chose them.
func publishedPorts(spec backend.Spec) []backend.PortBinding {
	ports := slices.Clone(spec.Ports)
	for i := range ports {
		ports[i].Fixed = false
	}
	slices.SortFunc(ports, func(x, y backend.PortBinding) int { return x.Compare(y.Port) })
	return ports
}

// newProcess returns a process of the container that still lacks its streams.
func (c *container) newProcess(args []string) *Process {
	return &Process{
		Container:  c.name,
		Args:       args,
		Env:        maps.Clone(c.config.env),
		WorkingDir: c.config.workingDir,
		User:       c.config.user,
		Files:      c.files,
		Ports:      slices.Clone(c.ports),
	}
}

// find returns a container by id or name. The caller holds b.mu.
func (b *Backend) find(id string) (*container, bool) {
	if c, ok := b.containers[id]; ok {
		return c, true
	}
	for _, c := range b.containers {
		if c.name == id {
			return c, true
		}
	}
	return nil, false
}

// need returns a container, or an error that says what it was needed for. The
// caller holds b.mu.
func (b *Backend) need(id, purpose string) (*container, error) {
	c, ok := b.find(id)
	if !ok {
		return nil, &backend.Error{Kind: backend.ErrNotFound, Tried: b.tried("%s container %s", purpose, id)}
	}
	return c, nil
}

var errNotRunning = errors.New("the container is not running")

// givenOf is what a spec asked for.
func givenOf(spec backend.Spec) backend.Given {
	given := spec.Given()
	if spec.From != nil {
		given.Image = spec.From.Ref
	}
	return cloneGiven(given)
}

func cloneGiven(given backend.Given) backend.Given {
	given.Env = maps.Clone(given.Env)
	given.Command = slices.Clone(given.Command)
	given.Entrypoint = slices.Clone(given.Entrypoint)
	given.Labels = maps.Clone(given.Labels)
	given.ExposedPorts = slices.Clone(given.ExposedPorts)
	return given
}

func cloneSpec(spec backend.Spec) backend.Spec {
	spec.Env = maps.Clone(spec.Env)
	spec.Command = slices.Clone(spec.Command)
	spec.Entrypoint = slices.Clone(spec.Entrypoint)
	spec.Labels = maps.Clone(spec.Labels)
	spec.Ports = slices.Clone(spec.Ports)
	spec.Files = slices.Clone(spec.Files)
	spec.Networks = backend.SortedAttachments(spec.Networks)
	if spec.From != nil {
		from := *spec.From
		spec.From = &from
	}
	return spec
}
