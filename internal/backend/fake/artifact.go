package fake

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// artifact is the files of a container and what it was made with.
type artifact struct {
	// info has no ref: the refs are in the [Backend].
	info   backend.Artifact
	name   string
	number int
	config config
	files  *Filesystem
}

// Capture keeps the files of a container. With the capability
// CheckpointRestartsWorkload it also stops a running one for it.
func (b *Backend) Capture(ctx context.Context, id string, opts backend.CaptureOptions) (_ backend.Artifact, err error) {
	progress := opts.Progress
	opts.Progress = nil
	end, err := b.begin(ctx, Call{Method: Capture, Target: id, Capture: opts})
	if err != nil {
		return backend.Artifact{}, err
	}
	defer end(&err)

	c, stopped, err := b.capturable(id, opts)
	if err != nil {
		return backend.Artifact{}, err
	}
	if progress != nil {
		progress("copy the files of container " + c.name)
	}
	if stopped != nil {
		stopped.end(killed)
		select {
		case <-stopped.done:
		case <-ctx.Done():
			return backend.Artifact{}, ctx.Err()
		}
	}

	b.mu.Lock()
	defer b.mu.Unlock()
	if stopped != nil && !opts.Discard && !c.removing {
		if err := b.start(c); err != nil {
			return backend.Artifact{}, err
		}
	}
	return b.keep(c, opts), nil
}

// capturable returns a container that can be captured and, if the capture ends
// its process, that process.
func (b *Backend) capturable(id string, opts backend.CaptureOptions) (*container, *mainProcess, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	c, err := b.need(id, "capture")
	if err != nil {
		return nil, nil, err
	}
	if !b.engine.Capabilities.Checkpoint {
		return nil, nil, &backend.Error{
			Kind: backend.ErrUnsupported, Tried: b.tried("capture container %s", c.name), Remedy: "Use a backend with checkpoints.",
		}
	}
	if opts.Memory && !b.engine.Capabilities.CheckpointMemory {
		return nil, nil, &backend.Error{
			Kind: backend.ErrUnsupported, Tried: b.tried("capture the memory of container %s", c.name), Remedy: "Use a backend that holds memory.",
		}
	}
	if opts.Memory && c.process == nil {
		return nil, nil, &backend.Error{
			Tried: b.tried("capture the memory of container %s", c.name), Cause: errors.New("it is not running"), Remedy: "Start it first.",
		}
	}
	uncapturable := c.uncapturable
	if c.given.TmpfsRootMB > 0 {
		uncapturable = append([]string{"/"}, uncapturable...)
	}
	if len(uncapturable) > 0 {
		return nil, nil, &backend.Error{
			Kind:   backend.ErrUncapturable,
			Tried:  b.tried("capture container %s", c.name),
			Cause:  fmt.Errorf("%w: %s", backend.ErrUncapturable, strings.Join(uncapturable, ", ")),
			Remedy: "Keep the data in a directory of the container's own.",
		}
	}
	if b.engine.Capabilities.CheckpointRestartsWorkload {
		return c, c.process, nil
	}
	return c, nil, nil
}

// What a container has of its own, and how long a capture of that takes.
const (
	defaultMemoryMB = 512
	memoryPause     = 1500 * time.Millisecond
)

// keep makes the artifact. The caller holds b.mu. A copy of one with memory begins
// its process anew all the same: a [Program] cannot be captured.
func (b *Backend) keep(c *container, opts backend.CaptureOptions) backend.Artifact {
	files := c.files.clone()
	layers := c.layers + 1
	switch {
	case b.engine.Capabilities.LayerLimit == 0:
		layers = 0
	case opts.Flatten:
		layers = 1
	}
	id := b.digest(files.fingerprint())
	a := &artifact{
		info: backend.Artifact{
			ID: id, SizeBytes: files.size(), CreatedAt: time.Now().UTC().Truncate(time.Microsecond), Layers: layers,
		},
		name:   opts.Name,
		number: b.sequence,
		config: c.config,
		files:  files,
	}
	if opts.Memory {
		a.info.Memory = &backend.Memory{MemoryMB: cmp.Or(c.given.Limits.MemoryMB, defaultMemoryMB), CPUs: cmp.Or(c.given.Limits.CPUs, 1), Engine: b.engine.Version}
		a.info.Pause = memoryPause
	}
	b.artifacts[id] = a
	return a.info
}

