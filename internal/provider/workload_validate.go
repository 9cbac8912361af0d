package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// validate checks what no single attribute can: how they fit together.
func (m workloadModel) validate(root path.Path) diag.Diagnostics {
	var diags diag.Diagnostics
	http, ok := m.WaitFor.Attributes()["http"].(types.Object)
	if !ok || http.IsNull() || http.IsUnknown() {
		return diags
	}
	port, _ := http.Attributes()["port"].(types.String)
	if port.IsNull() && !m.ExposedPorts.IsUnknown() && m.onlyExposedPort() == "" {
		diags.AddAttributeError(root.AtName("wait_for").AtName("http").AtName("port"), "Missing Port",
			"Which port to ask is clear only if exposed_ports lists exactly one. Set port to one of the published ports.")
	}
	return diags
}
