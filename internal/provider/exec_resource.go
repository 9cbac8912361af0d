package provider

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/fixture"
)

var (
	_ resource.ResourceWithConfigure  = (*execResource)(nil)
	_ resource.ResourceWithModifyPlan = (*execResource)(nil)
)

func newExecResource() resource.Resource { return &execResource{} }

type execResource struct{ resourceData }

// ranInKey holds, in private state, the engine's id of the container that the
// command ran in: what is configured may be a name, which another one can get.
const ranInKey = "ran_in"

func (r *execResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_exec"
}

func (r *execResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = execSchema(ctx)
}

func (r *execResource) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	data, diags := resourceDataFrom(req.ProviderData)
	resp.Diagnostics.Append(diags...)
	r.resourceData = data
}

// ModifyPlan runs the command again if anything about it changed. It changes
// nothing anywhere.
func (r *execResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		return // A destroy needs no plan.
	}
	var config, plan execModel
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("stdin"), &config.Stdin)...)
	resp.Diagnostics.Append(req.Plan.GetAttribute(ctx, path.Root("content_sha256"), &plan.ContentSHA256)...)
	if req.Plan.Raw.Equal(req.State.Raw) && config.Stdin.IsNull() && plan.ContentSHA256.IsNull() {
		return // Most plans change nothing, and converting all of it is most of what they cost.
	}
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	digest, err := config.contentDigest()
	if err != nil {
		resp.Diagnostics.Append(errorDiagnostic("Read", "File", err, at(path.Root("stdin"))))
		return
	}
	plan.ContentSHA256 = digest
	if !req.State.Raw.IsNull() {
		var state execModel
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
		resp.RequiresReplace = plan.replacedBy(state)
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
}

func (r *execResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var config, plan execModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	timeout, diags := plan.Timeouts.Create(ctx, fixture.DefaultStepTimeout)
	resp.Diagnostics.Append(diags...)
	step, diags := config.toStep(ctx)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() || r.refuse(&resp.Diagnostics) {
		return
	}
	step.Timeout = timeout
	output, err := r.fixtures.Run(ctx, plan.ContainerID.ValueString(), step)
	if err != nil {
		if !errors.Is(err, context.Canceled) { // of which the diagnostic says as much
			err = &outcome{err, "The next apply runs the command again."}
		}
		resp.Diagnostics.Append(errorDiagnostic("Run", "Command", err, ranIn(err, path.Root("command"))))
		return
	}
	b, err := r.fixtures.Backend(ctx)
	if err != nil {
		resp.Diagnostics.Append(errorDiagnostic("Use", "Backend", err, nowhere))
		return
	}
	plan.fromOutput(strings.ToLower(rand.Text()[:12]), b.Name(), output)
	resp.Diagnostics.Append(writePrivate(ctx, resp.Private, ranInKey, output.ContainerID)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
	resp.Diagnostics.Append(writeEngine(ctx, r.fixtures, resp.Private)...)
}

// ranIn finds the fault of a command in its container, or else in the command.
func ranIn(err error, command path.Path) locate {
	return func(field backend.Field, _ int) (path.Path, bool) {
		switch {
		case field == fieldExec:
			return command, true
		case field == fixture.FieldContainerID, errors.Is(err, backend.ErrNotFound):
			return path.Root("container_id"), true
		default:
			return path.Path{}, false
		}
	}
}

func (r *execResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state execModel
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("backend"), &state.Backend)...)
	id, diags := readPrivate(ctx, req.Private, ranInKey)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() || r.fixtures == nil {
		return // A provider that is not configured yet knows nothing newer.
	}
	if d := r.otherBackend(ctx, state); d != nil {
		resp.Diagnostics.Append(d)
		return
	}
	_, err := r.fixtures.Container(ctx, id)
	switch {
	case errors.Is(err, backend.ErrNotFound):
		resp.Diagnostics.Append(r.otherEngine(ctx, req.Private, id)...)
		if !resp.Diagnostics.HasError() {
			resp.State.RemoveResource(ctx)
		}
	case err != nil:
		resp.Diagnostics.Append(errorDiagnostic("Read", "Container", err, at(path.Root("container_id"))))
	}
}

// Update keeps what takes effect at the end. Whatever else changes runs the
// command again.
func (r *execResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan execModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
	}
}

func (r *execResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state execModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	timeout, diags := state.Timeouts.Delete(ctx, fixture.DefaultStepTimeout)
	resp.Diagnostics.Append(diags...)
	step, ok, diags := state.toUndo(ctx)
	resp.Diagnostics.Append(diags...)
	id, diags := readPrivate(ctx, req.Private, ranInKey)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() || !ok || r.refuse(&resp.Diagnostics) {
		return
	}
	if d := r.otherBackend(ctx, state); d != nil {
		resp.Diagnostics.Append(d)
		return
	}
	resp.Diagnostics.Append(r.otherEngine(ctx, req.Private, id)...)
	if resp.Diagnostics.HasError() {
		return
	}
	step.Timeout = timeout
	if err := r.fixtures.RunIfUp(ctx, id, step); err != nil {
		// Terraform tells of a destroy neither the address nor the attribute.
		err = &outcome{err, fmt.Sprintf("This is the on_destroy of the rightsize_exec with the id %s, which stays in state. "+
			"Apply or destroy again, or take it out of state (terraform state rm). "+
			"Another on_destroy counts from the apply on that changes it and nothing else: a replacement runs the one in state.", state.ID.ValueString())}
		resp.Diagnostics.Append(errorDiagnostic("Run", "Command", err, ranIn(err, path.Root("on_destroy"))))
	}
}

// otherBackend is the diagnostic for a command that ran in a container of a
// backend that is not the active one, which can tell nothing about it.
func (r *execResource) otherBackend(ctx context.Context, state execModel) diag.Diagnostic {
	return otherBackend(ctx, r.fixtures, "the container that the command ran in", state.Backend.ValueString())
}

// otherEngine is the diagnostic for a container of an engine that is not the
// active one.
func (r *execResource) otherEngine(ctx context.Context, private privateReader, id string) diag.Diagnostics {
	return otherEngine(ctx, r.fixtures, private, "the container that the command ran in", func() bool {
		_, err := r.fixtures.Container(ctx, id)
		return err == nil
	})
}

// refuse reports a provider that cannot be used yet.
func (r *execResource) refuse(diags *diag.Diagnostics) bool {
	if r.fixtures == nil {
		diags.Append(notConfigured())
	}
	return r.fixtures == nil
}
