package provider

import (
	"context"
	"errors"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timetypes/timetypes"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/fixture"
)

var (
	_ resource.ResourceWithConfigure      = (*checkpointResource)(nil)
	_ resource.ResourceWithIdentity       = (*checkpointResource)(nil)
	_ resource.ResourceWithImportState    = (*checkpointResource)(nil)
	_ resource.ResourceWithModifyPlan     = (*checkpointResource)(nil)
	_ resource.ResourceWithValidateConfig = (*checkpointResource)(nil)
)

func newCheckpointResource() resource.Resource { return &checkpointResource{} }

type checkpointResource struct{ resourceData }

// How long each operation may take if the user does not say.
const (
	checkpointCaptureTimeout = 2 * time.Hour
	checkpointDeleteTimeout  = 5 * time.Minute
)

func (r *checkpointResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_checkpoint"
}

func (r *checkpointResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = checkpointSchema(ctx)
}

func (r *checkpointResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identitySchema("checkpoint")
}

func (r *checkpointResource) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	data, diags := resourceDataFrom(req.ProviderData)
	resp.Diagnostics.Append(diags...)
	r.resourceData = data
}

func (r *checkpointResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config checkpointModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	seed, diags := config.seed(ctx)
	resp.Diagnostics.Append(diags...)
	if seed != nil {
		root := path.Root("seed")
		resp.Diagnostics.Append(config.validateMemory()...)
		resp.Diagnostics.Append(seed.validateRoot(root)...)
		resp.Diagnostics.Append(seed.validateCapturable(root)...)
		resp.Diagnostics.Append(seed.validateNetwork(root, false)...)
		resp.Diagnostics.Append(seed.validateNetworks(root)...)
		resp.Diagnostics.Append(seed.validate(ctx, root, nil)...)
	}
}

func (r *checkpointResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var config, plan checkpointModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	timeout, diags := plan.Timeouts.Create(ctx, checkpointCaptureTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() || r.refuse(&resp.Diagnostics) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()

	resp.Diagnostics.Append(r.capture(ctx, config, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identityModel{plan.Name, plan.Backend})...)
	resp.Diagnostics.Append(writeEngine(ctx, r.fixtures, resp.Private)...)
}

func (r *checkpointResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	// A refresh reads the few attributes it needs: converting all of them was
	// most of what it cost.
	var state checkpointModel
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("name"), &state.Name)...)
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("backend"), &state.Backend)...)
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("artifact_id"), &state.ArtifactID)...)
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("created_at"), &state.CreatedAt)...)
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("expires_after"), &state.ExpiresAfter)...)
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("expires_at"), &state.ExpiresAt)...)
	if resp.Diagnostics.HasError() {
		return
	}
	imported := state.ArtifactID.IsNull()
	if !imported {
		// State of before there were identities has none.
		resp.Diagnostics.Append(resp.Identity.Set(ctx, identityModel{state.Name, state.Backend})...)
	}
	if resp.Diagnostics.HasError() || r.fixtures == nil {
		return // A provider that is not configured yet knows nothing newer.
	}
	if !imported {
		if d := r.otherBackend(ctx, state); d != nil {
			resp.Diagnostics.Append(d)
			return
		}
	}
	cp, err := r.fixtures.Checkpoint(ctx, state.Name.ValueString())
	if !imported && (errors.Is(err, backend.ErrNotFound) || err == nil && cp.Artifact.ID != state.ArtifactID.ValueString()) {
		resp.Diagnostics.Append(r.otherEngine(ctx, req.Private, state)...)
		if resp.Diagnostics.HasError() {
			return
		}
	}
	if absent, ok := errors.AsType[*fixture.AbsentError](err); ok && !imported {
		r.readAbsent(ctx, absent, state, resp)
		return
	}
	if err != nil && imported {
		resp.Diagnostics.Append(errorDiagnostic("Import", "Checkpoint", err, at(path.Root("name"))))
		return
	}
	if err != nil {
		resp.Diagnostics.Append(errorDiagnostic("Read", "Checkpoint", err, at(path.Root("name"))))
		return
	}
	if !imported && cp.Artifact.ID != state.ArtifactID.ValueString() {
		// State goes on naming the artifact that is ours, which is the one to
		// delete; the plan tells the user.
		resp.Diagnostics.Append(noteDrift(ctx, resp.Private, replacedKey, cp.ID())...)
		return
	}
	resp.Diagnostics.Append(clearDrift(ctx, resp.Private)...)
	expiresAfter := refreshedPeriod(cp.ExpiresAfter)
	if !imported && state.CreatedAt.Equal(timetypes.NewRFC3339TimeValue(cp.Entry.CreatedAt)) &&
		state.ExpiresAfter.Equal(expiresAfter) && state.ExpiresAt.Equal(expiryValue(cp.ExpiresAt)) {
		return // It is the capture that state describes.
	}
	if cp, err = withLayers(ctx, r.fixtures, cp); err != nil {
		resp.Diagnostics.Append(errorDiagnostic("Read", "Checkpoint", err, at(path.Root("name"))))
		return
	}
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(state.fromCheckpoint(ctx, cp)...)
	state.ExpiresAfter = expiresAfter
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
	if imported {
		if d := r.otherBackend(ctx, state); d != nil {
			resp.Diagnostics.Append(d)
			return
		}
		resp.Diagnostics.Append(resp.Identity.Set(ctx, identityModel{state.Name, state.Backend})...)
		resp.Diagnostics.Append(writeEngine(ctx, r.fixtures, resp.Private)...)
	}
}

