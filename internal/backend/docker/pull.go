package docker

import (
	"context"
	"errors"
	"fmt"

	cerrdefs "github.com/containerd/errdefs"
	"github.com/distribution/reference"
	imagetypes "github.com/docker/docker/api/types/image"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// pull fetches an image from its registry.
func (b *Backend) pull(ctx context.Context, ref parsedReference) error {
	api, err := b.api(ctx)
	if err != nil {
		return err
	}
	// Credentials that cannot be read are no reason not to try: most images are
	// public. They are mentioned if the pull fails.
	auth, authErr := registryAuth(b.env, ref.named)

	stream, err := api.ImagePull(ctx, ref.named.String(), imagetypes.PullOptions{RegistryAuth: auth})
	if err == nil {
		defer func() { _ = stream.Close() }()
		err = drain(stream)
	}
	if err == nil {
		return nil
	}
	return b.failPull(ref, err, authErr)
}

func (b *Backend) failPull(ref parsedReference, err, authErr error) error {
	tried := "pull image " + ref.engine
	interrupted := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	if interrupted || isDisconnect(err) {
		return b.fail(tried, err)
	}

	remedy := pullRemedy(ref, err)
	if authErr != nil {
		err = fmt.Errorf("%w (pulled without credentials: %w)", err, authErr)
	}
	var failure *backend.Error
	errors.As(b.fail(tried, err), &failure)
	failure.Kind = backend.ErrImageUnavailable
	failure.Remedy = remedy
	failure.Field = backend.FieldImage
	return failure
}

func pullRemedy(ref parsedReference, err error) string {
	domain := reference.Domain(ref.named)
	login := "docker login " + domain
	if domain == hubDomain {
		login = "docker login"
	}
	switch {
	case cerrdefs.IsUnauthorized(err), cerrdefs.IsPermissionDenied(err):
		return fmt.Sprintf("Run %q on this machine with an account that may pull the image.", login)
	case cerrdefs.IsNotFound(err):
		return fmt.Sprintf("Check the name and the tag of the image; if its repository is private, run %q on this machine first.", login)
	case cerrdefs.IsInvalidArgument(err):
		return "Check the name and the tag of the image."
	default:
		// Engines 20.10 and 26 answer 500 both when the registry is out of reach
		// and when it asks for an account.
		return fmt.Sprintf("Check that the engine's host can reach %s; if that registry asks for an account, run %q on this machine.", domain, login)
	}
}
