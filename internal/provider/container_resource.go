package provider

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/fixture"
)

var (
	_ resource.ResourceWithConfigure      = (*containerResource)(nil)
	_ resource.ResourceWithIdentity       = (*containerResource)(nil)
	_ resource.ResourceWithImportState    = (*containerResource)(nil)
	_ resource.ResourceWithModifyPlan     = (*containerResource)(nil)
	_ resource.ResourceWithValidateConfig = (*containerResource)(nil)
)

func newContainerResource() resource.Resource { return &containerResource{} }

type containerResource struct{ resourceData }

// How long each operation may take if the user does not say.
const (
	containerCreateTimeout = 30 * time.Minute
	containerUpdateTimeout = 30 * time.Minute
	containerDeleteTimeout = 5 * time.Minute
)

func (r *containerResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_container"
}

func (r *containerResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = containerSchema(ctx)
}

func (r *containerResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identitySchema("container")
}

func (r *containerResource) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	data, diags := resourceDataFrom(req.ProviderData)
	resp.Diagnostics.Append(diags...)
	r.resourceData = data
}

func (r *containerResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config containerModel
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("from_checkpoint"), &config.FromCheckpoint)...)
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("save_before_reset"), &config.SaveBefore)...)
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("exposed_ports"), &config.ExposedPorts)...)
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("preset"), &config.Preset)...)
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("wait_for"), &config.WaitFor)...)
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("ports"), &config.Ports)...)
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("disk_limit_mb"), &config.DiskLimitMB)...)
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("tmpfs_root_mb"), &config.TmpfsRootMB)...)
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("network_disabled"), &config.NetworkDisabled)...)
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("networks"), &config.Networks)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(config.validateSave()...)
	resp.Diagnostics.Append(config.validateRoot(path.Empty())...)
	resp.Diagnostics.Append(config.validateNetwork(path.Empty(), len(config.Ports.Elements()) > 0)...)
	resp.Diagnostics.Append(config.validateNetworks(path.Empty())...)
	resp.Diagnostics.Append(config.validatePorts(ctx)...)
}

func (r *containerResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var config, plan containerModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	timeout, diags := plan.Timeouts.Create(ctx, containerCreateTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() || r.refuse(&resp.Diagnostics) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()

	name := plan.Name.ValueString()
	if plan.Name.IsUnknown() {
		name = generatedName()
	}
	def, diags := config.toDefinition(ctx, name)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	run := func(created func(backend.Container)) (backend.Container, bool, error) {
		return r.fixtures.Start(ctx, def, created)
	}
	r.record(ctx, &plan, run, verbCreate, recorded{&resp.State, resp.Identity, resp.Private}, &resp.Diagnostics)
	if !resp.State.Raw.IsNull() {
		resp.Diagnostics.Append(writeEngine(ctx, r.fixtures, resp.Private)...)
	}
}

func (r *containerResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	// A refresh reads the few attributes it needs: converting all of them was
	// most of what it cost.
	var state containerModel
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("container_id"), &state.ContainerID)...)
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("name"), &state.Name)...)
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("backend"), &state.Backend)...)
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("status"), &state.Status)...)
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("networks"), &state.Networks)...)
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("expires_after"), &state.ExpiresAfter)...)
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("expires_at"), &state.ExpiresAt)...)
	if resp.Diagnostics.HasError() {
		return
	}
	imported := state.ContainerID.IsNull()
	if !imported {
		// State of before there were identities has none.
		resp.Diagnostics.Append(resp.Identity.Set(ctx, identityModel{state.Name, state.Backend})...)
	}
	if resp.Diagnostics.HasError() || r.fixtures == nil {
		return // A provider that is not configured yet knows nothing newer.
	}
	if imported {
		r.adopt(ctx, req, resp)
		return
	}
	if d := r.otherBackend(ctx, state); d != nil {
		resp.Diagnostics.Append(d)
		return
	}
	c, err := r.fixtures.Container(ctx, state.ContainerID.ValueString())
	if errors.Is(err, backend.ErrNotFound) {
		if r.follow(ctx, req, state, resp) {
			return
		}
		resp.Diagnostics.Append(r.otherEngine(ctx, req.Private, state)...)
		if !resp.Diagnostics.HasError() {
			r.gone.add(containerKind, state.Name)
			resp.State.RemoveResource(ctx)
		}
		return
	}
	if err != nil {
		resp.Diagnostics.Append(errorDiagnostic("Read", "Container", err, nowhere))
		return
	}
	status := types.StringValue(string(c.State))
	unready, diags := readPrivate(ctx, req.Private, unreadyKey)
	resp.Diagnostics.Append(diags...)
	switch {
	case c.State != backend.StateRunning:
	case unready != "":
		status = types.StringValue(statusUnready)
	case state.isDetached(c):
		status = types.StringValue(statusDetached)
	}
	if !status.Equal(state.Status) {
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("status"), status)...)
	}
	resp.Diagnostics.Append(r.readLifetime(ctx, c.ID, state, &resp.State)...)
}

