package provider

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// validatePorts refuses a host port, or a port of the container, that is listed
// twice, and checks what depends on the ports there are.
func (m containerModel) validatePorts(ctx context.Context) diag.Diagnostics {
	if !fullyKnown(ctx, m.Ports) {
		return nil
	}
	bindings, diags := m.toFixedPorts(ctx)
	diags.Append(m.validate(ctx, path.Empty(), bindings)...)
	hosts := make(map[backend.Port]int)
	ports := make(map[backend.Port]int)
	for i, binding := range bindings {
		element := path.Root("ports").AtListIndex(i)
		host := backend.Port{Number: binding.Host, Protocol: binding.Protocol}
		if first, ok := hosts[host]; ok {
			diags.AddAttributeError(element.AtName("host_port"), "Duplicate Port", fmt.Sprintf("Host port %s is already published by ports[%d].", host, first))
		}
		if first, ok := ports[binding.Port]; ok {
			diags.AddAttributeError(element.AtName("container_port"), "Duplicate Port", fmt.Sprintf("Port %s of the container is already published by ports[%d].", binding.Port, first))
		}
		hosts[host], ports[binding.Port] = i, i
	}
	return diags
}

// validateSave refuses to save a container's contents as the checkpoint that it
// is reset to: there would be nothing left to reset it to.
func (m containerModel) validateSave() diag.Diagnostics {
	var diags diag.Diagnostics
	from, _, _ := strings.Cut(m.FromCheckpoint.ValueString(), "@")
	if from != "" && m.SaveBefore.ValueString() == from {
		diags.AddAttributeError(path.Root("save_before_reset"), "Invalid Attribute Combination",
			fmt.Sprintf("The container is reset to the checkpoint %q: to save what it holds under that name would replace it. Choose another name.", from))
	}
	return diags
}
