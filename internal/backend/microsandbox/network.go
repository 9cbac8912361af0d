package microsandbox

import (
	"context"
	"errors"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// msb has no networks that join its VMs: each has one of its own, from which it
// reaches the host and what lies behind it, and knows no other by name (msb
// 0.6.18). A program that relays between them would have to live on beside
// Terraform.

// CreateNetwork fails with ErrUnsupported.
func (b *Backend) CreateNetwork(_ context.Context, spec backend.NetworkSpec) (backend.Network, error) {
	return backend.Network{}, noNetworks("create network " + spec.Name)
}

// RemoveNetwork fails with ErrUnsupported.
func (b *Backend) RemoveNetwork(_ context.Context, id string) ([]backend.Detached, error) {
	return nil, noNetworks("remove network " + id)
}

// InspectNetwork fails with ErrUnsupported.
func (b *Backend) InspectNetwork(_ context.Context, id string) (backend.Network, error) {
	return backend.Network{}, noNetworks("look for network " + id)
}

// ListNetworks fails with ErrUnsupported.
func (b *Backend) ListNetworks(context.Context) ([]backend.Network, error) {
	return nil, noNetworks("list networks")
}

// Attach fails with ErrUnsupported.
func (b *Backend) Attach(_ context.Context, container string, _ []backend.Attachment) error {
	return noNetworks("put container " + container + " on networks")
}

func noNetworks(tried string) error {
	return &backend.Error{
		Kind: backend.ErrUnsupported, Tried: tried,
		Cause:  errors.New("microVMs of microsandbox cannot be joined by a network"),
		Remedy: "Use backend \"docker\" (RIGHTSIZE_BACKEND=docker) for containers that reach each other by name, or reach a container by its host and mapped_ports.",
		Field:  backend.FieldNetworks,
	}
}
