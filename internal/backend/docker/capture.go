package docker

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	cerrdefs "github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/mount"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/faultpoint"
	"github.com/rightsize/terraform-provider-rightsize/internal/filelock"
)

const (
	commitAttempts = 3
	commitBackoff  = 200 * time.Millisecond
	// commitGrace is how long an interrupted capture waits for the commit that
	// is under way: what is left of the ten seconds in which an interrupt ends
	// everything, less the removal of a seed.
	commitGrace = 6 * time.Second
)

// Capture keeps the container's filesystem as a new image without a tag.
//
// A container that was made here has all its data in its writable layer, and a
// commit holds it. One that has volumes, because somebody else made it, is
// captured with their content beside the commit. What neither can hold is
// refused before anything is paused or committed.
func (b *Backend) Capture(ctx context.Context, id string, opts backend.CaptureOptions) (backend.Artifact, error) {
	if opts.Memory {
		return backend.Artifact{}, &backend.Error{
			Kind:   backend.ErrUnsupported,
			Tried:  "capture the memory of container " + id,
			Cause:  errors.New("the engine keeps filesystems alone"),
			Remedy: "Use backend \"microsandbox\" with msb 0.7, or capture it without its memory.",
		}
	}
	info, err := b.inspect(ctx, id)
	if err != nil {
		return backend.Artifact{}, err
	}
	volumes, refused := capturable(info)
	if len(refused) > 0 {
		return backend.Artifact{}, uncapturable(nameOf(info), refused)
	}
	parent, err := b.inspectImage(ctx, info.Image)
	if errors.Is(err, backend.ErrNotFound) {
		return backend.Artifact{}, orphaned(info)
	}
	if err != nil {
		return backend.Artifact{}, err
	}

	if err := checkDepth(info, parent, len(volumes) > 0, opts.Flatten); err != nil {
		return backend.Artifact{}, err
	}

	var imageID string
	if len(volumes) == 0 {
		imageID, err = b.keep(ctx, info, opts)
	} else {
		imageID, err = b.captureVolumes(ctx, info, volumes, opts)
	}
	if err != nil {
		return backend.Artifact{}, err
	}
	artifact, err := b.verify(ctx, imageID, parent, opts.Flatten)
	if err != nil {
		b.dropImage(ctx, imageID)
		return backend.Artifact{}, err
	}
	return artifact, nil
}

// maxLayers is where engines refuse to make one more: "max depth exceeded"
// (20.10 and 26).
const maxLayers = 125

// checkDepth refuses, before anything is paused, a capture for which the engine
// would have to stack more layers than it does.
func checkDepth(info container.InspectResponse, parent image, hasVolumes, flatten bool) error {
	commits := 0
	if hasVolumes {
		commits++
	}
	if !flatten {
		commits++
	}
	layers := len(parent.RootFS.Layers)
	if layers+commits <= maxLayers {
		return nil
	}
	return &backend.Error{
		Kind:   backend.ErrUncapturable,
		Tried:  "capture container " + nameOf(info),
		Cause:  fmt.Errorf("%w: what it runs from has %d layers, and the engine stacks %d at most", backend.ErrUncapturable, layers, maxLayers),
		Remedy: "Capture it, or a checkpoint that it was made from, with flatten = true, which makes one layer of all.",
	}
}

// keep makes an image of a container whose data is all in its own filesystem.
func (b *Backend) keep(ctx context.Context, info container.InspectResponse, opts backend.CaptureOptions) (imageID string, err error) {
	if opts.Flatten {
		return b.flatten(ctx, info, opts)
	}
	progress(opts, "commit container %s", nameOf(info))
	// The engine resumes what it paused for a commit, even what somebody else had
	// paused before.
	pause := info.State.Running && !info.State.Paused
	return b.commit(ctx, info, opts.Name, pause)
}

func progress(opts backend.CaptureOptions, format string, args ...any) {
	if opts.Progress != nil {
		opts.Progress(fmt.Sprintf(format, args...))
	}
}

// capturable sorts what is mounted in a container into the volumes, whose
// content can be captured, and the rest, which cannot and is described. What
// the engine itself mounts, such as /etc/hosts, is in neither.
func capturable(info container.InspectResponse) (volumes, refused []string) {
	for _, m := range info.Mounts {
		switch m.Type {
		case mount.TypeVolume:
			volumes = append(volumes, m.Destination)
		case mount.TypeBind:
			refused = append(refused, fmt.Sprintf("%s (directory or file %s of the host)", m.Destination, m.Source))
		default:
			refused = append(refused, fmt.Sprintf("%s (%s)", m.Destination, m.Type))
		}
	}
	// Those that were asked for in the short form are not among the mounts.
	for destination := range info.HostConfig.Tmpfs {
		refused = append(refused, fmt.Sprintf("%s (%s)", destination, mount.TypeTmpfs))
	}
	slices.Sort(refused)
	return outermost(volumes), slices.Compact(refused)
}

// outermost leaves out the paths below another one, which are part of what is
// read of that.
func outermost(paths []string) []string {
	slices.Sort(paths)
	var outer []string
	for _, p := range paths {
		inside := func(o string) bool { return p == o || strings.HasPrefix(p, o+"/") }
		if !slices.ContainsFunc(outer, inside) {
			outer = append(outer, p)
		}
	}
	return outer
}

func uncapturable(name string, refused []string) error {
	return &backend.Error{
		Kind:  backend.ErrUncapturable,
		Tried: "capture container " + name,
		Cause: fmt.Errorf("%w: what is mounted there is not part of the container's filesystem: %s",
			backend.ErrUncapturable, strings.Join(refused, ", ")),
		Remedy: "Start the container without these mounts, and put what it needs from the host into it with files, " +
			"or keep its data in another directory.",
	}
}

