package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// replacedKey holds, in private state, the id of the capture that took the
// place of the one in state, as the last refresh found it. It is what makes the
// plan capture again, and say why.
const replacedKey = "replaced_by"

// ModifyPlan decides whether the checkpoint is captured again. It changes
// nothing anywhere.
func (r *checkpointResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		return // A destroy needs no plan.
	}
	replacedBy, diags := readPrivate(ctx, req.Private, replacedKey)
	resp.Diagnostics.Append(diags...)
	if replacedBy == "" && req.Plan.Raw.Equal(req.State.Raw) && hasNoContent(ctx, req.Config) {
		return
	}
	var config, plan checkpointModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	digest, diags := config.contentDigest(ctx)
	if !req.State.Raw.IsNull() && diags.HasError() {
		diags = keepContent(ctx, diags, req.State, &digest)
	}
	resp.Diagnostics.Append(diags...)
	plan.ContentSHA256 = digest

	if !req.State.Raw.IsNull() {
		var state checkpointModel
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
		adopted, diags := readPrivate(ctx, req.Private, adoptedKey)
		resp.Diagnostics.Append(diags...)
		if replacedBy != "" {
			resp.Diagnostics.AddAttributeWarning(path.Root("name"), "Checkpoint Was Replaced",
				fmt.Sprintf("The name %q now stands for %s, which somebody else captured; this state knows %s. "+
					"The checkpoint is going to be captured again, in place of what it holds now. "+
					"Where two stacks manage one checkpoint, look it up in one of them with a data source instead.",
					state.Name.ValueString(), replacedBy, state.ID.ValueString()))
		}
		plan.checkpointComputed = state.checkpointComputed
		if replacedBy != "" || plan.capturesAgain(state, adopted != "") {
			plan.checkpointComputed = unknownCheckpoint()
		}
	}
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
}

// hasNoContent recognises a checkpoint whose source is all in its attributes:
// if these did not change, there is nothing to plan. It reads one attribute
// instead of converting all of them, since most plans change nothing and that
// conversion was most of what they cost.
func hasNoContent(ctx context.Context, config tfsdk.Config) bool {
	var seed types.Object
	if config.GetAttribute(ctx, path.Root("seed"), &seed).HasError() || seed.IsUnknown() {
		return false
	}
	if seed.IsNull() {
		return true
	}
	return seed.Attributes()["files"].IsNull() && seed.Attributes()["exec"].IsNull()
}

// capturesAgain says whether the source differs from the one that was captured.
// Of a checkpoint that was imported, the source is not known: it is adopted from
// the configuration.
func (m checkpointModel) capturesAgain(state checkpointModel, adopted bool) bool {
	if adopted && state.ContainerID.IsNull() && state.Seed.IsNull() {
		return false
	}
	return !m.ContainerID.Equal(state.ContainerID) ||
		!m.Seed.Equal(state.Seed) ||
		!m.Triggers.Equal(state.Triggers) ||
		!m.ContentSHA256.Equal(state.ContentSHA256)
}
