package microsandbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/filetar"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/msb"
	"github.com/rightsize/terraform-provider-rightsize/internal/faultpoint"
	"github.com/rightsize/terraform-provider-rightsize/internal/filelock"
)

const (
	// cleanupTimeout bounds the removal of what a failed operation made.
	cleanupTimeout = time.Minute
	// minDiskMB is more than msb can format: 64 MiB fails (msb 0.6.18).
	minDiskMB = 65
	// labelRunID belongs to the rightsize libraries, which remove what carries
	// their run's id. It is empty on everything created here.
	labelRunID = "dev.rightsize.runId"
	// labelManaged marks what this program has made, for people who look.
	labelManaged = "dev.rightsize.managed"
	// ownLabels begins all of them. A label in it is never the user's.
	ownLabels = "dev.rightsize."
)

// validName is what msb takes for a sandbox, less what would not do for the name
// of a directory.
var validName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`)

// idle is the command that keeps a VM up which msb gives none. It leaves
// idleFile when it begins.
var idle = []string{guestShell, "-c", "echo >" + guestShare + "/" + idleFile + "; trap 'exit 0' TERM; while :; do sleep 86400 & wait $!; done"}

// idleFile is a file in the share.
const idleFile = "idle"

// Create boots a VM with the container's files in place. Its workload is not run
// yet.
func (b *Backend) Create(ctx context.Context, spec backend.Spec) (backend.Container, error) {
	client, err := b.msb(ctx)
	if err != nil {
		return backend.Container{}, err
	}
	if err := checkSpec(spec, client.Features()); err != nil {
		return backend.Container{}, err
	}
	unlock, err := b.lock(ctx, spec.Name)
	if err != nil {
		return backend.Container{}, err
	}
	defer unlock()
	if err := b.clear(ctx, client, spec.Name); err != nil {
		return backend.Container{}, err
	}
	boot, rec, err := b.plan(ctx, spec)
	if err != nil {
		return backend.Container{}, err
	}
	if err := checkPorts(ctx, "create container "+spec.Name, spec.Ports); err != nil {
		return backend.Container{}, err
	}
	since := time.Now()
	if err := b.boot(ctx, client, boot, rec); err != nil {
		return backend.Container{}, err
	}
	if err := b.fit(ctx, rec, since, spec.Files); err != nil {
		return backend.Container{}, errors.Join(err, b.discard(ctx, spec.Name))
	}
	// It has not been started: there is nothing that msb knows better.
	return rec.container(msb.Details{}), nil
}

// clear forgets a container of ours that was removed behind our back, or whose
// creation was interrupted. msb may have kept a directory of it. One that is
// there has the name.
func (b *Backend) clear(ctx context.Context, client *msb.Client, name string) error {
	tried := "create container " + name
	if _, err := b.records.load(name); errors.Is(err, fs.ErrNotExist) {
		// msb is asked by whoever boots.
		return nil
	}
	switch _, err := client.Inspect(ctx, name); {
	case err == nil:
		return b.fail(tried, msb.ErrExists)
	case !errors.Is(err, msb.ErrNotFound):
		return b.fail(tried, err)
	}
	if err := client.Remove(ctx, name); err != nil {
		return b.fail(tried, err)
	}
	return b.fail(tried, b.records.remove(name))
}

// checkSpec refuses what msb cannot do, before anything is made.
func checkSpec(spec backend.Spec, features msb.Features) error {
	tried := "create container " + spec.Name
	refuse := func(field backend.Field, remedy, format string, args ...any) error {
		return &backend.Error{
			Kind: backend.ErrUnsupported, Tried: tried, Cause: fmt.Errorf(format, args...), Remedy: remedy, Field: field,
		}
	}
	if !validName.MatchString(spec.Name) {
		return refuse(backend.FieldName, "Use letters, digits, dots, hyphens and underscores, a letter or digit first, 128 at most.",
			"microsandbox takes no container of that name")
	}
	if len(spec.Networks) > 0 {
		return noNetworks(tried)
	}
	if err := checkLimits(tried, spec.Limits); err != nil {
		return err
	}
	if disk := spec.DiskMB; disk > 0 && disk < minDiskMB {
		return refuse(backend.FieldDiskLimit, fmt.Sprintf("Give it %d MiB or more.", minDiskMB),
			"a microVM does not boot from a disk of %d MiB", disk)
	}
	if spec.DiskMB > 0 && spec.TmpfsRootMB > 0 {
		return refuse(backend.FieldTmpfsRoot, "Unset disk_limit_mb or tmpfs_root_mb.", "its filesystem is either on a disk or in memory")
	}
	if spec.From != nil && spec.DiskMB > 0 {
		return refuse(backend.FieldDiskLimit, "Unset disk_limit_mb.", "a copy of a checkpoint has the disk that was captured")
	}
	if spec.From != nil && spec.TmpfsRootMB > 0 {
		return refuse(backend.FieldTmpfsRoot, "Unset tmpfs_root_mb.", "a copy of a checkpoint has the disk that was captured")
	}
	for i, f := range spec.Files {
		if clean := filepath.ToSlash(filepath.Clean(f.Path)); features.MemoryTmp && (clean == "/tmp" || strings.HasPrefix(clean, "/tmp/")) {
			return &backend.Error{
				Kind: backend.ErrUnsupported, Tried: fmt.Sprintf("copy a file to %s in the container", f.Path),
				Cause:  errors.New("/tmp of a microVM is in memory: what is there is gone when it stops, and is in no checkpoint"),
				Remedy: "Put it in another directory.",
				Field:  backend.FieldFiles, Index: i,
			}
		}
	}
	return filetar.Check(spec.Files)
}

// plan resolves what the container is made from.
func (b *Backend) plan(ctx context.Context, spec backend.Spec) (msb.Boot, *record, error) {
	boot := msb.Boot{
		Name:     spec.Name,
		Ports:    spec.Ports,
		MemoryMB: spec.Limits.MemoryMB,
		CPUs:     wholeCPUs(spec.Limits.CPUs),
		Labels:   map[string]string{labelRunID: "", labelManaged: "terraform"},
		Idle:     idle,

		DiskMB:      spec.DiskMB,
		TmpfsRootMB: spec.TmpfsRootMB,
		NoNetwork:   spec.NetworkDisabled,
	}
	maps.Copy(boot.Labels, spec.Labels)
	rec := &record{
		ID:        randomID(),
		Name:      spec.Name,
		Owner:     spec.Owner,
		CreatedAt: time.Now().UTC(),
		Given:     spec.Given(),
		Ports:     spec.Ports,
	}
	base, err := b.source(ctx, spec, &boot, rec)
	if err != nil {
		return msb.Boot{}, nil, err
	}
	rec.Workload = base.with(spec)
	if len(rec.Workload.argv()) == 0 {
		return msb.Boot{}, nil, &backend.Error{
			Tried: "create container " + spec.Name, Cause: errors.New("neither its image nor its definition has a command"),
			Remedy: "Set a command.", Field: backend.FieldCommand,
		}
	}
	boot.Env = rec.Workload.Env
	return boot, rec, nil
}

// source resolves the image or the artifact, and returns the workload that it
// has of its own.
func (b *Backend) source(ctx context.Context, spec backend.Spec, boot *msb.Boot, rec *record) (workload, error) {
	if spec.From == nil {
		image, err := b.resolveImage(ctx, spec.Image, spec.PullPolicy)
		if err != nil {
			return workload{}, err
		}
		boot.Image, rec.ImageID = spec.Image, image.Digest
		return workloadOf(image), nil
	}
	found, err := b.restorable(*spec.From)
	if err != nil {
		return workload{}, err
	}
	if err := b.checkLine(ctx, spec.Name, found); err != nil {
		return workload{}, err
	}
	if err := b.verifyIntegrity(ctx, found); err != nil {
		return workload{}, err
	}
	boot.Snapshot, rec.ImageID = found.path, found.manifest.Digest
	if memory := found.manifest.Memory; memory != nil {
		if err := checkMemory(spec, *memory); err != nil {
			return workload{}, err
		}
		if found.kept == nil || found.kept.Run == nil {
			return workload{}, unknownProcess(spec.Name, found.path)
		}
		boot.Memory, rec.Resumes = true, found.kept.Run
	}
	if found.kept != nil {
		return found.kept.Workload, nil
	}
	// One of the libraries', which keep in the registry what they captured.
	image, err := b.resolveImage(ctx, found.manifest.ImageRef, backend.PullNever)
	if err != nil {
		return workload{}, err
	}
	return workloadOf(image), nil
}

// workloadOf is what an image runs. Its environment is msb's affair: whatever is
// run in the guest has it.
func workloadOf(image msb.Image) workload {
	return workload{Entrypoint: image.Entrypoint, Command: image.Command, WorkingDir: image.WorkingDir, User: image.User}
}

// with returns the workload of a container that is made from one with w. As with
// Docker, an entrypoint of one's own leaves the image's command out.
func (w workload) with(spec backend.Spec) workload {
	if spec.Entrypoint != nil {
		w.Entrypoint, w.Command = spec.Entrypoint, nil
	}
	if spec.Command != nil {
		w.Command = spec.Command
	}
	if spec.WorkingDir != "" {
		w.WorkingDir = spec.WorkingDir
	}
	if spec.User != "" {
		w.User = spec.User
	}
	env := make(map[string]string, len(w.Env)+len(spec.Env))
	maps.Copy(env, w.Env)
	maps.Copy(env, spec.Env)
	w.Env = env
	return w
}

// wholeCPUs is the number of virtual processors that a share needs: a VM has no
// half of one.
func wholeCPUs(cpus float64) int { return int(math.Ceil(cpus)) }

// boot boots the VM, with its record there before. It leaves nothing when it
// fails.
func (b *Backend) boot(ctx context.Context, client *msb.Client, boot msb.Boot, rec *record) error {
	tried := "create container " + rec.Name
	err := b.records.create(rec)
	if err == nil && rec.Resumes != nil {
		err = rec.handOn(*rec.Resumes)
	}
	if err == nil {
		boot.Mounts = []msb.Mount{{Host: filepath.Join(rec.dir, shareDir), Guest: guestShare}}
		boot.IdleRuns = func() bool {
			_, err := os.Lstat(filepath.Join(rec.dir, shareDir, idleFile))
			return err == nil
		}
		if boot.Snapshot != "" {
			err = client.Restore(ctx, boot)
		} else {
			err = client.Create(ctx, boot)
		}
	}
	switch {
	case err == nil:
		faultpoint.Reach(ctx, faultpoint.Made)
		return nil
	case errors.Is(err, msb.ErrLeft):
		// By its record it is found, and removed, later.
		return b.fail(tried, err)
	default:
		return errors.Join(b.fail(tried, err), b.records.remove(rec.Name))
	}
}

// fit makes of a VM that was booted after since the container that was asked for.
// What it leaves when it fails is the caller's to remove.
func (b *Backend) fit(ctx context.Context, rec *record, since time.Time, files []backend.File) error {
	if err := b.checkPublished(ctx, rec, since); err != nil {
		return err
	}
	// What goes on has what it needs.
	if rec.Resumes == nil {
		if err := b.furnish(ctx, rec, files); err != nil {
			return err
		}
	}
	faultpoint.Reach(ctx, faultpoint.Furnished)
	return nil
}

// discard removes what a failed creation has left, whatever became of ctx.
func (b *Backend) discard(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTimeout)
	defer cancel()
	return b.remove(ctx, name)
}

// lock keeps operations on one container apart, in all processes of this host.
func (b *Backend) lock(ctx context.Context, name string) (unlock func(), err error) {
	if b.cfg.LockDir == "" {
		return func() {}, nil
	}
	key := digest(b.home + "\n" + name)[:32]
	unlock, err = filelock.Lock(ctx, filepath.Join(b.cfg.LockDir, "microsandbox-"+key))
	return unlock, b.fail("wait for other operations on container "+name, err)
}
