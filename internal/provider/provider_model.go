package provider

import (
	"cmp"
	"os"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend/selection"
)

type providerModel struct {
	Backend  types.String `tfsdk:"backend"`
	CacheDir types.String `tfsdk:"cache_dir"`
	Docker   types.Object `tfsdk:"docker"`
}

// unknown says whether part of the configuration is not known yet.
func (m providerModel) unknown() bool {
	if m.Backend.IsUnknown() || m.CacheDir.IsUnknown() || m.Docker.IsUnknown() {
		return true
	}
	for _, value := range m.Docker.Attributes() {
		if value.IsUnknown() {
			return true
		}
	}
	return false
}

// toSelection says which backend is asked for. Attributes that are not known
// count as not set.
func (m providerModel) toSelection(version string) selection.Config {
	docker := func(name string) string {
		value, _ := m.Docker.Attributes()[name].(types.String)
		return value.ValueString()
	}
	return selection.Config{
		Backend: cmp.Or(m.Backend.ValueString(), os.Getenv(selection.EnvBackend), selection.Auto),
		Docker: selection.DockerConfig{
			Host:     docker("host"),
			Context:  docker("context"),
			CertPath: docker("cert_path"),
		},
		UserAgent: "terraform-provider-rightsize/" + version,
	}
}
