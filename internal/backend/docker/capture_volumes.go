package docker

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	cerrdefs "github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/client"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/filetar"
	"github.com/rightsize/terraform-provider-rightsize/internal/faultpoint"
)

// captureVolumes makes an image of a container with the content of its volumes
// in place of the volumes. The process is frozen from the commit until the last
// volume is read, so that all of it is of one moment; only another container
// that shares a volume could still write to it.
//
// No builder is needed and nothing is kept on the way: what is read of a volume
// goes straight into the helper, a container of the committed image that is
// never started, and a commit of the helper is the result.
func (b *Backend) captureVolumes(ctx context.Context, info container.InspectResponse, volumes []string, opts backend.CaptureOptions) (_ string, err error) {
	api, err := b.api(ctx)
	if err != nil {
		return "", err
	}
	var committed, helperID string
	defer func() { b.dropIntermediates(ctx, committed, helperID) }()

	progress(opts, "pause and commit container %s", nameOf(info))
	resume, err := b.freeze(ctx, api, info)
	if err != nil {
		return "", err
	}
	// Before the intermediates are dropped, which may take its time.
	defer func() {
		if left := resume(); left != nil && !errors.Is(err, left) {
			err = errors.Join(err, left)
		}
	}()

	if committed, err = b.commit(ctx, info, opts.Name, false); err != nil {
		return "", err
	}
	if helperID, err = b.createHelper(ctx, api, committed, opts); err != nil {
		return "", refuseVolumes(info, volumes, err)
	}
	faultpoint.Reach(ctx, faultpoint.HelperMade)
	for i, volume := range volumes {
		progress(opts, "copy volume %s of container %s", volume, nameOf(info))
		whenRead := func() error { return nil }
		if i == len(volumes)-1 {
			whenRead = resume
		}
		if err := b.copyVolume(ctx, api, info, helperID, volume, whenRead); err != nil {
			return "", err
		}
		faultpoint.Reach(ctx, faultpoint.VolumeCopied)
	}

	helper, err := b.inspect(ctx, helperID)
	if err != nil {
		return "", err
	}
	return b.keep(ctx, helper, opts)
}

// refuseVolumes says that the volumes are why a container cannot be captured, if
// the engine does not take a copy of an image without volumes.
func refuseVolumes(info container.InspectResponse, volumes []string, err error) error {
	if !errors.Is(err, backend.ErrUnsupported) {
		return err
	}
	return &backend.Error{
		Kind:   backend.ErrUncapturable,
		Tried:  "capture container " + nameOf(info) + " with its volumes " + strings.Join(volumes, ", "),
		Cause:  err,
		Remedy: "Have the container keep its data outside of its volumes.",
	}
}

// freeze pauses a container that runs, and returns what brings it back to the
// state it was in, whatever became of ctx. That may be called more than once.
func (b *Backend) freeze(ctx context.Context, api *client.Client, info container.InspectResponse) (resume func() error, err error) {
	if !info.State.Running || info.State.Paused {
		return func() error { return nil }, nil
	}
	resume = sync.OnceValue(func() error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTimeout)
		defer cancel()
		err := api.ContainerUnpause(ctx, info.ID)
		if err == nil {
			return nil
		}
		now, inspectErr := b.inspect(ctx, info.ID)
		if errors.Is(inspectErr, backend.ErrNotFound) || inspectErr == nil && !now.State.Paused {
			// Somebody else has ended the pause.
			return nil
		}
		return &backend.Error{
			Tried:  "resume container " + nameOf(info) + ", which was paused to be captured",
			Cause:  err,
			Remedy: "It is still paused: resume it with \"docker unpause " + nameOf(info) + "\".",
		}
	})
	if err := api.ContainerPause(ctx, info.ID); err != nil {
		err = b.fail("pause container "+nameOf(info), err)
		if ctx.Err() != nil {
			// The engine may have carried on when the request was interrupted.
			err = errors.Join(err, resume())
		}
		return nil, err
	}
	faultpoint.Reach(ctx, faultpoint.Paused)
	return resume, nil
}

