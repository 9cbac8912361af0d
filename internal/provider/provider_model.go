package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend/selection"
)

type providerModel struct {
	Backend      types.String `tfsdk:"backend"`
	CacheDir     types.String `tfsdk:"cache_dir"`
	Docker       types.Object `tfsdk:"docker"`
	Microsandbox types.Object `tfsdk:"microsandbox"`
}

// unknown says whether part of the configuration is not known yet.
func (m providerModel) unknown() bool {
	return m.Backend.IsUnknown() || m.CacheDir.IsUnknown() || unknownWithin(m.Docker) || unknownWithin(m.Microsandbox)
}

// unknownWithin says whether an object, or anything in it, is not known yet.
func unknownWithin(object types.Object) bool {
	if object.IsUnknown() {
		return true
	}
	for _, value := range object.Attributes() {
		nested, isObject := value.(types.Object)
		if value.IsUnknown() || isObject && unknownWithin(nested) {
			return true
		}
	}
	return false
}

// toSelection says which backend is asked for. Attributes that are not known
// count as not set.
func (m providerModel) toSelection(version string) selection.Config {
	download, _ := m.Microsandbox.Attributes()["download"].(types.Object)
	return selection.Config{
		Backend: selection.Choice(m.Backend.ValueString()),
		Docker: selection.DockerConfig{
			Host:     stringIn(m.Docker, "host"),
			Context:  stringIn(m.Docker, "context"),
			CertPath: stringIn(m.Docker, "cert_path"),
		},
		Microsandbox: selection.MicrosandboxConfig{
			Path:            stringIn(m.Microsandbox, "path"),
			Home:            stringIn(m.Microsandbox, "home"),
			Version:         stringIn(m.Microsandbox, "version"),
			NoDownload:      isFalse(download, "enabled"),
			DownloadURL:     stringIn(download, "base_url"),
			DownloadSHA256:  stringIn(download, "sha256"),
			RecordIntegrity: isTrue(m.Microsandbox, "record_integrity"),
		},
		UserAgent: "terraform-provider-rightsize/" + version,
	}
}

// stringIn returns a string of an object, empty if it is not set.
func stringIn(object types.Object, name string) string {
	value, _ := object.Attributes()[name].(types.String)
	return value.ValueString()
}

func isTrue(object types.Object, name string) bool {
	value, _ := object.Attributes()[name].(types.Bool)
	return value.ValueBool()
}

// isFalse says that a boolean is set, to false.
func isFalse(object types.Object, name string) bool {
	value, _ := object.Attributes()[name].(types.Bool)
	return value.Equal(types.BoolValue(false))
}
