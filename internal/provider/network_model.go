package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

type networkModel struct {
	Name     types.String `tfsdk:"name"`
	Internal types.Bool   `tfsdk:"internal"`
	Labels   types.Map    `tfsdk:"labels"`

	ID        types.String `tfsdk:"id"`
	NetworkID types.String `tfsdk:"network_id"`
	Backend   types.String `tfsdk:"backend"`
}

// toSpec converts a plan that is fully known. name is the plan's, or a generated
// one.
func (m networkModel) toSpec(ctx context.Context, name string) (backend.NetworkSpec, diag.Diagnostics) {
	spec := backend.NetworkSpec{Name: name, Internal: m.Internal.ValueBool()}
	diags := m.Labels.ElementsAs(ctx, &spec.Labels, false)
	return spec, diags
}

// fromNetwork sets what is computed to what the engine says.
func (m *networkModel) fromNetwork(name backend.Name, n backend.Network) {
	m.ID = types.StringValue(n.Name)
	m.Name = types.StringValue(n.Name)
	m.NetworkID = types.StringValue(n.ID)
	m.Backend = types.StringValue(string(name))
}

// adoptNetwork sets what a user would have written to what the network was
// created with.
func (m *networkModel) adoptNetwork(ctx context.Context, n backend.Network) diag.Diagnostics {
	var diags diag.Diagnostics
	if n.Internal {
		m.Internal = types.BoolValue(true)
	}
	m.Labels = stringMapOrNull(ctx, n.Labels, &diags)
	return diags
}
