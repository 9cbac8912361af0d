package microsandbox

import (
	"context"
	"errors"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/msb"
)

// resolveImage returns an image that msb has, pulling it if the policy says so.
func (b *Backend) resolveImage(ctx context.Context, ref string, policy backend.PullPolicy) (msb.Image, error) {
	client, err := b.msb(ctx)
	if err != nil {
		return msb.Image{}, err
	}
	if policy != backend.PullAlways {
		image, err := client.InspectImage(ctx, ref)
		if err == nil {
			return image, nil
		}
		absent := errors.Is(err, msb.ErrImageNotCached) || errors.Is(err, msb.ErrNotFound)
		if !absent || policy == backend.PullNever {
			return msb.Image{}, b.failImage("look for image "+ref, err, absent)
		}
	}
	if err := client.Pull(ctx, ref); err != nil {
		return msb.Image{}, b.failPull("pull image "+ref, err)
	}
	image, err := client.InspectImage(ctx, ref)
	return image, b.failImage("look for image "+ref, err, false)
}

// failImage is fail for an image that msb does not have.
func (b *Backend) failImage(tried string, err error, absent bool) error {
	if !absent {
		return b.fail(tried, err)
	}
	return &backend.Error{
		Kind:   backend.ErrNotFound,
		Tried:  tried + " with msb in " + b.home,
		Cause:  err,
		Remedy: `Load the image with "msb load" or "msb pull", or allow it to be pulled.`,
		Field:  backend.FieldImage,
	}
}

// failPull is fail for a pull: whatever msb says, the image is not to be had,
// unless it was the caller who gave up.
func (b *Backend) failPull(tried string, err error) error {
	failed := b.fail(tried, err)
	if failure, ok := errors.AsType[*backend.Error](failed); ok && failure.Kind == nil &&
		!errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		failure.Kind, failure.Field = backend.ErrImageUnavailable, backend.FieldImage
	}
	return failed
}
