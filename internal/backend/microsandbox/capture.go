package microsandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/renameio/v2/maybe"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/msb"
	"github.com/rightsize/terraform-provider-rightsize/internal/faultpoint"
)

// Capture keeps the VM's disk as a snapshot, with its memory if that is asked for.
// msb 0.6 captures only what is stopped: a container that runs is stopped for it,
// and started again.
func (b *Backend) Capture(ctx context.Context, id string, opts backend.CaptureOptions) (backend.Artifact, error) {
	tried := "capture container " + id
	client, err := b.msb(ctx)
	if err != nil {
		return backend.Artifact{}, err
	}
	name, err := b.nameOf(ctx, tried, id)
	if err != nil {
		return backend.Artifact{}, err
	}
	unlock, err := b.lock(ctx, name)
	if err != nil {
		return backend.Artifact{}, err
	}
	defer unlock()
	details, err := client.Inspect(ctx, name)
	if err != nil {
		return backend.Artifact{}, b.fail(tried, err)
	}
	rec, err := b.records.load(name)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return backend.Artifact{}, b.absent(tried, id, err)
	case rec != nil && !rec.describes(details):
		if id != name {
			return backend.Artifact{}, replaced(tried, rec)
		}
		rec = nil
	}
	if err := checkCapturable(details, rec != nil); err != nil {
		return backend.Artifact{}, err
	}
	c := capture{b: b, client: client, opts: opts, name: name, record: rec, details: details}
	return c.run(ctx)
}

// checkCapturable refuses a sandbox whose snapshot would lack something, before
// it is stopped.
func checkCapturable(details msb.Details, ours bool) error {
	var refused []string
	switch kind := details.RootDiskKind; {
	case details.Image == "":
		refused = append(refused, "/ (the image of a disk)")
	case kind != "" && kind != managedDisk:
		refused = append(refused, "/ (a disk of kind "+kind+")")
	}
	for _, m := range details.Mounts {
		// Every sandbox has its /tmp in memory.
		inMemory := m.Guest == "/tmp" && m.Type == "Tmpfs"
		if !inMemory && (!ours || m.Guest != guestShare) {
			refused = append(refused, m.Guest)
		}
	}
	if len(refused) == 0 {
		return nil
	}
	return &backend.Error{
		Kind:  backend.ErrUncapturable,
		Tried: "capture container " + details.Name,
		Cause: fmt.Errorf("%w: a snapshot holds the root disk alone, and not what is mounted there: %s",
			backend.ErrUncapturable, strings.Join(refused, ", ")),
		Remedy: "Start the container without these mounts and with an ordinary root disk.",
	}
}

// The kinds of root disks that a container can be given.
const (
	// managedDisk is one that msb makes by itself.
	managedDisk = "managed"
	tmpfsDisk   = "tmpfs"
	// defaultDiskMB is the size of one that nobody has asked for.
	defaultDiskMB = 4096
)

// capture is one capture.
type capture struct {
	b       *Backend
	client  *msb.Client
	opts    backend.CaptureOptions
	name    string
	record  *record
	details msb.Details
	// resumed is the run that copies go on with, if the memory is captured.
	resumed *capturedRun
}

func (c *capture) run(ctx context.Context) (artifact backend.Artifact, err error) {
	// What can fail while the container runs fails while it runs.
	if c.opts.Memory {
		if c.resumed, err = c.running(); err != nil {
			return backend.Artifact{}, err
		}
	}
	path, err := c.reserve()
	if err != nil {
		return backend.Artifact{}, err
	}
	defer func() {
		if artifact.ID == "" {
			c.drop(ctx, path)
		}
	}()
	if c.client.Features().Live {
		c.compact(ctx)
		c.progress("taking a snapshot of it while it is in use")
		return c.take(ctx, path)
	}
	return c.halted(ctx, path)
}

