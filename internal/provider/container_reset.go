package provider

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/fixture"
)

// halfResetKey holds, in private state, the engine's id of a container that a
// failed reset has left. What it holds is no contents of the user's: to save it
// would replace what was saved before that reset.
const halfResetKey = "half_reset"

// reset brings the container back to its defined contents on the ports it has.
// What it holds is saved before, if the user wants that.
func (r *containerResource) reset(
	ctx context.Context, def fixture.Definition, plan *containerModel, state containerModel, private privateReader, resp *resource.UpdateResponse,
) {
	ports, err := state.mappedPorts()
	if err != nil {
		resp.Diagnostics.Append(errorDiagnostic(verbReset, "Container", err, at(path.Root("mapped_ports"))))
		return
	}
	def.Fixed = ports
	def.Exposed = []backend.Port{}
	resp.Diagnostics.Append(r.save(ctx, def, *plan, state, private)...)
	if resp.Diagnostics.HasError() {
		return
	}
	run := func(created func(backend.Container)) (backend.Container, bool, error) {
		return r.fixtures.Reset(ctx, state.ContainerID.ValueString(), def, created)
	}
	r.record(ctx, plan, run, verbReset, recorded{&resp.State, resp.Identity, resp.Private}, &resp.Diagnostics)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(writePrivate(ctx, resp.Private, halfResetKey, "")...)
		return
	}
	if resp.State.Raw.IsNull() {
		return
	}
	// Terraform does not taint what failed to update. The next plan must see that
	// this reset is still to be done.
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("from_checkpoint"), state.FromCheckpoint)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("reset_trigger"), state.ResetTrigger)...)
	var left types.String
	resp.Diagnostics.Append(resp.State.GetAttribute(ctx, path.Root("container_id"), &left)...)
	if !left.Equal(state.ContainerID) {
		resp.Diagnostics.Append(writePrivate(ctx, resp.Private, halfResetKey, left.ValueString())...)
	}
}

// save keeps what the container holds before it is reset.
func (r *containerResource) save(ctx context.Context, def fixture.Definition, plan, state containerModel, private privateReader) diag.Diagnostics {
	if plan.SaveBefore.IsNull() {
		return nil
	}
	attribute, name := path.Root("save_before_reset"), plan.SaveBefore.ValueString()
	half, diags := readPrivate(ctx, private, halfResetKey)
	if diags.HasError() {
		return diags
	}
	if half == state.ContainerID.ValueString() {
		diags.AddAttributeWarning(attribute, "Contents Were Not Saved",
			fmt.Sprintf("Container %s is what an earlier reset left that failed: its contents from before that are not in it. "+
				"It is reset, and what the checkpoint %q holds is left as it is.", state.Name.ValueString(), name))
		return diags
	}
	saved, err := r.fixtures.SaveBeforeReset(ctx, state.ContainerID.ValueString(), name, def)
	_, unsaved := errors.AsType[*fixture.SaveError](err)
	switch {
	case errors.Is(err, fixture.ErrNothingToSave):
		diags.AddAttributeWarning(attribute, "Contents Were Not Saved",
			fmt.Sprintf("Container %s is gone, and there is nothing to save as checkpoint %q. It is created again.", state.Name.ValueString(), name))
	case unsaved:
		err = &outcome{err, fmt.Sprintf("Container %s was not reset: it holds what it held, and what the name stood for before it still stands for. "+
			"The next apply tries again; without save_before_reset it resets the container without saving.", state.Name.ValueString())}
		diags.Append(errorDiagnostic("Save", "Container", err, at(attribute)))
	case err != nil:
		diags.Append(errorDiagnostic(verbReset, "Container", err, under(path.Empty())))
	default:
		diags.Append(warnLayers(attribute, types.Int64Value(int64(saved.Artifact.Layers)))...)
	}
	return diags
}
