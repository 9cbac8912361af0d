package microsandbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/msb"
)

// Start runs the container's workload. The record knows what that is; of spec,
// the files are needed if those that were put in place are gone.
func (b *Backend) Start(ctx context.Context, id string, spec backend.Spec) error {
	rec, err := b.managed(ctx, "start container "+id, id)
	if err != nil {
		return err
	}
	unlock, err := b.lock(ctx, rec.Name)
	if err != nil {
		return err
	}
	defer unlock()
	return b.start(ctx, rec.Name, spec.Files)
}

// start is Start for whoever holds the lock.
func (b *Backend) start(ctx context.Context, name string, files []backend.File) error {
	tried := "start container " + name
	// Again, since only now nobody else changes it.
	rec, err := b.managed(ctx, tried, name)
	if err != nil {
		return err
	}
	details, err := b.details(ctx, tried, rec)
	if err != nil {
		return err
	}
	return b.startFrom(ctx, rec, details.Status, files)
}

// startFrom is start for whoever knows the state of the VM.
func (b *Backend) startFrom(ctx context.Context, rec *record, status msb.Status, files []backend.File) error {
	if status == msb.Running && rec.alive() {
		return nil
	}
	if status == msb.Paused && rec.alive() {
		client, err := b.msb(ctx)
		if err != nil {
			return err
		}
		return b.fail("let container "+rec.Name+" go on", client.Resume(ctx, rec.Name))
	}
	if rec.Resumes != nil {
		return b.beginResumed(ctx, rec, status)
	}
	if status != msb.Running || rec.Run != nil {
		if err := b.reboot(ctx, rec, status); err != nil {
			return err
		}
		// A root in memory begins as the image again.
		if rec.Given.TmpfsRootMB > 0 {
			if err := b.furnish(ctx, rec, files); err != nil {
				return err
			}
		}
	}
	return b.begin(ctx, rec)
}

// resumeTimeout bounds the way back after what a container was stopped for. A
// boot takes a second or two, or a minute where a processor is emulated.
const resumeTimeout = 3 * time.Minute

// restart brings a container back whose stop has failed or was given up: its
// workload may have been asked to end by then, and be about to. It does so
// although ctx may be cancelled: that is no reason to leave somebody's database
// stopped.
func (b *Backend) restart(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), resumeTimeout)
	defer cancel()
	if err := b.stop(ctx, name, backend.DefaultStopTimeout); err != nil {
		return err
	}
	return b.start(ctx, name, nil)
}

// reboot brings the VM up afresh: what an earlier run has left running there
// would be in the way of the next one.
func (b *Backend) reboot(ctx context.Context, rec *record, status msb.Status) error {
	tried := "start container " + rec.Name
	client, err := b.msb(ctx)
	if err != nil {
		return err
	}
	if status != msb.Stopped && status != msb.Crashed && status != msb.Created {
		if err := client.Stop(ctx, rec.Name, vmGrace); err != nil {
			return b.fail(tried, err)
		}
	}
	if err := checkPorts(ctx, tried, rec.Ports); err != nil {
		return err
	}
	since := time.Now()
	if err := client.Start(ctx, rec.Name); err != nil {
		return b.fail(tried, err)
	}
	if err := b.checkPublished(ctx, rec, since); err != nil {
		// Its ports are somebody else's: it must not look as if it ran.
		stopped, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTimeout)
		defer cancel()
		_ = client.Kill(stopped, rec.Name)
		return err
	}
	return nil
}

// managed returns the record of a container of our making.
func (b *Backend) managed(ctx context.Context, tried, id string) (*record, error) {
	rec, err := b.records.find(id)
	if err == nil {
		return rec, nil
	}
	if !errors.Is(err, fs.ErrNotExist) || !validName.MatchString(id) {
		return nil, b.absent(tried, id, err)
	}
	if _, err := b.status(ctx, id); err != nil {
		return nil, b.fail(tried, err)
	}
	return nil, &backend.Error{
		Kind: backend.ErrUnsupported, Tried: tried,
		Cause:  errors.New("it was not made by this provider, and msb does not tell what is to be run in it"),
		Remedy: "Capture it as a checkpoint, and make a container from that.",
	}
}

// details returns what msb knows of a container of our making.
func (b *Backend) details(ctx context.Context, tried string, rec *record) (msb.Details, error) {
	client, err := b.msb(ctx)
	if err != nil {
		return msb.Details{}, err
	}
	details, err := client.Inspect(ctx, rec.Name)
	if err == nil && !rec.describes(details) {
		return msb.Details{}, replaced(tried, rec)
	}
	return details, b.fail(tried, err)
}

// describes says whether the sandbox of a record's name is the one that the
// record was made for: nothing else mounts its share. A restore by msb 0.7 that
// was interrupted has no labels to tell by.
func (rec *record) describes(details msb.Details) bool {
	share := filepath.Join(rec.dir, shareDir)
	return slices.ContainsFunc(details.Mounts, func(m msb.Mount) bool {
		return m.Guest == guestShare && (m.Host == share || sameFile(m.Host, share))
	})
}

// replaced is the error for a container that was removed behind our back, and
// whose name something else has now.
func replaced(tried string, rec *record) error {
	return &backend.Error{
		Kind: backend.ErrNotFound, Tried: tried,
		Cause:  fmt.Errorf("there is no container %s any more, and another one has the name %s", rec.ID, rec.Name),
		Remedy: "Remove the other one, or choose another name.",
	}
}

// status returns the state of a container's VM.
func (b *Backend) status(ctx context.Context, name string) (msb.Status, error) {
	client, err := b.msb(ctx)
	if err != nil {
		return "", err
	}
	details, err := client.Inspect(ctx, name)
	return details.Status, err
}