// Publish makes the name's ref stand for the artifact.
func (b *Backend) Publish(ctx context.Context, name string, published backend.Artifact) (_ string, err error) {
	end, err := b.begin(ctx, Call{Method: Publish, Target: name, ArtifactID: published.ID})
	if err != nil {
		return "", err
	}
	defer end(&err)

	b.mu.Lock()
	defer b.mu.Unlock()
	a, ok := b.artifacts[published.ID]
	if !ok {
		return "", &backend.Error{Kind: backend.ErrNotFound, Tried: b.tried("publish artifact %s as %s", published.ID, name)}
	}
	ref := "rightsize/checkpoint:" + name
	b.refs[ref] = a.info.ID
	return ref, nil
}

// RemoveArtifact deletes the artifact, or leaves it without a ref as long as
// containers use it.
func (b *Backend) RemoveArtifact(ctx context.Context, id string) (err error) {
	end, err := b.begin(ctx, Call{Method: RemoveArtifact, Target: id})
	if err != nil {
		return err
	}
	defer end(&err)

	b.mu.Lock()
	defer b.mu.Unlock()
	b.unpublish(id)
	if !b.used(id) {
		delete(b.artifacts, id)
	}
	return nil
}

// unpublish deletes every ref of an artifact. The caller holds b.mu.
func (b *Backend) unpublish(id string) {
	maps.DeleteFunc(b.refs, func(_, target string) bool { return target == id })
}

// refsOf returns the refs that stand for an artifact. The caller holds b.mu.
func (b *Backend) refsOf(id string) []string {
	var refs []string
	for _, ref := range slices.Sorted(maps.Keys(b.refs)) {
		if b.refs[ref] == id {
			refs = append(refs, ref)
		}
	}
	return refs
}

// used says whether a container was made from the artifact. The caller holds
// b.mu.
func (b *Backend) used(id string) bool {
	for _, c := range b.containers {
		if c.artifact == id {
			return true
		}
	}
	return false
}

// Collect deletes the unused artifacts of a name that no ref stands for.
func (b *Backend) Collect(ctx context.Context, name, keep string) (err error) {
	end, err := b.begin(ctx, Call{Method: Collect, Target: name, ArtifactID: keep})
	if err != nil {
		return err
	}
	defer end(&err)

	b.mu.Lock()
	defer b.mu.Unlock()
	maps.DeleteFunc(b.artifacts, func(id string, a *artifact) bool {
		return a.name == name && id != keep && len(b.refsOf(id)) == 0 && !b.used(id)
	})
	return nil
}

// Artifact returns what a ref stands for.
func (b *Backend) Artifact(ctx context.Context, ref string) (_ backend.Artifact, err error) {
	end, err := b.begin(ctx, Call{Method: Artifact, Target: ref})
	if err != nil {
		return backend.Artifact{}, err
	}
	defer end(&err)

	b.mu.Lock()
	defer b.mu.Unlock()
	a, ok := b.artifacts[b.refs[ref]]
	if !ok {
		return backend.Artifact{}, &backend.Error{
			Kind: backend.ErrNotFound, Tried: b.tried("find artifact %s", ref), Remedy: "Capture the checkpoint again.",
		}
	}
	info := a.info
	info.Ref = ref
	return info, nil
}

// ListArtifacts returns every published artifact, the oldest first, without its
// layers, as Docker does.
func (b *Backend) ListArtifacts(ctx context.Context) (_ []backend.Artifact, err error) {
	end, err := b.begin(ctx, Call{Method: ListArtifacts})
	if err != nil {
		return nil, err
	}
	defer end(&err)
	published := slices.DeleteFunc(b.AllArtifacts(), func(a backend.Artifact) bool { return a.Ref == "" })
	for i := range published {
		published[i].Layers = 0
	}
	return published, nil
}

// AllArtifacts returns every artifact, the oldest first, those without a ref
// included, without counting as a call. One with several refs is there once for
// each.
func (b *Backend) AllArtifacts() []backend.Artifact {
	return b.artifactsWhere(func(*artifact) bool { return true })
}

// ArtifactsOf is [Backend.AllArtifacts] for those captured under one name.
func (b *Backend) ArtifactsOf(name string) []backend.Artifact {
	return b.artifactsWhere(func(a *artifact) bool { return a.name == name })
}

func (b *Backend) artifactsWhere(match func(*artifact) bool) []backend.Artifact {
	b.mu.Lock()
	defer b.mu.Unlock()
	var infos []backend.Artifact
	for _, a := range slices.SortedFunc(maps.Values(b.artifacts), func(x, y *artifact) int { return cmp.Compare(x.number, y.number) }) {
		if !match(a) {
			continue
		}
		refs := b.refsOf(a.info.ID)
		if len(refs) == 0 {
			refs = []string{""}
		}
		for _, ref := range refs {
			info := a.info
			info.Ref = ref
			infos = append(infos, info)
		}
	}
	return infos
}
