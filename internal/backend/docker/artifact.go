package docker

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	cerrdefs "github.com/containerd/errdefs"
	"github.com/distribution/reference"
	"github.com/docker/docker/api/types/filters"
	imagetypes "github.com/docker/docker/api/types/image"
	"github.com/docker/docker/client"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// Publish tags the artifact's image with the checkpoint's name. The tag moves
// from an earlier image in one step.
func (b *Backend) Publish(ctx context.Context, name string, artifact backend.Artifact) (string, error) {
	api, err := b.api(ctx)
	if err != nil {
		return "", err
	}
	ref := checkpointRepository + ":" + name
	if err := againErr(ctx, func() error { return api.ImageTag(ctx, artifact.ID, ref) }); err != nil {
		return "", b.fail("tag image "+artifact.ID+" as "+ref, err)
	}
	return ref, nil
}

// RemoveArtifact removes the image and its tags among the checkpoints. An image
// that containers or other images use loses its tags only, and goes with
// [Backend.Collect] when they are gone; one that carries a tag of the user's
// stays under that.
func (b *Backend) RemoveArtifact(ctx context.Context, id string) error {
	// As a whole, so that a tag is looked at again before it is removed again: it
	// may stand for somebody's newer image by then.
	return unhindered(ctx, func() error {
		return againErr(ctx, func() error { return b.removeArtifact(ctx, id) })
	})
}

