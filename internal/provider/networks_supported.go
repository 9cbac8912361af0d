package provider

import (
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// checkNetworks fails if the backend that the configuration names cannot join
// containers. Under auto that is known when one has been chosen, which a plan
// does not do: then the apply fails.
func (d resourceData) checkNetworks() error {
	if d.named != string(backend.Microsandbox) {
		return nil
	}
	return &backend.Error{
		Kind:   backend.ErrUnsupported,
		Tried:  "join containers by a network",
		Cause:  errors.New("the backend microsandbox, which the provider is configured for, has none that could"),
		Remedy: "Use backend = \"docker\" for the containers that are to reach each other by name, or reach a container by its host and mapped_ports.",
		Field:  backend.FieldNetworks,
	}
}

// refuseNetworks reports networks of a workload that the backend cannot join.
func (d resourceData) refuseNetworks(workload workloadModel, root path.Path) diag.Diagnostics {
	if len(workload.Networks.Elements()) == 0 {
		return nil
	}
	if err := d.checkNetworks(); err != nil {
		return diag.Diagnostics{errorDiagnostic("Join", "Networks", err, under(root))}
	}
	return nil
}
