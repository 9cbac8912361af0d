package provider

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

var (
	_ resource.ResourceWithConfigure  = (*fileCopyResource)(nil)
	_ resource.ResourceWithModifyPlan = (*fileCopyResource)(nil)
)

func newFileCopyResource() resource.Resource { return &fileCopyResource{} }

type fileCopyResource struct{ resourceData }

const (
	// copiedKey holds, in private state, the digest of what was copied. That in
	// state is the digest of what the last refresh found.
	copiedKey = "copied"

	// copyOwnerKey holds, in private state, what tells this resource from another
	// one with the same destination.
	copyOwnerKey = "copy_owner"

	// fileCopyTimeout is how long copying may take if the user does not say.
	fileCopyTimeout = 30 * time.Minute
)

func (r *fileCopyResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_file_copy"
}

func (r *fileCopyResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = fileCopySchema(ctx)
}

func (r *fileCopyResource) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	data, diags := resourceDataFrom(req.ProviderData)
	resp.Diagnostics.Append(diags...)
	r.resourceData = data
}

// ModifyPlan copies again if something else is to be copied, or if the copy is
// no longer what it was. It changes nothing anywhere.
func (r *fileCopyResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() || req.State.Raw.IsNull() {
		return
	}
	var plan, state fileCopyModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	copied, diags := readPrivate(ctx, req.Private, copiedKey)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	changed := state.SHA256.ValueString() != copied
	if changed {
		resp.Diagnostics.AddAttributeWarning(path.Root("destination"), "Copy Was Changed", fmt.Sprintf(
			"%s does not hold any more what was copied there. The next apply copies again and replaces all of it. "+
				"To keep what it holds now, move it away first.", state.Destination.ValueString()))
	}
	if !changed && !plan.copiesAgain(state) {
		return
	}
	plan.SHA256, plan.SizeBytes = types.StringUnknown(), types.Int64Unknown()
	resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
}

func (r *fileCopyResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan fileCopyModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	timeout, diags := plan.Timeouts.Create(ctx, fileCopyTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() || r.refuse(&resp.Diagnostics) {
		return
	}
	owner := rand.Text()
	resp.Diagnostics.Append(writePrivate(ctx, resp.Private, copyOwnerKey, owner)...)
	r.copy(ctx, timeout, &plan, owner, nil, &resp.Diagnostics, resp.Private)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
	}
}

// Read looks at the copy alone: it stands for itself, whatever became of the
// container.
func (r *fileCopyResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state fileCopyModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || r.fixtures == nil {
		return // A provider that is not configured yet knows nothing newer.
	}
	content, err := r.fixtures.Copied(state.Destination.ValueString())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		resp.State.RemoveResource(ctx)
	case err != nil:
		err = &backend.Error{Tried: "read the copy at " + state.Destination.ValueString(), Cause: err, Remedy: "Check that it can be read."}
		resp.Diagnostics.Append(errorDiagnostic("Read", "Copy", err, at(path.Root("destination"))))
	case content.SHA256 != state.SHA256.ValueString():
		state.fromContent(content)
		resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
	}
}

func (r *fileCopyResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state fileCopyModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	timeout, diags := plan.Timeouts.Update(ctx, fileCopyTimeout)
	resp.Diagnostics.Append(diags...)
	copied, diags := readPrivate(ctx, req.Private, copiedKey)
	resp.Diagnostics.Append(diags...)
	owner, diags := readPrivate(ctx, req.Private, copyOwnerKey)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() || r.refuse(&resp.Diagnostics) {
		return
	}
	// What the plan left unknown is what is copied again.
	if plan.SHA256.IsUnknown() {
		r.copy(ctx, timeout, &plan, owner, []string{copied, state.SHA256.ValueString()}, &resp.Diagnostics, resp.Private)
	}
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
	}
}

func (r *fileCopyResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state fileCopyModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	copied, diags := readPrivate(ctx, req.Private, copiedKey)
	resp.Diagnostics.Append(diags...)
	owner, diags := readPrivate(ctx, req.Private, copyOwnerKey)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() || r.refuse(&resp.Diagnostics) {
		return
	}
	destination := state.Destination.ValueString()
	kept, err := r.fixtures.RemoveCopy(ctx, destination, copied, owner)
	if err != nil {
		err = &backend.Error{Tried: "remove the copy at " + destination, Cause: err, Remedy: "Remove it by hand, or check that it can be removed."}
		resp.Diagnostics.Append(errorDiagnostic("Delete", "Copy", err, at(path.Root("destination"))))
		return
	}
	if kept {
		resp.Diagnostics.AddWarning("Changed Copy Left in Place", fmt.Sprintf(
			"%s does not hold what was copied there, and is left as it is. Remove it if nobody needs it.", destination))
	}
}

// copy copies what is planned, in place of what has one of the digests, and
// completes the plan with the result.
func (r *fileCopyResource) copy(
	ctx context.Context, timeout time.Duration, plan *fileCopyModel, owner string, replaces []string, diags *diag.Diagnostics, private privateWriter,
) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	content, err := r.fixtures.CopyOut(ctx, plan.toCopy(owner), replaces...)
	if err != nil {
		diags.Append(errorDiagnostic("Copy", "File", err, copiedFrom(err)))
		return
	}
	plan.fromContent(content)
	diags.Append(writePrivate(ctx, private, copiedKey, content.SHA256)...)
}

// copiedFrom finds the fault in what the error says, or in the container that is
// missing.
func copiedFrom(err error) locate {
	return func(field backend.Field, _ int) (path.Path, bool) {
		switch {
		case field != "":
			return path.Root(string(field)), true
		case errors.Is(err, backend.ErrNotFound):
			return path.Root("container_id"), true
		default:
			return path.Path{}, false
		}
	}
}

// refuse reports a provider that cannot be used yet.
func (r *fileCopyResource) refuse(diags *diag.Diagnostics) bool {
	if r.fixtures == nil {
		diags.Append(notConfigured())
	}
	return r.fixtures == nil
}
