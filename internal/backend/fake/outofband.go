package fake

import (
	"errors"
	"fmt"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// The methods below change the engine behind the back of the code under test.
// They are not recorded as calls, and panic if what they change is not there,
// since then the test is wrong.

// StopOutOfBand ends a container's process gracefully, as somebody with a shell
// would.
func (b *Backend) StopOutOfBand(id string) {
	process := b.processOutOfBand(id)
	process.ask()
	<-process.done
}

// ExitOutOfBand makes a container's process end in this way: a crash.
func (b *Backend) ExitOutOfBand(id string, exit backend.Exit) {
	process := b.processOutOfBand(id)
	process.end(exit)
	<-process.done
}

// StartOutOfBand starts a container, or resumes a paused one.
func (b *Backend) StartOutOfBand(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.start(b.mustFind(id)); err != nil {
		panic(fmt.Errorf("fake: %w", err))
	}
}

// PauseOutOfBand makes a running container a paused one.
func (b *Backend) PauseOutOfBand(id string) {
	b.processOutOfBand(id)
	b.mu.Lock()
	defer b.mu.Unlock()
	c := b.mustFind(id)
	c.state = backend.StatePaused
	c.announce()
}

// RemoveOutOfBand deletes a container.
func (b *Backend) RemoveOutOfBand(id string) {
	b.mu.Lock()
	c := b.mustFind(id)
	c.removing = true
	process := c.process
	b.mu.Unlock()
	if process != nil {
		process.end(killed)
		<-process.done
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.containers, c.id)
}

// MarkUncapturable makes every capture of a container fail, as a mount of the
// user's does.
func (b *Backend) MarkUncapturable(id string, paths ...string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.mustFind(id).uncapturable = paths
}

// MarkForeign makes a container one that somebody else created.
func (b *Backend) MarkForeign(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.mustFind(id).foreign = true
}

// Files are the files of a container.
func (b *Backend) Files(id string) *Filesystem {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.mustFind(id).files
}

// DropArtifact deletes the artifact with this ref or id, whoever uses it, as
// somebody who prunes images does.
func (b *Backend) DropArtifact(refOrID string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	id := b.mustFindArtifact(refOrID).info.ID
	b.unpublish(id)
	delete(b.artifacts, id)
}

// RetagArtifact makes ref stand for another artifact, given by ref or id, as a
// second stack or a library does that captures under the same name.
func (b *Backend) RetagArtifact(ref, refOrID string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refs[ref] = b.mustFindArtifact(refOrID).info.ID
}

func (b *Backend) processOutOfBand(id string) *mainProcess {
	b.mu.Lock()
	defer b.mu.Unlock()
	process := b.mustFind(id).process
	if process == nil {
		panic(fmt.Errorf("fake: container %s: %w", id, errNotRunning))
	}
	return process
}

// mustFind returns a container. The caller holds b.mu.
func (b *Backend) mustFind(id string) *container {
	c, ok := b.find(id)
	if !ok {
		panic(fmt.Errorf("fake: container %s: %w", id, errNotThere))
	}
	return c
}

// mustFindArtifact returns an artifact. The caller holds b.mu.
func (b *Backend) mustFindArtifact(refOrID string) *artifact {
	if id, ok := b.refs[refOrID]; ok {
		refOrID = id
	}
	a, ok := b.artifacts[refOrID]
	if !ok {
		panic(fmt.Errorf("fake: artifact %s: %w", refOrID, errNotThere))
	}
	return a
}

var errNotThere = errors.New("the test expects it, but it is not there")
