package backend

import (
	"cmp"
	"context"
	"slices"
)

// Networks joins containers, so that they reach each other by name on every
// port, published or not. A backend without the capability answers each method
// with ErrUnsupported. Every id of a network may be its id or its name.
type Networks interface {
	// CreateNetwork makes a network. It fails with ErrNameTaken if there is one
	// of that name, whoever made it.
	CreateNetwork(ctx context.Context, spec NetworkSpec) (Network, error)
	// RemoveNetwork takes the containers that this provider made off the network
	// and deletes it, and returns those that it took off and that run. It fails
	// with ErrConflict, names them and changes nothing while containers of
	// somebody else are on the network. A missing one is no error.
	RemoveNetwork(ctx context.Context, id string) ([]Detached, error)
	// InspectNetwork returns everything known about one network, or ErrNotFound.
	InspectNetwork(ctx context.Context, id string) (Network, error)
	// ListNetworks returns every network of the engine in one call.
	ListNetworks(ctx context.Context) ([]Network, error)
	// Attach puts a container, running or not, on exactly these networks, and on
	// the engine's default one if there are none. What it is on already in this
	// way is left as it is. It fails with ErrNotFound, and changes nothing, if
	// the container or one of the networks is missing.
	Attach(ctx context.Context, container string, networks []Attachment) error
}

// NetworkSpec is what a network is made from.
type NetworkSpec struct {
	// Name is unique in the engine.
	Name string
	// Internal leaves the network without a way out, and without a way in:
	// containers that are on no other publish no ports.
	Internal bool
	Labels   map[string]string
	// Owner is as in [Spec].
	Owner string
}

// Network is what a backend knows about one network.
type Network struct {
	// ID never stands for another network, even one of the same name.
	ID       string
	Name     string
	Internal bool
	// Labels are those of its creator, without this provider's own.
	Labels map[string]string
	// Managed says that this provider created the network.
	Managed bool
	// Owner is the [NetworkSpec]'s; empty if there was none.
	Owner string
}

// Attachment is a network that a container is on, and how it is known there
// beside its own name.
type Attachment struct {
	Network string
	// Aliases are other names of the container on this network. Nil means none.
	Aliases []string
}

// Detached is a container that was taken off a network.
type Detached struct {
	Container  string
	Attachment Attachment
}

// SortedAttachments returns attachments in order, so that they can be compared:
// the order means nothing, neither of networks nor of aliases.
func SortedAttachments(attachments []Attachment) []Attachment {
	if len(attachments) == 0 {
		return nil
	}
	sorted := make([]Attachment, 0, len(attachments))
	for _, a := range attachments {
		sorted = append(sorted, Attachment{Network: a.Network, Aliases: slices.Sorted(slices.Values(a.Aliases))})
	}
	slices.SortFunc(sorted, func(a, b Attachment) int { return cmp.Compare(a.Network, b.Network) })
	return sorted
}