// halted captures the container while it is stopped.
func (c *capture) halted(ctx context.Context, path string) (artifact backend.Artifact, err error) {
	up := c.details.Status != msb.Stopped && c.details.Status != msb.Crashed
	working := c.record != nil && c.record.alive()
	if up {
		c.progress("stopping the container")
		if err := c.b.stopFrom(ctx, c.name, c.details.Status, backend.DefaultStopTimeout); err != nil {
			back := c.b.restart
			if !working {
				back = func(ctx context.Context, _ string) error { return c.resume(ctx, false) }
			}
			return backend.Artifact{}, errors.Join(err, back(ctx, c.name))
		}
		faultpoint.Reach(ctx, faultpoint.Halted)
	}
	c.progress("taking a snapshot of its disk")
	artifact, err = c.take(ctx, path)
	if c.opts.Discard || !up {
		return artifact, err
	}
	c.progress("starting the container again")
	if resumeErr := c.resume(ctx, working); resumeErr != nil && err == nil {
		return artifact, &backend.Error{
			Tried:  fmt.Sprintf("start container %s again after its capture", c.name),
			Cause:  resumeErr,
			Remedy: "Nothing is lost: artifact " + artifact.ID + " holds all that it held.",
		}
	} else if resumeErr != nil {
		err = errors.Join(err, resumeErr)
	}
	return artifact, err
}

// maxLayers is how many layers a disk may have before they are merged. Each costs
// something whenever the disk is read.
const maxLayers = 8

// compact keeps the layers from piling up that captures of a disk in use leave on
// it, here and in all that is captured of it. It counts the one that is coming,
// which stays even if the capture fails.
func (c *capture) compact(ctx context.Context) {
	if c.record == nil {
		return
	}
	if c.record.Layers >= maxLayers {
		c.progress(fmt.Sprintf("merging the %d layers of its disk", c.record.Layers))
		if err := c.client.Compact(ctx, c.name); err != nil {
			c.progress("the layers of its disk could not be merged: " + err.Error())
		} else {
			c.record.Layers = 1
		}
	}
	c.record.Layers++
	if err := c.record.save(); err != nil {
		c.progress("the layers of its disk could not be counted: " + err.Error())
	}
}

func (c *capture) progress(step string) {
	if c.opts.Progress != nil {
		c.opts.Progress(step)
	}
}

// resume brings back what ran before the capture, although ctx may be cancelled:
// the capture is no reason to leave somebody's database stopped.
func (c *capture) resume(ctx context.Context, working bool) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), resumeTimeout)
	defer cancel()
	if working {
		return c.b.startFrom(ctx, c.record, msb.Stopped, nil)
	}
	if c.record != nil {
		// Its workload had not begun, or had ended. The VM comes up when it is
		// wanted.
		return nil
	}
	return c.b.fail("start container "+c.name, c.client.Start(ctx, c.name))
}

// reserve returns where the artifact will be, with the mark that nothing stands
// for it yet.
func (c *capture) reserve() (path string, err error) {
	tried := "make place for a snapshot of container " + c.name
	dir := c.b.artifactsDir()
	base := artifactPrefix + c.opts.Name + "-" + randomID()[:12]
	if !captured.MatchString(base) || !validName.MatchString(base) {
		return "", c.b.fail(tried, fmt.Errorf("%q cannot be part of the name of a directory", c.opts.Name))
	}
	if !filepath.IsAbs(dir) {
		return "", c.b.fail(tried, fmt.Errorf("%s is not an absolute path", dir))
	}
	path = filepath.Join(dir, base)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", c.b.fail(tried, err)
	}
	return path, c.b.fail(tried, maybe.WriteFile(unpublishedMark(path), nil, 0o600))
}

