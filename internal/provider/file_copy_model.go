package provider

import (
	"cmp"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/rightsize/terraform-provider-rightsize/internal/fixture"
	"github.com/rightsize/terraform-provider-rightsize/internal/hostcopy"
)

type fileCopyModel struct {
	ContainerID types.String   `tfsdk:"container_id"`
	Path        types.String   `tfsdk:"path"`
	Destination types.String   `tfsdk:"destination"`
	SizeLimitMB types.Int64    `tfsdk:"size_limit_mb"`
	Triggers    types.Map      `tfsdk:"triggers"`
	Timeouts    timeouts.Value `tfsdk:"timeouts"`

	ID        types.String `tfsdk:"id"`
	SHA256    types.String `tfsdk:"sha256"`
	SizeBytes types.Int64  `tfsdk:"size_bytes"`
}

func (m fileCopyModel) toCopy(owner string) fixture.Copy {
	return fixture.Copy{
		ContainerID: m.ContainerID.ValueString(),
		Path:        m.Path.ValueString(),
		Destination: m.Destination.ValueString(),
		Limit:       cmp.Or(m.SizeLimitMB.ValueInt64(), defaultSizeLimitMB) << 20,
		Owner:       owner,
	}
}

// copiesAgain says whether what is to be copied differs from what was.
func (m fileCopyModel) copiesAgain(state fileCopyModel) bool {
	return !m.ContainerID.Equal(state.ContainerID) || !m.Path.Equal(state.Path) || !m.Triggers.Equal(state.Triggers)
}

// fromContent sets what is computed to what the copy holds.
func (m *fileCopyModel) fromContent(content hostcopy.Content) {
	m.ID = m.Destination
	m.SHA256 = types.StringValue(content.SHA256)
	m.SizeBytes = types.Int64Value(content.Size)
}
