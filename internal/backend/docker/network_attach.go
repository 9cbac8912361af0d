package docker

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	cerrdefs "github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/network"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/faultpoint"
)

// Attach puts a container on exactly these networks. It joins first and leaves
// then: while a container is on some network its published ports answer, which
// the engine moves from one to the other.
func (b *Backend) Attach(ctx context.Context, id string, wanted []backend.Attachment) error {
	info, err := b.inspect(ctx, id)
	if err != nil {
		return err
	}
	ids, err := b.networkIDs(ctx, wanted)
	if err != nil {
		return err
	}
	wanted = backend.SortedAttachments(wanted)
	if len(wanted) == 0 {
		wanted, ids = []backend.Attachment{{Network: network.NetworkBridge}}, map[string]string{network.NetworkBridge: ""}
	}
	var endpoints map[string]*network.EndpointSettings
	if info.NetworkSettings != nil {
		endpoints = info.NetworkSettings.Networks
	}
	for _, a := range wanted {
		endpoint, attached := endpoints[a.Network]
		if attached && isAttached(info, endpoint, a, ids[a.Network]) {
			continue
		}
		if attached {
			// Aliases do not change in place, and a network that was made anew
			// is another one under the same name.
			if err := b.disconnect(ctx, info.ID, a.Network); err != nil {
				return err
			}
		}
		if err := b.join(ctx, info.ID, a); err != nil {
			return err
		}
		faultpoint.Reach(ctx, faultpoint.Attached)
	}
	for _, name := range slices.Sorted(maps.Keys(endpoints)) {
		if slices.ContainsFunc(wanted, func(a backend.Attachment) bool { return a.Network == name }) {
			continue
		}
		if err := b.disconnect(ctx, info.ID, name); err != nil {
			return err
		}
	}
	return nil
}

// isAttached says whether a container is on a network in the wanted way. The
// engine learns the network's id when the container is first started, and keeps
// that of one which has gone since. That of the default network never changes.
func isAttached(info container.InspectResponse, endpoint *network.EndpointSettings, wanted backend.Attachment, id string) bool {
	if endpoint == nil {
		return false
	}
	same := endpoint.NetworkID == "" || endpoint.NetworkID == id || isDefaultNetwork(wanted.Network)
	return same && slices.Equal(aliasesOf(info, endpoint), wanted.Aliases)
}

// networkIDs returns the id of each network that a container is to be on.
func (b *Backend) networkIDs(ctx context.Context, wanted []backend.Attachment) (map[string]string, error) {
	ids := make(map[string]string, len(wanted))
	for _, a := range wanted {
		found, err := b.InspectNetwork(ctx, a.Network)
		if err == nil && found.Name != a.Network {
			// A container's networks go by their names.
			err = &backend.Error{Kind: backend.ErrNotFound, Tried: "look for a network of the name " + a.Network}
		}
		if failure, ok := errors.AsType[*backend.Error](err); ok {
			failure.Field = backend.FieldNetworks
		}
		if err != nil {
			return nil, err
		}
		ids[a.Network] = found.ID
	}
	return ids, nil
}

func (b *Backend) join(ctx context.Context, containerID string, a backend.Attachment) error {
	api, err := b.api(ctx)
	if err != nil {
		return err
	}
	err = againErr(ctx, func() error {
		return api.NetworkConnect(ctx, a.Network, containerID, &network.EndpointSettings{Aliases: a.Aliases})
	})
	err = b.fail("put container "+containerID+" on network "+a.Network, err)
	if failure, ok := errors.AsType[*backend.Error](err); ok {
		failure.Field = backend.FieldNetworks
	}
	return err
}

// disconnect takes a container off a network, also off one that is gone.
func (b *Backend) disconnect(ctx context.Context, containerID, networkID string) error {
	api, err := b.api(ctx)
	if err != nil {
		return err
	}
	err = againErr(ctx, func() error { return api.NetworkDisconnect(ctx, networkID, containerID, true) })
	if cerrdefs.IsNotFound(err) {
		return nil
	}
	return b.fail("take container "+containerID+" off network "+networkID, err)
}

// networkNames returns the names of the networks in an answer of the engine,
// without its default ones.
func networkNames(endpoints map[string]*network.EndpointSettings) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(endpoints)) {
		if !isDefaultNetwork(name) {
			names = append(names, name)
		}
	}
	return names
}

// attachmentsOf returns the networks that a container is on.
func attachmentsOf(info container.InspectResponse) []backend.Attachment {
	if info.NetworkSettings == nil {
		return nil
	}
	var attachments []backend.Attachment
	for _, name := range networkNames(info.NetworkSettings.Networks) {
		attachments = append(attachments, backend.Attachment{
			Network: name, Aliases: aliasesOf(info, info.NetworkSettings.Networks[name]),
		})
	}
	return attachments
}

// aliasesOf returns the aliases that the container's creator gave, in order. The
// engine adds the beginning of the container's id (before 25, and for clients of
// before 25).
func aliasesOf(info container.InspectResponse, endpoint *network.EndpointSettings) []string {
	if endpoint == nil {
		return nil
	}
	var aliases []string
	for _, alias := range slices.Sorted(slices.Values(endpoint.Aliases)) {
		if !strings.HasPrefix(info.ID, alias) {
			aliases = append(aliases, alias)
		}
	}
	return slices.Compact(aliases)
}

// networking is what a container's creation says of its networks: it is made on
// the first of them, since an engine (before 25) takes no more than one, and
// joins the others before it is started.
func networking(attachments []backend.Attachment) (container.NetworkMode, *network.NetworkingConfig) {
	if len(attachments) == 0 {
		return "", nil
	}
	first := attachments[0]
	return container.NetworkMode(first.Network), &network.NetworkingConfig{EndpointsConfig: map[string]*network.EndpointSettings{
		first.Network: {Aliases: first.Aliases},
	}}
}