// take makes the artifact and verifies it.
func (c *capture) take(ctx context.Context, dir string) (backend.Artifact, error) {
	tried := "take a snapshot of container " + c.name
	since := time.Now()
	identity, path, err := c.snapshot(ctx, dir)
	if errors.Is(err, msb.ErrNotFrozen) && ctx.Err() == nil {
		c.progress("taking it again, since it did not stand still in time")
		identity, path, err = c.snapshot(ctx, dir)
	}
	if err != nil {
		return backend.Artifact{}, c.b.fail(tried, err)
	}
	faultpoint.Reach(ctx, faultpoint.Committed)
	manifest, err := msb.ReadManifest(path)
	if err != nil {
		return backend.Artifact{}, c.b.fail("verify the snapshot "+path, err)
	}
	if !sameFile(artifactDir(path, manifest), dir) {
		return backend.Artifact{}, c.b.fail(tried, fmt.Errorf("msb made it as %s instead of in %s", path, dir))
	}
	if !manifest.Is(identity) {
		return backend.Artifact{}, c.b.fail("verify the snapshot "+path, fmt.Errorf("it is %s instead of %s", manifest.Digest, identity))
	}
	if err := c.keep(path, manifest, c.stood(ctx, since)); err != nil {
		return backend.Artifact{}, c.b.fail(tried, err)
	}
	s, err := readSnapshot(path)
	if err != nil {
		return backend.Artifact{}, c.b.fail("verify the snapshot "+path, err)
	}
	if c.opts.Memory != (s.manifest.Memory != nil) {
		return backend.Artifact{}, c.b.fail("verify the snapshot "+path, errors.New("it does not hold what was asked for"))
	}
	return s.artifact(), nil
}

// snapshot has msb take it. A container that runs does so afterwards, whatever
// became of the capture.
func (c *capture) snapshot(ctx context.Context, dir string) (identity, path string, err error) {
	identity, path, err = c.client.Snapshot(ctx, msb.Snapshot{
		Name:      filepath.Base(dir),
		Sandbox:   c.name,
		Dir:       filepath.Dir(dir),
		Labels:    map[string]string{labelCheckpoint: c.opts.Name},
		Integrity: c.b.cfg.RecordIntegrity,
		Memory:    c.opts.Memory,
	})
	if err == nil || !c.client.Features().Live || c.details.Status != msb.Running {
		return identity, path, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTimeout)
	defer cancel()
	after, inspectErr := c.client.Inspect(ctx, c.name)
	if inspectErr == nil && after.Status == msb.Paused {
		inspectErr = c.client.Resume(ctx, c.name)
	}
	return "", "", errors.Join(err, inspectErr)
}

// stood returns how long the container has stood still for a capture since then.
// Only the system's log tells.
func (c *capture) stood(ctx context.Context, since time.Time) time.Duration {
	if !c.client.Features().Live || c.details.Status != msb.Running {
		return 0
	}
	records, err := systemLog(ctx, c.client, c.name, since)
	if err != nil {
		c.progress("how long it stood still is not known: " + err.Error())
	}
	return msb.CapturePause(records)
}

// keep writes down what msb does not keep.
func (c *capture) keep(path string, manifest msb.Manifest, pause time.Duration) error {
	// What a crash of this host must not undo.
	size, err := syncTree(path)
	if err != nil {
		return err
	}
	k := kept{SizeBytes: size, PauseUS: pause.Microseconds(), Run: c.resumed}
	if c.record != nil {
		k.Workload = c.record.Workload
	} else {
		k.Workload = workload{
			Entrypoint: c.details.Entrypoint, Command: c.details.Command,
			Env: c.details.Env, WorkingDir: c.details.WorkingDir, User: c.details.User,
		}
	}
	content, err := json.Marshal(k)
	if err != nil {
		return err
	}
	if manifest.ID != "" {
		return msb.SetLabel(path, labelKept, string(content))
	}
	return maybe.WriteFile(filepath.Join(path, keptFile), content, 0o600)
}

// sameFile compares paths of which msb may have resolved the links in one.
func sameFile(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}

// syncTree writes a directory out with all that is in it, and returns what its
// files take.
func syncTree(dir string) (size int64, err error) {
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() && !entry.Type().IsRegular() {
			return err
		}
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		info, err := file.Stat()
		if err == nil && info.Mode().IsRegular() {
			size += allocated(info)
		}
		return errors.Join(err, file.Sync())
	})
	return size, err
}

// drop removes what a failed capture has made, whatever became of ctx.
func (c *capture) drop(ctx context.Context, path string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTimeout)
	defer cancel()
	// What cannot be removed now is left for Collect.
	_ = c.b.removeCapture(ctx, path)
}