func (b *Backend) removeArtifact(ctx context.Context, id string) error {
	api, err := b.api(ctx)
	if err != nil {
		return err
	}
	img, err := b.inspectImage(ctx, id)
	if errors.Is(err, backend.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	refs := checkpointRefs(img.RepoTags)
	for _, ref := range refs {
		if err := untagCheckpoint(ctx, api, ref); err != nil {
			return b.fail("remove tag "+ref, err)
		}
	}
	if len(refs) < len(img.RepoTags) {
		// By its id the engine would remove an only tag with the image.
		return nil
	}
	err = deleteImage(ctx, api, img.ID)
	if err == nil || cerrdefs.IsNotFound(err) || cerrdefs.IsConflict(err) {
		return nil
	}
	return b.fail("remove image "+id, err)
}

// untagCheckpoint removes a tag. The engine refuses to take the last tag of an
// image that a container uses, unless by force, and by force it would remove
// the image under a stopped container: so force is the second choice.
func untagCheckpoint(ctx context.Context, api *client.Client, ref string) error {
	_, err := api.ImageRemove(ctx, ref, imagetypes.RemoveOptions{PruneChildren: true})
	if cerrdefs.IsConflict(err) {
		_, err = api.ImageRemove(ctx, ref, imagetypes.RemoveOptions{PruneChildren: true, Force: true})
	}
	if cerrdefs.IsNotFound(err) {
		return nil
	}
	return err
}

// deleteImage removes a tag or an image that nothing uses, with the parents that
// only it has used.
func deleteImage(ctx context.Context, api *client.Client, idOrRef string) error {
	return unhindered(ctx, func() error {
		return againErr(ctx, func() error {
			_, err := api.ImageRemove(ctx, idOrRef, imagetypes.RemoveOptions{PruneChildren: true})
			return err
		})
	})
}

// listImages returns the images that match. A list that an image is removed
// under fails on the containerd store (26.1), with 404 or with 500: it is made
// again, and is never taken for an image that is not there.
func listImages(ctx context.Context, api *client.Client, matching ...filters.KeyValuePair) ([]imagetypes.Summary, error) {
	var images []imagetypes.Summary
	err := unhindered(ctx, func() (err error) {
		images, err = again(ctx, func() ([]imagetypes.Summary, error) {
			return api.ImageList(ctx, imagetypes.ListOptions{Filters: filters.NewArgs(matching...)})
		})
		if cerrdefs.IsNotFound(err) {
			err = cerrdefs.ErrInternal.WithMessage(err.Error())
		}
		return err
	})
	return images, err
}

// Collect removes the images without a tag that were captured under the name,
// except keep and those in use.
func (b *Backend) Collect(ctx context.Context, name, keep string) error {
	api, err := b.api(ctx)
	if err != nil {
		return err
	}
	if err := b.collectHelpers(ctx, name); err != nil {
		return err
	}
	images, err := listImages(ctx, api,
		filters.Arg("dangling", "true"),
		filters.Arg("label", labelCheckpoint+"="+name),
	)
	if err != nil {
		return b.fail("list what earlier captures of "+name+" left behind", err)
	}
	for _, img := range images {
		if img.ID == keep {
			continue
		}
		// The copy that a capture with volumes may have been interrupted with.
		b.dropBase(ctx, baseRepository+":"+strings.TrimPrefix(img.ID, "sha256:"))
		err := deleteImage(ctx, api, img.ID)
		if err != nil && !cerrdefs.IsNotFound(err) && !cerrdefs.IsConflict(err) {
			return b.fail("remove image "+img.ID, err)
		}
	}
	return nil
}

// Artifact returns the artifact that ref stands for. It is never pulled.
func (b *Backend) Artifact(ctx context.Context, ref string) (backend.Artifact, error) {
	img, err := b.settledImage(ctx, ref)
	if err != nil {
		return backend.Artifact{}, err
	}
	return artifactOf(img, ref), nil
}

// The pauses before a ref that is not there is looked for again.
const (
	firstLook = 10 * time.Millisecond
	lastLook  = 90 * time.Millisecond
	lookRatio = 3
)

// settledImage is inspectImage for a ref that may be moving. An engine with the
// containerd store (26.1) takes a tag away from one image before it gives it to
// the next. Whoever looks in between must not take the checkpoint for lost:
// state would forget it.
func (b *Backend) settledImage(ctx context.Context, ref string) (image, error) {
	img, err := b.inspectImage(ctx, ref)
	for pause := firstLook; errors.Is(err, backend.ErrNotFound) && pause <= lastLook; pause *= lookRatio {
		engine, describeErr := b.describe(ctx)
		if describeErr != nil || !engine.containerdStore {
			break
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return image{}, ctx.Err()
		}
		img, err = b.inspectImage(ctx, ref)
	}
	return img, err
}

// ListArtifacts returns an artifact for every tag among the checkpoints, without
// its Layers: the engine does not tell them in a list.
func (b *Backend) ListArtifacts(ctx context.Context) ([]backend.Artifact, error) {
	api, err := b.api(ctx)
	if err != nil {
		return nil, err
	}
	images, err := listImages(ctx, api, filters.Arg("reference", checkpointRepository+":*"))
	if err != nil {
		return nil, b.fail("list checkpoints", err)
	}
	var artifacts []backend.Artifact
	for _, img := range images {
		for _, ref := range checkpointRefs(img.RepoTags) {
			artifacts = append(artifacts, backend.Artifact{
				Ref:       ref,
				ID:        img.ID,
				SizeBytes: img.Size,
				CreatedAt: time.Unix(img.Created, 0).UTC(),
			})
		}
	}
	slices.SortFunc(artifacts, func(a, b backend.Artifact) int { return strings.Compare(a.Ref, b.Ref) })
	return artifacts, nil
}

func artifactOf(img image, ref string) backend.Artifact {
	return backend.Artifact{
		Ref:       ref,
		ID:        img.ID,
		SizeBytes: img.Size,
		CreatedAt: parseTime(img.Created),
		Layers:    len(img.RootFS.Layers),
	}
}

// checkpointRefs returns those of an image's tags that are checkpoints, as
// registry entries have them: Podman adds the registry's name.
func checkpointRefs(tags []string) []string {
	var refs []string
	for _, tag := range tags {
		named, err := reference.ParseNormalizedNamed(tag)
		if err == nil && reference.FamiliarName(named) == checkpointRepository {
			refs = append(refs, reference.FamiliarString(named))
		}
	}
	return refs
}
