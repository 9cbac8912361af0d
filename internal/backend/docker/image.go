package docker

import (
	"context"
	"errors"
	"fmt"

	cerrdefs "github.com/containerd/errdefs"
	"github.com/distribution/reference"
	imagetypes "github.com/docker/docker/api/types/image"
	dockerspec "github.com/moby/docker-image-spec/specs-go/v1"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// The repositories that only ever hold what was made on the engine. Somebody
// could publish images under their names: they are never pulled.
const (
	checkpointRepository = "rightsize/checkpoint"
	baseRepository       = "rightsize/base"
)

// image is an image that the engine has.
type image struct {
	// Ref is the reference it was asked for with.
	Ref string
	// InspectResponse is the engine's description; its Config is never nil.
	imagetypes.InspectResponse
}

// ParseReference reports whether ref can name an image: a repository with an
// optional tag or digest, or an image id.
func ParseReference(ref string) error {
	_, err := parseReference(ref)
	return err
}

// parsedReference is a reference as the user meant it: with the default
// registry and tag, or an image id.
type parsedReference struct {
	// named is nil for an image id.
	named reference.Named
	// engine is the form that the engine looks the image up by.
	engine string
}

func parseReference(ref string) (parsedReference, error) {
	invalid := func(cause error) error {
		return &backend.Error{
			Tried:  fmt.Sprintf("read the image reference %q", ref),
			Cause:  cause,
			Remedy: "Use a reference such as \"postgres:16-alpine\" or \"registry.example.com/team/app@sha256:...\", or an image id.",
			Field:  backend.FieldImage,
		}
	}
	parsed, err := reference.ParseAnyReference(ref)
	if err != nil {
		return parsedReference{}, invalid(err)
	}
	named, ok := parsed.(reference.Named)
	if !ok {
		return parsedReference{engine: parsed.String()}, nil
	}
	named = reference.TagNameOnly(named)
	return parsedReference{named: named, engine: reference.FamiliarString(named)}, nil
}

// ours reports whether the image can only have been made on the engine.
func (p parsedReference) ours() bool {
	if p.named == nil {
		return false
	}
	name := reference.FamiliarName(p.named)
	return name == checkpointRepository || name == baseRepository
}

// resolveImage returns the image that ref names, pulled as policy says.
// Concurrent calls for the same reference share one pull and one inspect.
func (b *Backend) resolveImage(ctx context.Context, ref string, policy backend.PullPolicy) (image, error) {
	parsed, err := parseReference(ref)
	if err != nil {
		return image{}, err
	}
	img, err := b.resolves.do(ctx, string(policy)+" "+parsed.engine, func(ctx context.Context) (image, error) {
		if policy == backend.PullAlways && parsed.named != nil && !parsed.ours() {
			if err := b.pull(ctx, parsed); err != nil {
				return image{}, err
			}
			return b.inspectImage(ctx, parsed.engine)
		}
		img, err := b.inspectImage(ctx, parsed.engine)
		if !errors.Is(err, backend.ErrNotFound) {
			return img, err
		}
		if err := refusePull(parsed, policy, err); err != nil {
			return image{}, err
		}
		if err := b.pull(ctx, parsed); err != nil {
			return image{}, err
		}
		return b.inspectImage(ctx, parsed.engine)
	})
	if err != nil {
		return image{}, err
	}
	img.Ref = ref
	return img, nil
}

// refusePull returns an error if an image that the engine does not have must
// not be pulled.
func refusePull(parsed parsedReference, policy backend.PullPolicy, missing error) error {
	var failure *backend.Error
	if !errors.As(missing, &failure) {
		return missing
	}
	refusal := *failure
	refusal.Field = backend.FieldImage
	switch {
	case parsed.named == nil:
		refusal.Remedy = "An image id is only known to the engine that has the image: use a reference with a name to have it pulled."
	case parsed.ours():
		refusal.Remedy = "Images of this repository are made on the engine and never pulled: capture the checkpoint again."
	case policy == backend.PullNever:
		refusal.Remedy = "Pull the image first, or let the provider pull it with pull_policy = \"missing\"."
	default:
		return nil
	}
	return &refusal
}

// inspectImage returns the image with this id or reference as the engine has
// it, or ErrNotFound.
func (b *Backend) inspectImage(ctx context.Context, idOrRef string) (image, error) {
	api, err := b.api(ctx)
	if err != nil {
		return image{}, err
	}
	response, err := again(ctx, func() (imagetypes.InspectResponse, error) { return api.ImageInspect(ctx, idOrRef) })
	if err != nil {
		return image{}, b.failImage("inspect image "+idOrRef, err)
	}
	if response.Config == nil {
		response.Config = &dockerspec.DockerOCIImageConfig{}
	}
	return image{Ref: idOrRef, InspectResponse: response}, nil
}

// failImage is fail for an operation on an image that the user named.
func (b *Backend) failImage(tried string, err error) error {
	err = b.fail(tried, err)
	var failure *backend.Error
	if errors.As(err, &failure) && cerrdefs.IsNotFound(failure.Cause) {
		failure.Field = backend.FieldImage
	}
	return err
}