// createHelper makes the container that volumes are copied into. It declares no
// volumes, so that what is copied stays in its writable layer.
func (b *Backend) createHelper(ctx context.Context, api *client.Client, committed string, opts backend.CaptureOptions) (id string, err error) {
	img, err := b.inspectImage(ctx, committed)
	if err != nil {
		return "", err
	}
	copied, err := b.volumeFree(ctx, img)
	if err != nil {
		return "", err
	}
	return b.makeHelper(ctx, api, &container.Config{Image: copied}, opts)
}

// makeHelper makes a container that is never started, for a commit of it to be
// the result of a capture.
func (b *Backend) makeHelper(ctx context.Context, api *client.Client, config *container.Config, opts backend.CaptureOptions) (id string, err error) {
	detached, cancel := context.WithTimeout(context.WithoutCancel(ctx), createTimeout)
	defer cancel()
	labels := map[string]string{labelHelper: opts.Name, labelOwner: opts.Owner, labelBaseOf: "", labelCheckpoint: ""}
	for label, value := range config.Labels {
		if _, ours := labels[label]; !ours {
			labels[label] = value
		}
	}
	config.Labels = labels
	created, err := api.ContainerCreate(detached, config, &container.HostConfig{NetworkMode: "none"}, nil, nil, "")
	if err != nil {
		b.dropBase(detached, config.Image)
		return "", b.fail("create a container for the capture to be made of", err)
	}
	return created.ID, nil
}

// dropIntermediates removes what a capture with volumes has made on its way.
// What cannot be removed now is left for Collect: the result is good, or the
// failure is told already.
func (b *Backend) dropIntermediates(ctx context.Context, committed, helperID string) {
	if helperID != "" {
		_ = b.discard(ctx, helperID)
	}
	if committed != "" {
		b.dropImage(ctx, committed)
	}
}

// collectHelpers removes the helpers of interrupted captures under the name.
func (b *Backend) collectHelpers(ctx context.Context, name string) error {
	api, err := b.api(ctx)
	if err != nil {
		return err
	}
	helpers, err := api.ContainerList(ctx, container.ListOptions{
		All:     true,
		Filters: filters.NewArgs(filters.Arg("label", labelHelper+"="+name)),
	})
	if err != nil {
		return b.fail("list what interrupted captures of "+name+" left behind", err)
	}
	for _, helper := range helpers {
		if err := b.Remove(ctx, helper.ID); err != nil {
			return err
		}
	}
	return nil
}

// copyVolume copies the content of a volume into the helper, and calls whenRead
// as soon as the volume is no longer needed.
func (b *Backend) copyVolume(ctx context.Context, api *client.Client, info container.InspectResponse, helperID, volume string, whenRead func() error) error {
	// The engine would archive a symbolic link as such, without the volume
	// that is mounted where it leads to.
	source, err := resolvePath(ctx, api, info.ID, volume)
	if err != nil {
		return b.fail("look for volume "+volume+" of container "+nameOf(info), err)
	}
	ghosts, err := archivedNames(ctx, api, helperID, source)
	if err != nil {
		return b.fail("list what the image has in place of volume "+volume, err)
	}
	if err := b.makeParents(ctx, api, helperID, source); err != nil {
		return err
	}

	check := &volumeCheck{ghosts: ghosts}
	read := func(w io.Writer) error {
		archive, _, err := api.CopyFromContainer(ctx, info.ID, source)
		if err != nil {
			return err
		}
		defer func() { _ = archive.Close() }()
		if err := eachHeader(io.TeeReader(archive, w), check.visit); err != nil {
			return err
		}
		return whenRead()
	}
	write := func(r io.Reader) error {
		return api.CopyToContainer(ctx, helperID, path.Dir(source), r,
			container.CopyToContainerOptions{AllowOverwriteDirWithFile: true})
	}
	if err := filetar.Pipe(read, write); err != nil {
		return b.fail("copy volume "+volume+" of container "+nameOf(info), err)
	}
	return refuseLosses(info, volume, path.Dir(source), check)
}

