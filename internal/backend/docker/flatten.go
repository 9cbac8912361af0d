package docker

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/docker/docker/api/types/container"
	imagetypes "github.com/docker/docker/api/types/image"
	"github.com/docker/docker/client"
	"github.com/opencontainers/go-digest"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/filetar"
	"github.com/rightsize/terraform-provider-rightsize/internal/faultpoint"
)

// flatten makes an image of one layer of a container's filesystem without its
// mounts.
//
// The engine's export streams into its import, and nothing is kept on the way.
// What is imported has the files and no configuration. That comes from a helper,
// a container of it that is never started and has the configuration of the one
// that is captured: a commit of the helper is the result, as it is of a capture
// with volumes. The helper has written nothing, for which a commit adds no layer.
func (b *Backend) flatten(ctx context.Context, info container.InspectResponse, opts backend.CaptureOptions) (_ string, err error) {
	api, err := b.api(ctx)
	if err != nil {
		return "", err
	}
	parent, err := b.inspectImage(ctx, info.Image)
	if err != nil {
		return "", err
	}
	var imported, helperID string
	defer func() { b.dropIntermediates(ctx, imported, helperID) }()

	progress(opts, "copy the files of container %s into one layer", nameOf(info))
	if imported, err = b.importFiles(ctx, api, info, parent, opts); err != nil {
		return "", err
	}
	faultpoint.Reach(ctx, faultpoint.Imported)
	if helperID, err = b.makeHelper(ctx, api, configLike(*info.Config, imported), opts); err != nil {
		return "", err
	}
	faultpoint.Reach(ctx, faultpoint.HelperMade)

	progress(opts, "commit the copy of container %s", nameOf(info))
	helper, err := b.inspect(ctx, helperID)
	if err != nil {
		return "", err
	}
	return b.commit(ctx, helper, opts.Name, false)
}

// importFiles makes an image of the files of a container, which is frozen while
// they are read.
func (b *Backend) importFiles(ctx context.Context, api *client.Client, info container.InspectResponse, parent image, opts backend.CaptureOptions) (id string, err error) {
	resume, err := b.freeze(ctx, api, info)
	if err != nil {
		return "", err
	}
	defer func() {
		if left := resume(); left != nil && !errors.Is(err, left) {
			err = errors.Join(err, left)
		}
	}()
	read := func(w io.Writer) error {
		files, err := api.ContainerExport(ctx, info.ID)
		if err != nil {
			return err
		}
		defer func() { _ = files.Close() }()
		if _, err := io.Copy(w, files); err != nil {
			return err
		}
		return resume()
	}
	write := func(r io.Reader) error {
		answer, err := api.ImageImport(ctx, imagetypes.ImportSource{Source: r, SourceName: "-"}, "", imagetypes.ImportOptions{
			Platform: platformOf(parent).String(),
			// By which Collect finds it.
			Changes: []string{"LABEL " + labelCheckpoint + "=" + opts.Name},
		})
		if err != nil {
			return err
		}
		defer func() { _ = answer.Close() }()
		id, err = importedID(answer)
		return err
	}
	// An import whose answer was lost may have made an image, which Collect finds.
	err = againErr(ctx, func() error { return filetar.Pipe(read, write) })
	if ctx.Err() != nil && err != nil {
		return "", &backend.Error{Kind: backend.ErrUnfinished, Tried: "flatten container " + nameOf(info), Cause: ctx.Err()}
	}
	return id, b.fail("flatten container "+nameOf(info), err)
}

// importedID reads the answer to an import to its end. The last thing that it
// says is the id of the image.
func importedID(answer io.Reader) (string, error) {
	status, err := lastStatus(answer)
	if err != nil {
		return "", err
	}
	id, err := digest.Parse(status)
	if err != nil {
		return "", fmt.Errorf("the engine does not say which image it has made, but %q", status)
	}
	return id.String(), nil
}

// configLike is the configuration of a container of an image that is to run what
// another container runs. It declares no volumes: their data is in the image.
func configLike(config container.Config, imageID string) *container.Config {
	config.Image = imageID
	config.Volumes = nil
	// These are the container's alone.
	config.Hostname, config.Domainname = "", ""
	config.MacAddress = "" //nolint:staticcheck // Engines before 1.44 tell it here, and later ones refuse it here.
	return &config
}