// orphaned is the error for a container whose image was removed by force. It is
// not ErrNotFound, which would say that there is no such container.
func orphaned(info container.InspectResponse) error {
	return &backend.Error{
		Kind:  backend.ErrUncapturable,
		Tried: "capture container " + nameOf(info),
		Cause: fmt.Errorf("%w: its image %s was removed from the engine, which commits only on top of it",
			backend.ErrUncapturable, info.Image),
		Remedy: "Create the container again, from an image that the engine has.",
	}
}

// commit makes an image of the container's filesystem without its mounts. The
// image has the container's configuration, and of the labels that tools own
// containers by, none.
func (b *Backend) commit(ctx context.Context, info container.InspectResponse, name string, pause bool) (imageID string, err error) {
	api, err := b.api(ctx)
	if err != nil {
		return "", err
	}
	unlock, err := b.lockCommits(ctx, info.Image)
	if err != nil {
		return "", err
	}
	defer unlock()
	faultpoint.Reach(ctx, faultpoint.CommitLocked)

	options := container.CommitOptions{
		Pause:   pause,
		Changes: labelChanges(info.Config.Labels, name),
		// Podman (4.3) answers a request without a body with an error.
		Config: &container.Config{},
	}
	for attempt := 1; ctx.Err() == nil; attempt++ {
		var committed container.CommitResponse
		// A commit whose answer was lost may have made an image, which Collect
		// finds: it has no tag, and the checkpoint's name for a label.
		committed, err = again(ctx, func() (container.CommitResponse, error) {
			return lingering(ctx, commitGrace, func(ctx context.Context) (container.CommitResponse, error) {
				return api.ContainerCommit(ctx, info.ID, options)
			})
		})
		if err == nil {
			faultpoint.Reach(ctx, faultpoint.Committed)
			return committed.ID, nil
		}
		if ctx.Err() != nil {
			return "", &backend.Error{Kind: backend.ErrUnfinished, Tried: "commit container " + nameOf(info), Cause: ctx.Err()}
		}
		if attempt == commitAttempts || !passes(err) {
			return "", b.fail("commit container "+nameOf(info), err)
		}
		select {
		case <-time.After(time.Duration(attempt) * commitBackoff):
		case <-ctx.Done():
		}
	}
	return "", ctx.Err()
}

// passes reports whether a failed commit may succeed when tried again. On the
// containerd store a commit can meet a snapshot that another one, or one that
// was interrupted, is about to make or to clean away.
func passes(err error) bool {
	return cerrdefs.IsAlreadyExists(err) || cerrdefs.IsConflict(err) || cerrdefs.IsInternal(err)
}

// lockCommits takes the lock that keeps commits of one parent image apart, in
// all processes of this host.
func (b *Backend) lockCommits(ctx context.Context, parentID string) (unlock func(), err error) {
	if b.cfg.LockDir == "" {
		return func() {}, nil
	}
	engine, err := b.Engine(ctx)
	if err != nil {
		return nil, err
	}
	key := sha256.Sum256([]byte(engine.ID + "\n" + parentID))
	unlock, err = filelock.Lock(ctx, filepath.Join(b.cfg.LockDir, fmt.Sprintf("commit-%x", key[:16])))
	return unlock, b.fail("wait for other commits of containers of image "+parentID, err)
}

// labelOwners are the prefixes of labels by which a tool knows the containers
// that it may stop and remove.
var labelOwners = []string{ownLabels, "com.docker.compose.", "org.testcontainers"}

// plainLabel is a label's name that needs no quoting in a Dockerfile.
var plainLabel = regexp.MustCompile(`^[A-Za-z0-9._/-]+$`)

// labelChanges returns the changes that mark an image as captured for a
// checkpoint and blank the labels that must not be inherited from it.
func labelChanges(labels map[string]string, name string) []string {
	values := map[string]string{
		labelRunID:  "",
		labelSpec:   "",
		labelBaseOf: "",
		labelImage:  "",
		labelOwner:  "",
	}
	for label := range labels {
		owned := slices.ContainsFunc(labelOwners, func(prefix string) bool { return strings.HasPrefix(label, prefix) })
		if owned && plainLabel.MatchString(label) {
			values[label] = ""
		}
	}
	values[labelCheckpoint] = name

	// One change for each: Podman (4.3) takes no more than one.
	changes := make([]string, 0, len(values))
	for _, label := range slices.Sorted(maps.Keys(values)) {
		changes = append(changes, fmt.Sprintf("LABEL %s=%s", label, values[label]))
	}
	return changes
}

// verify checks that a captured image is there and built upon its parent, or of
// one layer.
func (b *Backend) verify(ctx context.Context, imageID string, parent image, flattened bool) (backend.Artifact, error) {
	captured, err := b.inspectImage(ctx, imageID)
	if err != nil {
		return backend.Artifact{}, err
	}
	layers, base := captured.RootFS.Layers, parent.RootFS.Layers
	if flattened {
		if len(layers) != 1 {
			return backend.Artifact{}, b.fail("verify the captured image "+captured.ID, fmt.Errorf("it has %d layers instead of one", len(layers)))
		}
		return artifactOf(captured, ""), nil
	}
	if len(layers) < len(base) || !slices.Equal(layers[:len(base)], base) {
		return backend.Artifact{}, b.fail("verify the captured image "+captured.ID,
			errors.New("it lacks layers of the image that the container runs from"))
	}
	return artifactOf(captured, ""), nil
}

// dropImage removes an image that a failed capture has made, whatever became of
// ctx. One that cannot be removed now is left for Collect.
func (b *Backend) dropImage(ctx context.Context, id string) {
	api, err := b.api(ctx)
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTimeout)
	defer cancel()
	_ = deleteImage(ctx, api, id)
}