// refuseLosses fails if the copy of a volume differs from it. Ghosts are files
// that the image has below the volume's path and the volume does not: the
// fixture has deleted them, and in the capture they would be back. Demoted are
// those that have lost privileges, see [volumeCheck].
func refuseLosses(info container.InspectResponse, volume, parent string, check *volumeCheck) error {
	refuse := func(what string, names []string, remedy string) error {
		const maxNamed = 5
		slices.Sort(names)
		for i, name := range names {
			names[i] = path.Join(parent, name)
		}
		text := strings.Join(names[:min(len(names), maxNamed)], ", ")
		if more := len(names) - maxNamed; more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
		return &backend.Error{
			Kind:   backend.ErrUncapturable,
			Tried:  "capture container " + nameOf(info) + " with its volume " + volume,
			Cause:  fmt.Errorf("%w: %s: %s", backend.ErrUncapturable, what, text),
			Remedy: remedy,
		}
	}
	if len(check.ghosts) > 0 {
		return refuse("the image has files that were deleted from the volume and would be back in the checkpoint",
			slices.Collect(maps.Keys(check.ghosts)),
			"Create the container with this provider, which needs no volume for it, or leave these files in place.")
	}
	if len(check.demoted) > 0 {
		return refuse("the engine drops the setuid and setgid bits and the capabilities of files with hard links",
			check.demoted,
			"Create the container with this provider, which needs no volume for it, or have copies instead of hard links.")
	}
	return nil
}

// makeParents makes the directories above a volume that the helper lacks: the
// engine makes the place of a volume only when a container starts.
func (b *Backend) makeParents(ctx context.Context, api *client.Client, helperID, target string) error {
	missing, err := filetar.NewDirectories(filesystem{ctx, b, helperID}.Stat).Claim(path.Dir(target))
	if err != nil || len(missing) == 0 {
		return err
	}
	write := func(w io.Writer) error { return filetar.WriteDirectories(w, missing) }
	send := func(r io.Reader) error {
		return api.CopyToContainer(ctx, helperID, "/", r, container.CopyToContainerOptions{})
	}
	return b.fail("make "+path.Dir(target)+" for a volume's content", filetar.Pipe(write, send))
}

// resolvePath follows a path that is a symbolic link.
func resolvePath(ctx context.Context, api *client.Client, containerID, name string) (string, error) {
	stat, err := api.ContainerStatPath(ctx, containerID, name)
	if err != nil {
		return "", err
	}
	if stat.Mode&fs.ModeSymlink != 0 {
		return path.Clean(stat.LinkTarget), nil
	}
	return path.Clean(name), nil
}

// volumeCheck watches the content of a volume go by.
type volumeCheck struct {
	// ghosts begins with the names that the image has in place of the volume.
	// What the volume has too is deleted from it.
	ghosts map[string]bool
	// privileged are the files that a change of owner takes privileges from, and
	// demoted the hard links to them: the engine (20.10 and 26) changes the owner
	// of each link that it unpacks, and restores the mode of none.
	privileged map[string]bool
	demoted    []string
}

const capabilityRecord = "SCHILY.xattr.security.capability"

func (c *volumeCheck) visit(header *tar.Header) {
	const setIDs = 0o6000
	name := path.Clean(header.Name)
	delete(c.ghosts, name)
	switch header.Typeflag {
	case tar.TypeReg:
		if header.Mode&setIDs != 0 || header.PAXRecords[capabilityRecord] != "" {
			if c.privileged == nil {
				c.privileged = make(map[string]bool)
			}
			c.privileged[name] = true
		}
	case tar.TypeLink:
		if c.privileged[path.Clean(header.Linkname)] {
			c.demoted = append(c.demoted, name)
		}
	}
}

// archivedNames returns the names in the archive of a path, none if there is no
// such path.
func archivedNames(ctx context.Context, api *client.Client, containerID, name string) (map[string]bool, error) {
	names := make(map[string]bool)
	archive, _, err := api.CopyFromContainer(ctx, containerID, name)
	if cerrdefs.IsNotFound(err) {
		return names, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = archive.Close() }()
	return names, eachHeader(archive, func(header *tar.Header) { names[path.Clean(header.Name)] = true })
}

// eachHeader calls visit for each member of an archive, and reads the archive
// to its very end, padding included.
func eachHeader(archive io.Reader, visit func(*tar.Header)) error {
	r := tar.NewReader(archive)
	for {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			_, err = io.Copy(io.Discard, archive)
			return err
		}
		if err != nil {
			return err
		}
		visit(header)
	}
}
