package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/provider"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/selection"
)

// NewWithBackend is [New] with another way to choose the backend.
func NewWithBackend(open func(context.Context, selection.Config) (backend.Backend, error)) provider.Provider {
	return &rightsizeProvider{version: "test", choose: func(config selection.Config) opener {
		return func(ctx context.Context) (backend.Backend, error) { return open(ctx, config) }
	}}
}
