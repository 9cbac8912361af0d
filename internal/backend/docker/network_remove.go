package docker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	cerrdefs "github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/network"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/faultpoint"
)

// removeNetworkAttempts bounds how often the removal of a network is begun again
// because a container has come onto it between the two steps.
const removeNetworkAttempts = 3

// RemoveNetwork takes the containers that were made here off the network and
// deletes it. Those that do not run are on no network for the engine: it lets
// theirs go, and [Backend.Attach] mends them.
func (b *Backend) RemoveNetwork(ctx context.Context, id string) ([]backend.Detached, error) {
	api, err := b.api(ctx)
	if err != nil {
		return nil, err
	}
	var detached []backend.Detached
	for attempt := 1; ; attempt++ {
		info, err := b.inspectNetwork(ctx, id)
		if errors.Is(err, backend.ErrNotFound) {
			return detached, nil
		}
		if err != nil {
			return detached, err
		}
		left, err := b.detachAll(ctx, info)
		detached = append(detached, left...)
		if err != nil {
			return detached, err
		}
		faultpoint.Reach(ctx, faultpoint.Detached)
		err = againErr(ctx, func() error { return api.NetworkRemove(ctx, info.ID) })
		switch {
		case err == nil || cerrdefs.IsNotFound(err):
			faultpoint.Reach(ctx, faultpoint.NetworkRemoved)
			return detached, nil
		// 403, "has active endpoints" (20.10), is that of predefined networks, too.
		case !cerrdefs.IsPermissionDenied(err) && !cerrdefs.IsConflict(err) || attempt == removeNetworkAttempts:
			return detached, b.fail("remove network "+info.Name, err)
		}
	}
}

// detachAll takes every container off a network, or none if one of them is
// somebody else's.
func (b *Backend) detachAll(ctx context.Context, info network.Inspect) ([]backend.Detached, error) {
	var (
		own     []backend.Detached
		foreign []string
	)
	for id, endpoint := range info.Containers {
		c, err := b.Inspect(ctx, id)
		switch {
		case errors.Is(err, backend.ErrNotFound):
			// It is being removed, or the engine has forgotten its end of the
			// network, which then goes by the name that it had.
			own = append(own, backend.Detached{Container: endpoint.Name})
		case err != nil:
			return nil, err
		case !c.Managed:
			foreign = append(foreign, c.Name)
		default:
			at := slices.IndexFunc(c.Given.Networks, func(a backend.Attachment) bool { return a.Network == info.Name })
			if at >= 0 {
				own = append(own, backend.Detached{Container: c.ID, Attachment: c.Given.Networks[at]})
			}
		}
	}
	if len(foreign) > 0 {
		slices.Sort(foreign)
		return nil, b.networkInUse(info.Name, foreign)
	}
	var detached []backend.Detached
	for _, left := range own {
		err := b.disconnect(ctx, left.Container, info.ID)
		if err != nil {
			return detached, err
		}
		if left.Attachment.Network != "" {
			detached = append(detached, left)
		}
	}
	return detached, nil
}

func (b *Backend) networkInUse(name string, containers []string) error {
	failure := &backend.Error{
		Kind:   backend.ErrConflict,
		Tried:  "remove network " + name,
		Cause:  fmt.Errorf("containers are on it that this provider has not made: %s", strings.Join(containers, ", ")),
		Remedy: fmt.Sprintf("Take them off it, as with \"docker network disconnect %s %s\", or remove them.", name, containers[0]),
	}
	if conn := b.connection.Load(); conn != nil {
		failure.Tried += " on " + conn.endpoint.address()
	}
	return failure
}