// readLifetime brings state in step with what is recorded of a container.
func (r *containerResource) readLifetime(ctx context.Context, id string, prior containerModel, state *tfsdk.State) diag.Diagnostics {
	recorded, at := r.fixtures.ContainerLifetime(ctx, id)
	expiresAfter, expiresAt := refreshedPeriod(recorded), expiryValue(at)
	if expiresAfter.Equal(prior.ExpiresAfter) && expiresAt.Equal(prior.ExpiresAt) {
		return nil
	}
	diags := state.SetAttribute(ctx, path.Root("expires_after"), expiresAfter)
	diags.Append(state.SetAttribute(ctx, path.Root("expires_at"), expiresAt)...)
	return diags
}

func (r *containerResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var config, plan, state containerModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	timeout, diags := plan.Timeouts.Update(ctx, containerUpdateTimeout)
	resp.Diagnostics.Append(diags...)
	adopted, diags := readPrivate(ctx, req.Private, adoptedKey)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() || r.refuse(&resp.Diagnostics) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()

	resp.Diagnostics.Append(r.otherEngine(ctx, req.Private, state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(writeEngine(ctx, r.fixtures, resp.Private)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identityModel{state.Name, state.Backend})...)
	def, diags := config.toDefinition(ctx, state.Name.ValueString())
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	if adopted != "" {
		state = state.adopting(ctx, plan)
	}
	if plan.resets(state) {
		r.reset(ctx, def, &plan, state, req.Private, resp)
	} else {
		r.applyInPlace(ctx, def, &plan, state, resp)
	}
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(writePrivate(ctx, resp.Private, adoptedKey, "")...)
		resp.Diagnostics.Append(writePrivate(ctx, resp.Private, unreadyKey, "")...)
	}
}

