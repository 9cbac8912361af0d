package provider

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// What the last refresh found, in private state, that makes the plan capture
// again: the id of the capture that took the place of the one in state, or what
// is left of one that is half gone. At most one of them is there.
const (
	replacedKey = "replaced_by"
	brokenKey   = "broken"
)

// noteDrift keeps what a refresh found.
func noteDrift(ctx context.Context, private privateWriter, key, found string) diag.Diagnostics {
	diags := clearDrift(ctx, private)
	diags.Append(writePrivate(ctx, private, key, found)...)
	return diags
}

// clearDrift forgets what an earlier refresh found.
func clearDrift(ctx context.Context, private privateWriter) diag.Diagnostics {
	diags := writePrivate(ctx, private, replacedKey, "")
	diags.Append(writePrivate(ctx, private, brokenKey, "")...)
	return diags
}

// driftWarning tells the user why the checkpoint in state is captured again
// although its source is the same. It is nil if the last refresh found it whole.
func driftWarning(ctx context.Context, private privateReader, state tfsdk.State) (diag.Diagnostic, diag.Diagnostics) {
	replacedBy, diags := readPrivate(ctx, private, replacedKey)
	broken, d := readPrivate(ctx, private, brokenKey)
	diags.Append(d...)
	if replacedBy == "" && broken == "" {
		return nil, diags
	}
	var name, id types.String
	diags.Append(state.GetAttribute(ctx, path.Root("name"), &name)...)
	diags.Append(state.GetAttribute(ctx, path.Root("id"), &id)...)
	if broken != "" {
		return diag.NewAttributeWarningDiagnostic(path.Root("name"), "Checkpoint Is Incomplete",
			fmt.Sprintf("Of the checkpoint %q, %s. It cannot be restored. The next apply captures it again; a destroy removes what is left.",
				name.ValueString(), broken)), diags
	}
	return diag.NewAttributeWarningDiagnostic(path.Root("name"), "Checkpoint Was Replaced",
		fmt.Sprintf("The name %q now stands for %s, which somebody else captured; this state knows %s. "+
			"The checkpoint is going to be captured again, in place of what it holds now. "+
			"Where two stacks manage one checkpoint, look it up in one of them with a data source instead.",
			name.ValueString(), replacedBy, id.ValueString())), diags
}

// ModifyPlan decides whether the checkpoint is captured again. It changes
// nothing anywhere.
func (r *checkpointResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		return // A destroy needs no plan.
	}
	drift, diags := driftWarning(ctx, req.Private, req.State)
	resp.Diagnostics.Append(diags...)
	if drift == nil && req.Plan.Raw.Equal(req.State.Raw) && hasNoContent(ctx, req.Config) {
		var layers types.Int64
		resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("layers"), &layers)...)
		resp.Diagnostics.Append(warnLayers(path.Root("flatten"), layers)...)
		resp.Diagnostics.Append(warnSettled(ctx, r.fixtures, "Checkpoint", req.State)...)
		return
	}
	var config, plan checkpointModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	seed, diags := config.seed(ctx)
	resp.Diagnostics.Append(diags...)
	if seed != nil {
		resp.Diagnostics.Append(r.refuseNetworks(seed.workloadModel, path.Root("seed"))...)
	}
	resp.Diagnostics.Append(r.refuseMemory(ctx, config, seed)...)
	digest, diags := config.contentDigest(ctx)
	if diags.HasError() {
		diags = excuseContent(ctx, diags, req.State, r.gone.has(checkpointKind, plan.Name), &digest)
	}
	resp.Diagnostics.Append(diags...)
	plan.ContentSHA256 = digest

	if !req.State.Raw.IsNull() {
		var state checkpointModel
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
		adopted, diags := readPrivate(ctx, req.Private, adoptedKey)
		resp.Diagnostics.Append(diags...)
		if drift != nil {
			resp.Diagnostics.Append(drift)
		}
		plan.checkpointComputed = state.checkpointComputed
		if drift != nil || plan.capturesAgain(state, adopted != "") {
			plan.checkpointComputed = unknownCheckpoint()
		}
	}
	plan.planExpiry()
	resp.Diagnostics.Append(warnExpired(r.fixtures, "Checkpoint", plan.Name, plan.ExpiresAt)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(warnLayers(path.Root("flatten"), plan.Layers)...)
	resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
}

// manyLayers is where a chain of captures should be made an end of: an engine
// stacks a few more, and then fails.
const manyLayers = 100

// warnLayers says what to do about a checkpoint of many layers before an engine
// takes no more.
func warnLayers(attribute path.Path, layers types.Int64) diag.Diagnostics {
	if layers.ValueInt64() <= manyLayers {
		return nil
	}
	return diag.Diagnostics{diag.NewAttributeWarningDiagnostic(attribute, "Checkpoint Has Many Layers",
		fmt.Sprintf("It has %d layers, one more with each capture of a copy of a copy, and an engine stacks about 125. "+
			"To have one layer instead, capture a rightsize_checkpoint that it stands on, or itself, with flatten = true.", layers.ValueInt64()))}
}

// planExpiry plans when the checkpoint expires: known if it is the capture that
// state has.
func (m *checkpointModel) planExpiry() {
	var capturedAt time.Time
	if !m.CreatedAt.IsNull() && !m.CreatedAt.IsUnknown() {
		capturedAt, _ = m.CreatedAt.ValueRFC3339Time() // it was written here
	}
	m.ExpiresAt = endOf(m.ExpiresAfter, capturedAt)
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
	// Unset is the same as false.
	return m.Flatten.IsUnknown() || m.Flatten.ValueBool() != state.Flatten.ValueBool() ||
		m.Memory.IsUnknown() || m.Memory.ValueBool() != state.Memory.ValueBool() ||
		!m.ContainerID.Equal(state.ContainerID) ||
		!m.Seed.Equal(state.Seed) ||
		!m.Triggers.Equal(state.Triggers) ||
		!m.ContentSHA256.Equal(state.ContentSHA256)
}
