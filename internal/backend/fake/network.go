package fake

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// network is one network. Its fields are guarded by the mutex of its [Backend].
type network struct {
	info backend.Network
	// number orders networks by creation.
	number int
}

// CreateNetwork makes a network.
func (b *Backend) CreateNetwork(ctx context.Context, spec backend.NetworkSpec) (_ backend.Network, err error) {
	spec.Labels = maps.Clone(spec.Labels)
	end, err := b.begin(ctx, Call{Method: CreateNetwork, Target: spec.Name, Network: spec})
	if err != nil {
		return backend.Network{}, err
	}
	defer end(&err)

	b.mu.Lock()
	defer b.mu.Unlock()
	tried := b.tried("create network %s", spec.Name)
	if err := b.canNetwork(tried); err != nil {
		return backend.Network{}, err
	}
	if other, taken := b.findNetwork(spec.Name); taken {
		return backend.Network{}, &backend.Error{
			Kind: backend.ErrNameTaken, Tried: tried, Cause: fmt.Errorf("network %s has the name", other.info.ID[:12]),
			Remedy: "Import the network that has this name, or choose another name.", Field: backend.FieldName,
		}
	}
	id := strings.TrimPrefix(b.digest(spec.Name), "sha256:")
	n := &network{number: b.sequence, info: backend.Network{
		ID: id, Name: spec.Name, Internal: spec.Internal, Labels: maps.Clone(spec.Labels), Managed: true, Owner: spec.Owner,
	}}
	b.networks[id] = n
	return n.inspect(), nil
}

// RemoveNetwork takes the containers off a network and deletes it.
func (b *Backend) RemoveNetwork(ctx context.Context, id string) (_ []backend.Detached, err error) {
	end, err := b.begin(ctx, Call{Method: RemoveNetwork, Target: id})
	if err != nil {
		return nil, err
	}
	defer end(&err)

	b.mu.Lock()
	defer b.mu.Unlock()
	tried := b.tried("remove network %s", id)
	if err := b.canNetwork(tried); err != nil {
		return nil, err
	}
	n, ok := b.findNetwork(id)
	if !ok {
		return nil, nil
	}
	on := b.runningOn(n)
	var foreign []string
	for _, c := range on {
		if c.foreign {
			foreign = append(foreign, c.name)
		}
	}
	if len(foreign) > 0 {
		return nil, &backend.Error{
			Kind: backend.ErrConflict, Tried: tried,
			Cause:  fmt.Errorf("containers of somebody else are on it: %s", strings.Join(foreign, ", ")),
			Remedy: "Take them off the network.",
		}
	}
	var detached []backend.Detached
	for _, c := range on {
		i := slices.IndexFunc(c.joined, func(j joined) bool { return j.id == n.info.ID })
		detached = append(detached, backend.Detached{Container: c.id, Attachment: c.joined[i].attachment()})
		c.joined = slices.Delete(slices.Clone(c.joined), i, i+1)
	}
	delete(b.networks, n.info.ID)
	return detached, nil
}

// InspectNetwork returns one network.
func (b *Backend) InspectNetwork(ctx context.Context, id string) (_ backend.Network, err error) {
	end, err := b.begin(ctx, Call{Method: InspectNetwork, Target: id})
	if err != nil {
		return backend.Network{}, err
	}
	defer end(&err)

	b.mu.Lock()
	defer b.mu.Unlock()
	tried := b.tried("look for network %s", id)
	if err := b.canNetwork(tried); err != nil {
		return backend.Network{}, err
	}
	n, ok := b.findNetwork(id)
	if !ok {
		return backend.Network{}, &backend.Error{Kind: backend.ErrNotFound, Tried: tried}
	}
	return n.inspect(), nil
}

// ListNetworks returns every network, the oldest first.
func (b *Backend) ListNetworks(ctx context.Context) (_ []backend.Network, err error) {
	end, err := b.begin(ctx, Call{Method: ListNetworks})
	if err != nil {
		return nil, err
	}
	defer end(&err)

	b.mu.Lock()
	err = b.canNetwork(b.tried("list networks"))
	b.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return b.AllNetworks(), nil
}

// AllNetworks returns every network, the oldest first, without counting as a
// call.
func (b *Backend) AllNetworks() []backend.Network {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := slices.SortedFunc(maps.Values(b.networks), func(x, y *network) int { return cmp.Compare(x.number, y.number) })
	inspected := make([]backend.Network, len(all))
	for i, n := range all {
		inspected[i] = n.inspect()
	}
	return inspected
}

func (n *network) inspect() backend.Network {
	info := n.info
	info.Labels = maps.Clone(info.Labels)
	return info
}

// canNetwork fails on an engine that has no networks. The caller holds b.mu.
func (b *Backend) canNetwork(tried string) error {
	if b.engine.Capabilities.Networks {
		return nil
	}
	return &backend.Error{
		Kind: backend.ErrUnsupported, Tried: tried, Cause: fmt.Errorf("this engine has no networks"),
		Remedy: "Use an engine that has.", Field: backend.FieldNetworks,
	}
}

// findNetwork returns a network by id or name. The caller holds b.mu.
func (b *Backend) findNetwork(id string) (*network, bool) {
	if n, ok := b.networks[id]; ok {
		return n, true
	}
	for _, n := range b.networks {
		if n.info.Name == id {
			return n, true
		}
	}
	return nil, false
}

// runningOn returns the containers that run and are on a network, by name. The
// caller holds b.mu.
func (b *Backend) runningOn(n *network) []*container {
	var on []*container
	for _, c := range b.containers {
		if c.running() && slices.ContainsFunc(c.joined, func(j joined) bool { return j.id == n.info.ID }) {
			on = append(on, c)
		}
	}
	slices.SortFunc(on, func(x, y *container) int { return cmp.Compare(x.name, y.name) })
	return on
}