// readAbsent drops a checkpoint from state of which nothing is left. Of one that
// is half there, state keeps what a destroy must remove.
func (r *checkpointResource) readAbsent(ctx context.Context, absent *fixture.AbsentError, state checkpointModel, resp *resource.ReadResponse) {
	remains, err := r.fixtures.Remains(ctx, absent, state.ArtifactID.ValueString())
	switch {
	case err != nil:
		resp.Diagnostics.Append(errorDiagnostic("Read", "Checkpoint", err, at(path.Root("name"))))
	case remains != "":
		resp.Diagnostics.Append(noteDrift(ctx, resp.Private, brokenKey, remains)...)
	default:
		r.gone.add(checkpointKind, state.Name)
		resp.State.RemoveResource(ctx)
	}
}

func (r *checkpointResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var config, plan, state checkpointModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	timeout, diags := plan.Timeouts.Update(ctx, checkpointCaptureTimeout)
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
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identityModel{state.Name, state.Backend})...)
	// What the plan left unknown is what is captured again. A failure keeps the
	// previous state, as it keeps the previous checkpoint.
	switch {
	case plan.ID.IsUnknown():
		resp.Diagnostics.Append(r.capture(ctx, config, &plan)...)
	case !plan.ExpiresAfter.Equal(state.ExpiresAfter) || !plan.ExpiresAt.Equal(state.ExpiresAt):
		err := r.fixtures.ExpireCheckpoint(ctx, plan.Name.ValueString(), plan.ArtifactID.ValueString(), period(plan.ExpiresAfter))
		if err != nil {
			resp.Diagnostics.Append(errorDiagnostic("Update", "Checkpoint", err, at(path.Root("expires_after"))))
		}
	}
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(clearDrift(ctx, resp.Private)...)
	resp.Diagnostics.Append(writePrivate(ctx, resp.Private, adoptedKey, "")...)
	resp.Diagnostics.Append(writeEngine(ctx, r.fixtures, resp.Private)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
}

func (r *checkpointResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state checkpointModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	timeout, diags := state.Timeouts.Delete(ctx, checkpointDeleteTimeout)
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
	if err := r.fixtures.Forget(ctx, state.Name.ValueString(), state.ArtifactID.ValueString()); err != nil {
		resp.Diagnostics.Append(errorDiagnostic("Delete", "Checkpoint", err, nowhere))
	}
}

// ImportState takes the checkpoint's name, as an id or in an identity. How it was
// made cannot be told from it: that is adopted from the configuration by the next
// apply.
func (r *checkpointResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	if r.refuse(&resp.Diagnostics) {
		return
	}
	r.importByName(ctx, "checkpoint", path.Root("name"), req, resp)
	resp.Diagnostics.Append(writePrivate(ctx, resp.Private, adoptedKey, "yes")...)
}

// capture captures the configured source under the plan's name, and completes
// the plan with the result.
func (r *checkpointResource) capture(ctx context.Context, config checkpointModel, plan *checkpointModel) diag.Diagnostics {
	source, diags := config.toSource(ctx)
	if diags.HasError() {
		return diags
	}
	cp, err := r.fixtures.Capture(ctx, plan.Name.ValueString(), source)
	if err != nil && cp.Entry.Name == "" {
		find := under(path.Root("seed"))
		if source.Seed == nil {
			find = captured(err)
		}
		err = &outcome{err, "No capture was registered: what the name stood for before it still stands for. The next apply captures it again."}
		diags.Append(errorDiagnostic("Capture", "Checkpoint", err, find))
		return diags
	}
	if down, ok := errors.AsType[*fixture.DownError](err); ok {
		diags.AddAttributeWarning(path.Root("container_id"), "Container Not Running After Its Capture",
			sentence(down.Error())+" The checkpoint "+cp.ID()+" is complete. The next apply starts the container again.")
	} else if err != nil {
		diags.AddWarning("Seed Container Left Behind", sentence(err.Error())+" The checkpoint is complete; the next capture of it removes the container.")
	}
	diags.Append(plan.fromCheckpoint(ctx, cp)...)
	diags.Append(warnLayers(path.Root("flatten"), plan.Layers)...)
	return diags
}

// captured finds the fault in the container that was to be captured, if that is
// where it is.
func captured(err error) locate {
	if errors.Is(err, backend.ErrNotFound) || errors.Is(err, backend.ErrUncapturable) {
		return at(path.Root("container_id"))
	}
	if failure, ok := errors.AsType[*backend.Error](err); ok && failure.Field == fixture.FieldMemory {
		return at(path.Root("memory"))
	}
	return nowhere
}

// otherBackend is the diagnostic for a checkpoint of a backend that is not the
// active one, which can tell nothing about it.
func (r *checkpointResource) otherBackend(ctx context.Context, state checkpointModel) diag.Diagnostic {
	return otherBackend(ctx, r.fixtures, "checkpoint "+state.Name.ValueString(), state.Backend.ValueString())
}

// otherEngine is the diagnostic for a checkpoint of an engine that is not the
// active one.
func (r *checkpointResource) otherEngine(ctx context.Context, private privateReader, state checkpointModel) diag.Diagnostics {
	return otherEngine(ctx, r.fixtures, private, "checkpoint "+state.Name.ValueString(), func() bool {
		cp, err := r.fixtures.Checkpoint(ctx, state.Name.ValueString())
		return err == nil && cp.Probed && cp.Artifact.ID == state.ArtifactID.ValueString()
	})
}

// refuse reports a provider that cannot be used yet.
func (r *checkpointResource) refuse(diags *diag.Diagnostics) bool {
	if r.fixtures == nil {
		diags.Append(notConfigured())
	}
	return r.fixtures == nil
}