func (r *containerResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state containerModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	timeout, diags := state.Timeouts.Delete(ctx, containerDeleteTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() || r.refuse(&resp.Diagnostics) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if d := r.otherBackend(ctx, state); d != nil {
		resp.Diagnostics.Append(d)
		return
	}
	resp.Diagnostics.Append(r.otherEngine(ctx, req.Private, state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if err := r.fixtures.Remove(ctx, state.ContainerID.ValueString(), state.stopTimeout()); err != nil {
		resp.Diagnostics.Append(errorDiagnostic("Delete", "Container", err, nowhere))
	}
}

// ImportState takes the container's name, as an id or in an identity. Read does
// the rest, and tells apart what the engine knows of the container from what only
// a configuration can say.
func (r *containerResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	if r.refuse(&resp.Diagnostics) {
		return
	}
	r.importByName(ctx, "container", path.Root("id"), req, resp)
	resp.Diagnostics.Append(writePrivate(ctx, resp.Private, adoptedKey, "yes")...)
}

// adopt fills the state of a container that was just imported.
func (r *containerResource) adopt(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state containerModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if err := checkContainerName(state.ID.ValueString()); err != nil {
		resp.Diagnostics.AddError("Invalid Value", fmt.Sprintf("What is imported must be %s: %s.", wantContainerName, err))
		return
	}
	c, err := r.fixtures.Inspect(ctx, state.ID.ValueString())
	if err != nil {
		err = notThere(err, "The data source rightsize_containers lists those that there are, with all = true also those of others.")
		resp.Diagnostics.Append(errorDiagnostic("Import", "Container", err, nowhere))
		return
	}
	b, err := r.fixtures.Backend(ctx)
	if err != nil {
		resp.Diagnostics.Append(errorDiagnostic("Import", "Container", err, nowhere))
		return
	}
	resp.Diagnostics.Append(checkImported(ctx, req, c.Name)...)
	if resp.Diagnostics.HasError() {
		return
	}
	recorded, _ := r.fixtures.ContainerLifetime(ctx, c.ID)
	state.ExpiresAfter = refreshedPeriod(recorded)
	state.fromContainer(b.Name(), c)
	resp.Diagnostics.Append(writePrivate(ctx, resp.Private, ownerKey, c.Owner)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identityOf(c.Name, b.Name()))...)
	resp.Diagnostics.Append(state.adoptContainer(ctx, c)...)
	resp.Diagnostics.Append(writeEngine(ctx, r.fixtures, resp.Private)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
}

// applyInPlace applies to the container what an engine can apply.
func (r *containerResource) applyInPlace(ctx context.Context, def fixture.Definition, plan *containerModel, state containerModel, resp *resource.UpdateResponse) {
	id := state.ContainerID.ValueString()
	fail := func(verb string, err error) {
		resp.Diagnostics.Append(errorDiagnostic(verb, "Container", err, under(path.Empty())))
	}
	if err := r.fixtures.CheckIsolation(ctx, def); err != nil {
		fail("Update", err)
		return
	}
	if !plan.MemoryLimitMB.Equal(state.MemoryLimitMB) || !plan.CPUs.Equal(state.CPUs) {
		if err := r.fixtures.Limit(ctx, id, def); err != nil {
			fail("Update", err)
			return
		}
	}
	// None and an empty list are the same.
	onNetworks := len(plan.Networks.Elements())+len(state.Networks.Elements()) > 0
	if onNetworks && !plan.Networks.Equal(state.Networks) {
		if err := r.fixtures.Attach(ctx, id, def); err != nil {
			fail("Update", err)
			return
		}
	}
	if plan.ExpiresAt.IsUnknown() || !plan.ExpiresAfter.Equal(state.ExpiresAfter) {
		at, err := r.fixtures.ExpireContainer(ctx, id, period(plan.ExpiresAfter))
		if err != nil {
			fail("Update", err)
			return
		}
		plan.ExpiresAt = expiryValue(at)
	}
	switch {
	case !state.Status.Equal(plan.Status):
		c, err := r.fixtures.Resume(ctx, id, def)
		if err == nil {
			err = plan.checkStatus(c)
		}
		if err != nil {
			fail("Start", err)
			resp.Diagnostics.Append(writePrivate(ctx, resp.Private, unreadyKey, "yes")...)
			return
		}
	case plan.waitsOnceMore(state):
		if err := r.fixtures.Ready(ctx, id, def); err != nil {
			fail("Wait For", err)
			return
		}
	}
	if plan.ConnectionURI.IsUnknown() {
		c, err := r.fixtures.InspectDefined(ctx, id, def)
		if err != nil {
			fail("Update", err)
			return
		}
		plan.ConnectionURI = plan.connectionURI(c)
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
}

// otherBackend is the diagnostic for a container of a backend that is not the
// active one, which can tell nothing about it.
func (r *containerResource) otherBackend(ctx context.Context, state containerModel) diag.Diagnostic {
	return otherBackend(ctx, r.fixtures, "container "+state.Name.ValueString(), state.Backend.ValueString())
}

// otherEngine is the diagnostic for a container of an engine that is not the
// active one.
func (r *containerResource) otherEngine(ctx context.Context, private privateReader, state containerModel) diag.Diagnostics {
	return otherEngine(ctx, r.fixtures, private, "container "+state.Name.ValueString(), func() bool {
		_, err := r.fixtures.Container(ctx, state.ContainerID.ValueString())
		return err == nil
	})
}

// refuse reports a provider that cannot be used yet.
func (r *containerResource) refuse(diags *diag.Diagnostics) bool {
	if r.fixtures == nil {
		diags.Append(notConfigured())
	}
	return r.fixtures == nil
}

// generatedName is the name of a container that its user did not name.
func generatedName() string {
	return "rightsize-" + strings.ToLower(rand.Text()[:12])
}
