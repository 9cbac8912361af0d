package provider

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// validate checks what no single attribute can: how they fit together. fixed are
// the ports that are published beside exposed_ports.
func (m workloadModel) validate(ctx context.Context, root path.Path, fixed []backend.PortBinding) diag.Diagnostics {
	if !fullyKnown(ctx, m.ExposedPorts) {
		return nil
	}
	diags := m.validateExposedPorts(ctx, root)
	waitFor, attribute := m.WaitFor.Attributes(), root.AtName("wait_for")
	if port, ok := waitFor["port"].(types.String); ok {
		diags.Append(m.validatePublished(port, attribute.AtName("port"), fixed)...)
	}
	http, ok := waitFor["http"].(types.Object)
	if !ok || http.IsNull() || http.IsUnknown() {
		return diags
	}
	port, _ := http.Attributes()["port"].(types.String)
	attribute = attribute.AtName("http").AtName("port")
	if port.IsNull() && m.onlyExposedPort() == "" {
		diags.AddAttributeError(attribute, "Missing Port",
			"Which port to ask is clear only if exposed_ports lists exactly one. Set port to one of the published ports.")
	}
	diags.Append(m.validatePublished(port, attribute, fixed)...)
	return diags
}

// validatePublished refuses to wait for a port that can be reached from nowhere.
// What a checkpoint publishes by default is not known here.
func (m workloadModel) validatePublished(value types.String, attribute path.Path, fixed []backend.PortBinding) diag.Diagnostics {
	var diags diag.Diagnostics
	port, err := backend.ParsePort(value.ValueString())
	if err != nil || m.ExposedPorts.IsNull() && fixed == nil && !m.FromCheckpoint.IsNull() {
		return diags
	}
	published := slices.ContainsFunc(fixed, func(b backend.PortBinding) bool { return b.Port == port }) ||
		slices.ContainsFunc(m.ExposedPorts.Elements(), func(element attr.Value) bool {
			text, _ := element.(types.String)
			exposed, err := backend.ParsePort(text.ValueString())
			return err == nil && exposed == port
		})
	if !published {
		diags.AddAttributeError(attribute, "Port Not Published", fmt.Sprintf("Port %s of the container is not published, so nothing can be asked of it. Add it to exposed_ports.", port))
	}
	return diags
}

// validateExposedPorts refuses a port that is listed twice in different words:
// as "53" and as "53/tcp".
func (m workloadModel) validateExposedPorts(ctx context.Context, root path.Path) diag.Diagnostics {
	attribute := root.AtName("exposed_ports")
	ports, diags := m.toExposedPorts(ctx, attribute)
	listed := make(map[backend.Port]struct{}, len(ports))
	for _, port := range ports {
		if _, ok := listed[port]; ok {
			diags.AddAttributeError(attribute, "Duplicate Port", fmt.Sprintf("Port %s of the container is listed twice.", port))
		}
		listed[port] = struct{}{}
	}
	return diags
}
