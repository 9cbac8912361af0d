package docker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/docker/docker/client"
	dockerspec "github.com/moby/docker-image-spec/specs-go/v1"
	"github.com/opencontainers/go-digest"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// volumeFree returns the id of an image with the same content as img whose
// configuration declares no volumes: img itself if it declares none, else a
// copy that shares all layers. A container of the copy keeps its data in its
// writable layer, where a commit finds it.
//
// The copy is tagged with the digest of its source and is made again whenever
// it is gone: another process may drop it between this call and the creation of
// a container. It fails with ErrUnsupported if this engine does not take such a
// copy.
func (b *Backend) volumeFree(ctx context.Context, img image) (id string, err error) {
	if len(img.Config.Volumes) == 0 {
		return img.ID, nil
	}
	source, err := digest.Parse(img.ID)
	if err != nil {
		return "", unsupportedCopy(img, fmt.Errorf("the engine's image id %q is not a digest", img.ID))
	}
	tag := baseRepository + ":" + source.Encoded()
	return b.bases.do(ctx, img.ID, func(ctx context.Context) (string, error) {
		existing, err := b.inspectImage(ctx, tag)
		if err == nil && isCopy(existing, img) == nil {
			return existing.ID, nil
		}
		if err != nil && !errors.Is(err, backend.ErrNotFound) {
			return "", err
		}
		return b.makeCopy(ctx, img, tag)
	})
}

// makeCopy loads the copy into the engine and checks what arrived.
func (b *Backend) makeCopy(ctx context.Context, img image, tag string) (string, error) {
	engine, err := b.describe(ctx)
	if err != nil {
		return "", err
	}
	api, err := b.api(ctx)
	if err != nil {
		return "", err
	}

	pack := packFromInspect
	if engine.containerdStore {
		pack = packFromSave
	}
	archive, err := again(ctx, func() ([]byte, error) { return pack(ctx, api, img, tag) })
	if err == nil {
		err = againErr(ctx, func() error { return load(ctx, api, archive) })
	}
	if err != nil {
		return "", b.failCopy(ctx, img, err)
	}

	made, err := b.inspectImage(ctx, tag)
	if err != nil {
		return "", err
	}
	if err := isCopy(made, img); err != nil {
		b.untag(ctx, api, tag)
		return "", unsupportedCopy(img, err)
	}
	return made.ID, nil
}

// failCopy tells an engine that does not take the copy from one that could not
// be asked, and from a source that is gone.
func (b *Backend) failCopy(ctx context.Context, img image, err error) error {
	if ctx.Err() != nil || isDisconnect(err) {
		return b.fail("copy image "+img.Ref+" without its volumes", err)
	}
	if _, gone := b.inspectImage(ctx, img.ID); gone != nil {
		return gone
	}
	return unsupportedCopy(img, err)
}

func unsupportedCopy(img image, cause error) error {
	return &backend.Error{
		Kind:  backend.ErrUnsupported,
		Tried: "copy image " + img.Ref + " without its volumes",
		Cause: cause,
	}
}

// packFromInspect makes the archive for an engine with a graph driver, whose
// images have no more to them than what inspect returns.
func packFromInspect(ctx context.Context, api *client.Client, img image, tag string) ([]byte, error) {
	var raw bytes.Buffer
	if _, err := api.ImageInspect(ctx, img.ID, client.ImageInspectWithRawResponse(&raw)); err != nil {
		return nil, err
	}
	config, layers, err := configFromInspect(raw.Bytes())
	if err != nil {
		return nil, err
	}
	config, err = withoutVolumes(config, img.ID)
	if err != nil {
		return nil, err
	}
	return dockerArchive(config, layers, tag)
}

// packFromSave makes the archive for an engine with a containerd store. The
// manifest must name the layer blobs that the store has, compressed as they
// are, and only the image's own manifest knows them.
func packFromSave(ctx context.Context, api *client.Client, img image, tag string) ([]byte, error) {
	saved, err := api.ImageSave(ctx, []string{img.ID})
	if err != nil {
		return nil, err
	}
	defer func() { _ = saved.Close() }() // ends the transfer, however much is left

	source, err := readPlatformImage(saved, platformOf(img))
	if err != nil {
		return nil, err
	}
	config, err := withoutVolumes(source.config, img.ID)
	if err != nil {
		return nil, err
	}
	return ociLayout(source.manifest, config, tag)
}

// load sends an archive to the engine.
func load(ctx context.Context, api *client.Client, archive []byte) error {
	response, err := api.ImageLoad(ctx, bytes.NewReader(archive), client.ImageLoadWithQuiet(true))
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if !response.JSON {
		_, err = io.Copy(io.Discard, response.Body)
		return err
	}
	return drain(response.Body)
}

// isCopy returns an error unless candidate is a faithful copy of source without
// volumes: the tag it was found by is a name that anybody can give.
func isCopy(candidate, source image) error {
	if of := candidate.Config.Labels[labelBaseOf]; of != source.ID {
		return fmt.Errorf("the copy is marked as one of %q, not of %s", of, source.ID)
	}
	if len(candidate.Config.Volumes) > 0 {
		return errors.New("the copy still declares volumes")
	}
	if !slices.Equal(candidate.RootFS.Layers, source.RootFS.Layers) {
		return errors.New("the copy has other layers than the image")
	}
	if platformOf(candidate).String() != platformOf(source).String() {
		return errors.New("the copy is for another platform than the image")
	}
	same, err := sameConfig(candidate.Config, source.Config)
	if err != nil {
		return err
	}
	if !same {
		return errors.New("the copy's configuration differs in more than its volumes")
	}
	return nil
}

// sameConfig compares all but volumes and the label that marks a copy.
func sameConfig(a, b *dockerspec.DockerOCIImageConfig) (bool, error) {
	comparableForm := func(config dockerspec.DockerOCIImageConfig) ([]byte, error) {
		config.Volumes = nil
		config.Labels = maps.Clone(config.Labels)
		delete(config.Labels, labelBaseOf)
		return json.Marshal(config)
	}
	first, err := comparableForm(*a)
	if err != nil {
		return false, err
	}
	second, err := comparableForm(*b)
	if err != nil {
		return false, err
	}
	return bytes.Equal(first, second), nil
}

// dropBase removes the copy that a container ran from once the container is
// gone; imageRef is the container's image, as a tag or as an id. An image that
// is no copy is left alone, and so is a copy that something else still uses.
func (b *Backend) dropBase(ctx context.Context, imageRef string) {
	if img, err := b.inspectImage(ctx, imageRef); err == nil {
		b.dropBaseImage(ctx, img)
	}
}

func (b *Backend) dropBaseImage(ctx context.Context, img image) {
	if img.Config.Labels[labelBaseOf] == "" {
		return
	}
	api, err := b.api(ctx)
	if err != nil {
		return
	}
	for _, tag := range img.RepoTags {
		if strings.HasPrefix(tag, baseRepository+":") {
			b.untag(ctx, api, tag)
		}
	}
}

// untag removes a tag, and the image with it, unless something uses it. The
// engine refuses the rest, and what it refuses to remove is what has to stay.
func (b *Backend) untag(ctx context.Context, api *client.Client, tag string) {
	_ = deleteImage(ctx, api, tag)
}
