package provider

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// unreadyKey marks, in private state, a container that was started again and
// did not become ready. Terraform does not taint what failed to update; the
// status unready makes the next plan wait for it again.
const (
	unreadyKey    = "unready"
	statusUnready = "unready"
)

// statusDetached is the status of a container that runs and is not on all of its
// networks.
const statusDetached = "detached"

// ModifyPlan plans what the configuration alone does not say: digests of
// content, the start of a container that stopped, a reset in place. It changes
// nothing anywhere.
func (r *containerResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		return // A destroy needs no plan.
	}
	if req.Plan.Raw.Equal(req.State.Raw) && isSettledContainer(ctx, req.Config, req.State) {
		resp.Diagnostics.Append(warnSettled(ctx, r.fixtures, "Container", req.State)...)
		return
	}
	var config, plan containerModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(r.refuseNetworks(config.workloadModel, path.Empty())...)
	resp.Diagnostics.Append(r.refuseOther(ctx, config.workloadModel, config.Name, path.Empty())...)
	digest, diags := config.contentDigest(ctx, path.Empty())
	gone := r.gone.has(containerKind, plan.Name)
	if diags.HasError() {
		diags = excuseContent(ctx, diags, req.State, gone, &digest)
	}
	resp.Diagnostics.Append(diags...)
	plan.ContentSHA256 = digest

	if req.State.Raw.IsNull() {
		plan.planCreate()
		diags := r.checkHostPorts(ctx, config)
		if gone {
			diags = excuse(diags, "")
		}
		resp.Diagnostics.Append(diags...)
	} else {
		var state containerModel
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
		adopted, diags := readPrivate(ctx, req.Private, adoptedKey)
		resp.Diagnostics.Append(diags...)
		if adopted != "" {
			state = state.adopting(ctx, plan)
			resp.Diagnostics.Append(plan.warnAdopted()...)
		}
		if resp.RequiresReplace = plan.planUpdate(state); len(resp.RequiresReplace) == 0 {
			resp.Diagnostics.Append(warnExpired(r.fixtures, "Container", plan.Name, plan.ExpiresAt)...)
		}
	}
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
}

// isSettledContainer recognises a container for which there is nothing to plan,
// although its configuration did not change. It reads a few attributes instead
// of converting all of them, since most plans change nothing and that
// conversion was most of what they cost.
func isSettledContainer(ctx context.Context, config tfsdk.Config, state tfsdk.State) bool {
	var m containerModel
	diags := state.GetAttribute(ctx, path.Root("status"), &m.Status)
	diags.Append(state.GetAttribute(ctx, path.Root("wait_for"), &m.WaitFor)...)
	diags.Append(config.GetAttribute(ctx, path.Root("files"), &m.Files)...)
	diags.Append(config.GetAttribute(ctx, path.Root("exec"), &m.Exec)...)
	return !diags.HasError() && m.Status.Equal(m.desiredStatus()) && m.Files.IsNull() && m.Exec.IsNull()
}

// planCreate plans what is known of a container before it exists.
func (m *containerModel) planCreate() {
	m.ID = m.Name
	m.Status = m.desiredStatus()
	if m.Preset.IsNull() {
		m.ConnectionURI = types.StringNull()
	}
	m.ExpiresAt = endOf(m.ExpiresAfter, time.Time{})
}

// planUpdate plans a change of the container in state, and returns the
// attributes because of which it must be replaced instead.
func (m *containerModel) planUpdate(state containerModel) path.Paths {
	if replace := m.replacedBy(state); len(replace) > 0 {
		return replace
	}
	m.ID = state.ID
	m.Backend = state.Backend
	m.Host = state.Host
	m.MappedPorts = state.MappedPorts
	m.ConnectionURI = m.planConnectionURI(state)
	m.ContainerID = state.ContainerID
	m.ImageID = state.ImageID
	m.Status = m.desiredStatus()
	if m.ExpiresAt = state.ExpiresAt; !m.ExpiresAfter.Equal(state.ExpiresAfter) {
		m.ExpiresAt = endOf(m.ExpiresAfter, time.Time{})
	}
	if m.resets(state) {
		m.ContainerID = types.StringUnknown()
		m.ImageID = types.StringUnknown()
		m.ExpiresAt = endOf(m.ExpiresAfter, time.Time{})
	}
	return nil
}

// replacedBy returns the attributes whose change no engine can apply to a
// container that exists.
func (m *containerModel) replacedBy(state containerModel) path.Paths {
	var replace path.Paths
	changed := func(name string, before, after attr.Value) {
		if !before.Equal(after) {
			replace.Append(path.Root(name))
		}
	}
	changed("name", state.Name, m.Name)
	changed("env", state.Env, m.Env)
	changed("command", state.Command, m.Command)
	changed("entrypoint", state.Entrypoint, m.Entrypoint)
	changed("working_dir", state.WorkingDir, m.WorkingDir)
	changed("user", state.User, m.User)
	changed("labels", state.Labels, m.Labels)
	changed("exposed_ports", state.ExposedPorts, m.ExposedPorts)
	changed("ports", state.Ports, m.Ports)
	if m.publishesOther(state) {
		replace.Append(path.Root("preset"))
	}
	changed("image", state.Image, m.Image)
	changed("disk_limit_mb", state.DiskLimitMB, m.DiskLimitMB)
	changed("tmpfs_root_mb", state.TmpfsRootMB, m.TmpfsRootMB)
	// Unset is the same as false.
	if m.NetworkDisabled.IsUnknown() || m.NetworkDisabled.ValueBool() != state.NetworkDisabled.ValueBool() {
		replace.Append(path.Root("network_disabled"))
	}
	changed("exec", state.Exec, m.Exec)
	changed("content_sha256", state.ContentSHA256, m.ContentSHA256)
	return replace
}

// resets says whether the update brings the container back to its defined
// contents.
func (m *containerModel) resets(state containerModel) bool {
	return !m.ResetTrigger.Equal(state.ResetTrigger) || !m.FromCheckpoint.Equal(state.FromCheckpoint)
}

// checkHostPorts fails for a port of the user's choice that is in use. A plan
// that cannot find out says nothing: the apply will.
func (r *containerResource) checkHostPorts(ctx context.Context, config containerModel) diag.Diagnostics {
	if r.fixtures == nil || config.Ports.IsNull() || !fullyKnown(ctx, config.Ports) {
		return nil
	}
	bindings, diags := config.toFixedPorts(ctx)
	for i, binding := range bindings {
		if err := r.fixtures.CheckHostPort(ctx, binding); err != nil {
			diags.Append(errorDiagnostic("Publish", "Port", err, at(path.Root("ports").AtListIndex(i).AtName("host_port"))))
		}
	}
	return diags
}
