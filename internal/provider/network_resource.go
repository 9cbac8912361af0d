package provider

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

var (
	_ resource.ResourceWithConfigure   = (*networkResource)(nil)
	_ resource.ResourceWithIdentity    = (*networkResource)(nil)
	_ resource.ResourceWithImportState = (*networkResource)(nil)
	_ resource.ResourceWithModifyPlan  = (*networkResource)(nil)
)

func newNetworkResource() resource.Resource { return &networkResource{} }

type networkResource struct{ resourceData }

// networkTimeout bounds each operation. None takes longer than some requests to
// the engine do.
const networkTimeout = 5 * time.Minute

func (r *networkResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_network"
}

func (r *networkResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = networkSchema()
}

func (r *networkResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identitySchema("network")
}

func (r *networkResource) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	data, diags := resourceDataFrom(req.ProviderData)
	resp.Diagnostics.Append(diags...)
	r.resourceData = data
}

// ModifyPlan plans the id of a network whose name is known, and refuses one that
// the backend in use cannot have.
func (r *networkResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() || !req.State.Raw.IsNull() {
		return
	}
	var plan networkModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if err := r.checkNetworks(); err != nil {
		resp.Diagnostics.Append(errorDiagnostic("Create", "Network", err, nowhere))
		return
	}
	resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("id"), plan.Name)...)
}

func (r *networkResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan networkModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() || r.refuse(&resp.Diagnostics) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, networkTimeout)
	defer cancel()

	name := plan.Name.ValueString()
	if plan.Name.IsUnknown() {
		name = generatedName()
	}
	spec, diags := plan.toSpec(ctx, name)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	n, err := r.fixtures.CreateNetwork(ctx, spec)
	if err != nil {
		resp.Diagnostics.Append(errorDiagnostic("Create", "Network", err, ofNetwork))
		return
	}
	resp.Diagnostics.Append(r.save(ctx, &plan, n, recorded{&resp.State, resp.Identity, resp.Private})...)
}

func (r *networkResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state networkModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	imported := state.NetworkID.IsNull()
	if !imported {
		resp.Diagnostics.Append(resp.Identity.Set(ctx, identityModel{state.Name, state.Backend})...)
	}
	if resp.Diagnostics.HasError() || r.fixtures == nil {
		return // A provider that is not configured yet knows nothing newer.
	}
	if imported {
		r.adopt(ctx, state, resp)
		return
	}
	if d := r.otherBackend(ctx, state); d != nil {
		resp.Diagnostics.Append(d)
		return
	}
	_, err := r.fixtures.Network(ctx, state.NetworkID.ValueString())
	if errors.Is(err, backend.ErrNotFound) {
		resp.Diagnostics.Append(r.otherEngine(ctx, req.Private, state)...)
		if !resp.Diagnostics.HasError() {
			resp.State.RemoveResource(ctx)
		}
		return
	}
	if err != nil {
		resp.Diagnostics.Append(errorDiagnostic("Read", "Network", err, nowhere))
	}
}

// Update has nothing to do: every change that means something replaces.
func (r *networkResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan networkModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
		resp.Diagnostics.Append(resp.Identity.Set(ctx, identityModel{plan.Name, plan.Backend})...)
	}
}

func (r *networkResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state networkModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || r.refuse(&resp.Diagnostics) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, networkTimeout)
	defer cancel()
	if d := r.otherBackend(ctx, state); d != nil {
		resp.Diagnostics.Append(d)
		return
	}
	resp.Diagnostics.Append(r.otherEngine(ctx, req.Private, state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	err := r.fixtures.RemoveNetwork(ctx, backend.Network{ID: state.NetworkID.ValueString(), Name: state.Name.ValueString()})
	if err != nil {
		resp.Diagnostics.Append(errorDiagnostic("Delete", "Network", err, nowhere))
	}
}

// ImportState takes the network's name, as an id or in an identity. Read does the
// rest.
func (r *networkResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	if r.refuse(&resp.Diagnostics) {
		return
	}
	r.importByName(ctx, "network", path.Root("id"), req, resp)
}

// adopt fills the state of a network that was just imported.
func (r *networkResource) adopt(ctx context.Context, state networkModel, resp *resource.ReadResponse) {
	if err := checkNetworkName(state.ID.ValueString()); err != nil {
		resp.Diagnostics.AddError("Invalid Value", fmt.Sprintf("What is imported must be %s: %s.", wantNetworkName, err))
		return
	}
	n, err := r.fixtures.InspectNetwork(ctx, state.ID.ValueString())
	if err == nil && n.Name != state.ID.ValueString() {
		err = &backend.Error{
			Kind: backend.ErrNotFound, Tried: fmt.Sprintf("look for a network with the name %q", state.ID.ValueString()),
			Remedy: fmt.Sprintf("That is the engine's id of a network. Import it by its name, %s.", n.Name),
		}
	}
	if err != nil {
		err = notThere(err, "The command docker network ls lists those that there are.")
		resp.Diagnostics.Append(errorDiagnostic("Import", "Network", err, nowhere))
		return
	}
	resp.Diagnostics.Append(state.adoptNetwork(ctx, n)...)
	resp.Diagnostics.Append(r.save(ctx, &state, n, recorded{&resp.State, resp.Identity, resp.Private})...)
}

// save completes a model with what the engine says of the network, and tells
// Terraform.
func (r *networkResource) save(ctx context.Context, m *networkModel, n backend.Network, to recorded) diag.Diagnostics {
	b, err := r.fixtures.Backend(ctx)
	if err != nil {
		return diag.Diagnostics{errorDiagnostic("Use", "Backend", err, nowhere)}
	}
	m.fromNetwork(b.Name(), n)
	diags := to.state.Set(ctx, m)
	diags.Append(to.identity.Set(ctx, identityOf(n.Name, b.Name()))...)
	diags.Append(writeEngine(ctx, r.fixtures, to.private)...)
	return diags
}

// ofNetwork finds the attribute of a network that is at fault.
func ofNetwork(field backend.Field, _ int) (path.Path, bool) {
	return path.Root("name"), field == backend.FieldName
}

// otherBackend is the diagnostic for a network of a backend that is not the
// active one.
func (r *networkResource) otherBackend(ctx context.Context, state networkModel) diag.Diagnostic {
	return otherBackend(ctx, r.fixtures, "network "+state.Name.ValueString(), state.Backend.ValueString())
}

// otherEngine is the diagnostic for a network of an engine that is not the active
// one.
func (r *networkResource) otherEngine(ctx context.Context, private privateReader, state networkModel) diag.Diagnostics {
	return otherEngine(ctx, r.fixtures, private, "network "+state.Name.ValueString(), func() bool {
		_, err := r.fixtures.Network(ctx, state.NetworkID.ValueString())
		return err == nil
	})
}

// refuse reports a provider that cannot be used yet.
func (r *networkResource) refuse(diags *diag.Diagnostics) bool {
	if r.fixtures == nil {
		diags.Append(notConfigured())
	}
	return r.fixtures == nil
}
