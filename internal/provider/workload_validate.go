package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// validate checks what no single attribute can: how they fit together.
func (m workloadModel) validate(ctx context.Context, root path.Path) diag.Diagnostics {
	if !fullyKnown(ctx, m.ExposedPorts) {
		return nil
	}
	diags := m.validateExposedPorts(ctx, root)
	http, ok := m.WaitFor.Attributes()["http"].(types.Object)
	if !ok || http.IsNull() || http.IsUnknown() {
		return diags
	}
	port, _ := http.Attributes()["port"].(types.String)
	if port.IsNull() && m.onlyExposedPort() == "" {
		diags.AddAttributeError(root.AtName("wait_for").AtName("http").AtName("port"), "Missing Port",
			"Which port to ask is clear only if exposed_ports lists exactly one. Set port to one of the published ports.")
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
