package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// adoptedKey marks, in private state, what was imported and not applied since.
// What cannot be told of it is adopted from the configuration instead of
// counting as a change.
const adoptedKey = "adopted"

// adoptContainer sets what a user would have written to what the container was
// created with, as far as the engine knows it.
func (m *containerModel) adoptContainer(ctx context.Context, c backend.Container) diag.Diagnostics {
	var diags diag.Diagnostics
	given := c.Given
	m.Image = stringOrNull(given.Image)
	m.WorkingDir = stringOrNull(given.WorkingDir)
	m.User = stringOrNull(given.User)
	m.Env = stringMapOrNull(ctx, given.Env, &diags)
	m.Labels = stringMapOrNull(ctx, given.Labels, &diags)
	m.Command = stringListOrNull(ctx, given.Command, &diags)
	m.Entrypoint = stringListOrNull(ctx, given.Entrypoint, &diags)
	if given.Limits.MemoryMB > 0 {
		m.MemoryLimitMB = types.Int64Value(given.Limits.MemoryMB)
	}
	if given.Limits.CPUs > 0 {
		m.CPUs = types.Float64Value(given.Limits.CPUs)
	}
	if given.DiskMB > 0 {
		m.DiskLimitMB = types.Int64Value(given.DiskMB)
	}
	if given.TmpfsRootMB > 0 {
		m.TmpfsRootMB = types.Int64Value(given.TmpfsRootMB)
	}
	if given.NetworkDisabled {
		m.NetworkDisabled = types.BoolValue(true)
	}
	m.Networks = attachmentsOrNull(ctx, given.Networks, &diags)
	if len(given.ExposedPorts) > 0 {
		ports := make([]string, 0, len(given.ExposedPorts))
		for _, port := range given.ExposedPorts {
			ports = append(ports, port.String())
		}
		exposed, d := types.SetValueFrom(ctx, types.StringType, ports)
		diags.Append(d...)
		m.ExposedPorts = exposed
	}
	return diags
}

// adopting returns the state of a container that was imported, completed with
// what only a configuration can say of it.
func (m containerModel) adopting(ctx context.Context, plan containerModel) containerModel {
	m.Exec = plan.Exec
	m.ContentSHA256 = plan.ContentSHA256
	m.ResetTrigger = plan.ResetTrigger
	m.FromCheckpoint = plan.FromCheckpoint
	restored := !plan.FromCheckpoint.IsNull()
	if m.Image.IsNull() || restored {
		m.Image = plan.Image
	}
	// The engine does not tell who chose a host port.
	if plan.publishes(ctx, m) {
		m.ExposedPorts, m.Ports = plan.ExposedPorts, plan.Ports
		m.Preset, m.ConnectionURI = plan.Preset, types.StringUnknown()
	}
	if !restored {
		return m
	}
	// What the container has from its checkpoint looks as if it were given.
	if containsAll(m.Env, plan.Env) {
		m.Env = plan.Env
	}
	if plan.Command.IsNull() {
		m.Command = plan.Command
	}
	if plan.MemoryLimitMB.IsNull() {
		m.MemoryLimitMB = plan.MemoryLimitMB
	}
	return m
}

// publishes says whether the configured ports are those that the container in
// state publishes. Where none are exposed by configuration, one that was restored
// may have more: those of its checkpoint.
func (m containerModel) publishes(ctx context.Context, state containerModel) bool {
	if !fullyKnown(ctx, m.ExposedPorts) || !fullyKnown(ctx, m.Ports) {
		return false
	}
	fixed, diags := m.toFixedPorts(ctx)
	exposed, d := m.toExposedPorts(ctx, path.Root("exposed_ports"))
	diags.Append(d...)
	mapped, err := state.mappedPorts()
	if diags.HasError() || err != nil {
		return false
	}
	// A checkpoint without ports leaves them to the preset.
	inherits := !m.FromCheckpoint.IsNull() && m.ExposedPorts.IsNull()
	if usual, ok := m.usualPort(); ok && (!inherits || len(mapped) == 0) {
		exposed = append(exposed, usual)
	}
	left := make(map[backend.Port]uint16, len(mapped))
	for _, binding := range mapped {
		left[binding.Port] = binding.Host
	}
	for _, binding := range fixed {
		if left[binding.Port] != binding.Host {
			return false
		}
	}
	for _, port := range exposed {
		if left[port] == 0 {
			return false
		}
	}
	for _, binding := range fixed {
		delete(left, binding.Port)
	}
	for _, port := range exposed {
		delete(left, port)
	}
	return len(left) == 0 || inherits
}

// containsAll says whether every entry of part is in whole.
func containsAll(whole, part types.Map) bool {
	if part.IsUnknown() {
		return false
	}
	for key, value := range part.Elements() {
		if found, ok := whole.Elements()[key]; !ok || !found.Equal(value) {
			return false
		}
	}
	return true
}

// warnAdopted says what is taken as done already, if anything is.
func (m containerModel) warnAdopted() diag.Diagnostics {
	var diags diag.Diagnostics
	if m.Exec.IsNull() && m.Files.IsNull() && m.FromCheckpoint.IsNull() && m.ResetTrigger.IsNull() {
		return diags
	}
	diags.AddWarning("Imported Container Is Adopted", fmt.Sprintf(
		"Container %s was imported, and the engine cannot tell which files and checkpoint it was made from, nor which exec steps ran in it. "+
			"They are taken to be as configured: nothing is copied or run. "+
			"To have the container as defined, change reset_trigger after this apply.", m.Name.ValueString()))
	return diags
}
