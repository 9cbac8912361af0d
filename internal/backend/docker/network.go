package docker

import (
	"context"
	"errors"
	"maps"
	"strings"

	cerrdefs "github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/network"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// networkRemedy is for failures of which the engine gives no class. The usual
// one is that it has given away all its addresses.
const networkRemedy = "An engine has addresses for some 30 networks, unless its default-address-pools say otherwise: " +
	"\"docker network prune\" removes those that nothing uses."

// CreateNetwork makes a network of the engine's bridge driver, whose containers
// reach each other by name.
func (b *Backend) CreateNetwork(ctx context.Context, spec backend.NetworkSpec) (backend.Network, error) {
	tried := "create network " + spec.Name
	api, err := b.api(ctx)
	if err != nil {
		return backend.Network{}, err
	}
	if err := ctx.Err(); err != nil {
		return backend.Network{}, b.fail(tried, err)
	}
	labels := maps.Clone(spec.Labels)
	if labels == nil {
		labels = make(map[string]string)
	}
	labels[labelNetwork] = spec.Name
	labels[labelOwner] = spec.Owner

	// An interrupted request does not stop the engine, as with containers.
	detached, cancel := context.WithTimeout(context.WithoutCancel(ctx), createTimeout)
	defer cancel()
	id, err := again(detached, func() (string, error) {
		created, err := api.NetworkCreate(detached, spec.Name, network.CreateOptions{
			Driver: network.NetworkBridge, Internal: spec.Internal, Labels: labels,
		})
		if isDisconnect(err) || cerrdefs.IsConflict(err) {
			if id, made := b.networkCreatedFor(detached, spec); made {
				return id, nil
			}
		}
		return created.ID, err
	})
	if err != nil {
		return backend.Network{}, b.failNetwork(tried, err)
	}
	return b.InspectNetwork(detached, id)
}

// networkCreatedFor finds the network that a creation has made although its
// answer was lost. The name alone does not tell it from somebody else's.
func (b *Backend) networkCreatedFor(ctx context.Context, spec backend.NetworkSpec) (id string, made bool) {
	if spec.Owner == "" {
		return "", false
	}
	found, err := b.InspectNetwork(ctx, spec.Name)
	return found.ID, err == nil && found.Owner == spec.Owner
}

func (b *Backend) failNetwork(tried string, cause error) error {
	err := b.fail(tried, cause)
	failure, ok := errors.AsType[*backend.Error](err)
	switch {
	case !ok:
	case cerrdefs.IsConflict(cause):
		failure.Kind = backend.ErrNameTaken
		failure.Field = backend.FieldName
		failure.Remedy = "Import the network that has this name, remove it, or choose another name."
	case cerrdefs.IsInternal(cause):
		failure.Remedy = networkRemedy
	}
	return err
}

// InspectNetwork returns what the engine knows about one network.
func (b *Backend) InspectNetwork(ctx context.Context, id string) (backend.Network, error) {
	info, err := b.inspectNetwork(ctx, id)
	if err != nil {
		return backend.Network{}, err
	}
	return networkOf(info), nil
}

// ListNetworks returns every network of the engine.
func (b *Backend) ListNetworks(ctx context.Context) ([]backend.Network, error) {
	api, err := b.api(ctx)
	if err != nil {
		return nil, err
	}
	listed, err := again(ctx, func() ([]network.Summary, error) { return api.NetworkList(ctx, network.ListOptions{}) })
	if err != nil {
		return nil, b.fail("list networks", err)
	}
	networks := make([]backend.Network, 0, len(listed))
	for _, info := range listed {
		networks = append(networks, networkOf(info))
	}
	return networks, nil
}

func (b *Backend) inspectNetwork(ctx context.Context, id string) (network.Inspect, error) {
	tried := "look for network " + id
	if id == "" {
		// The client refuses it as well, with an error of its own.
		return network.Inspect{}, &backend.Error{Kind: backend.ErrNotFound, Tried: tried}
	}
	api, err := b.api(ctx)
	if err != nil {
		return network.Inspect{}, err
	}
	info, err := again(ctx, func() (network.Inspect, error) { return api.NetworkInspect(ctx, id, network.InspectOptions{}) })
	if err != nil {
		return network.Inspect{}, b.fail(tried, err)
	}
	if info.ID != id && info.Name != id {
		// The engine also finds a network by the beginning of its id.
		return network.Inspect{}, &backend.Error{Kind: backend.ErrNotFound, Tried: tried}
	}
	return info, nil
}

func networkOf(info network.Inspect) backend.Network {
	found := backend.Network{
		ID:       info.ID,
		Name:     info.Name,
		Internal: info.Internal,
		Managed:  info.Labels[labelNetwork] == info.Name,
		Owner:    info.Labels[labelOwner],
	}
	for key, value := range info.Labels {
		if strings.HasPrefix(key, ownLabels) {
			continue
		}
		if found.Labels == nil {
			found.Labels = make(map[string]string)
		}
		found.Labels[key] = value
	}
	return found
}

// isDefaultNetwork says that a network is one that every engine has, and that a
// container is on which asks for nothing: "podman" is Podman's.
func isDefaultNetwork(name string) bool {
	switch name {
	case network.NetworkBridge, network.NetworkHost, network.NetworkNone, network.NetworkNat, "podman":
		return true
	}
	return false
}
