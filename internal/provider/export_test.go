package provider

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/provider"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/selection"
)

// NewWithBackend is [New] with another way to choose the backend.
func NewWithBackend(open func(context.Context, selection.Config) (backend.Backend, error)) provider.Provider {
	return NewWithClock(open, nil)
}

// NewWithClock is [NewWithBackend] with another clock; nil is the system's.
func NewWithClock(open func(context.Context, selection.Config) (backend.Backend, error), now func() time.Time) provider.Provider {
	return &rightsizeProvider{version: "test", now: now, choose: func(config selection.Config) opener {
		return func(ctx context.Context) (backend.Backend, error) { return open(ctx, config) }
	}}
}
