package provider

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/rightsize/terraform-provider-rightsize/internal/checkpoint"
	"github.com/rightsize/terraform-provider-rightsize/internal/fixture"
)

var _ datasource.DataSourceWithConfigure = (*checkpointsDataSource)(nil)

func newCheckpointsDataSource() datasource.DataSource { return &checkpointsDataSource{} }

type checkpointsDataSource struct {
	fixtures *fixture.Fixtures
}

type checkpointsDataModel struct {
	Checkpoints    []checkpointsElementModel `tfsdk:"checkpoints"`
	TotalSizeBytes types.Int64               `tfsdk:"total_size_bytes"`
}

type checkpointsElementModel struct {
	checkpointListed

	Name types.String `tfsdk:"name"`
}

func (d *checkpointsDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_checkpoints"
}

func (d *checkpointsDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := checkpointDataAttributes()
	attributes["name"] = schema.StringAttribute{MarkdownDescription: "The checkpoint's name.", Computed: true}
	resp.Schema = schema.Schema{
		MarkdownDescription: "All checkpoints that are registered on this host, whoever captured them. Those of the active backend whose artifact is gone are left out; " +
			"an entry that cannot be read is a warning. Looking them up changes nothing.",
		Attributes: map[string]schema.Attribute{
			"checkpoints": schema.ListNestedAttribute{
				MarkdownDescription: "The checkpoints, in the order of their names.",
				Computed:            true,
				NestedObject:        schema.NestedAttributeObject{Attributes: attributes},
			},
			"total_size_bytes": schema.Int64Attribute{
				MarkdownDescription: "The `size_bytes` of all of them together. Layers that several have in common are counted for each: on disk it is less.",
				Computed:            true,
			},
		},
	}
}

func (d *checkpointsDataSource) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	fixtures, diags := fixturesFrom(req.ProviderData)
	resp.Diagnostics.Append(diags...)
	d.fixtures = fixtures
}

func (d *checkpointsDataSource) Read(ctx context.Context, _ datasource.ReadRequest, resp *datasource.ReadResponse) {
	if d.fixtures == nil {
		resp.Diagnostics.Append(notConfigured())
		return
	}
	checkpoints, corrupt, err := d.fixtures.Checkpoints(ctx)
	if err == nil {
		checkpoints, err = d.fixtures.WithLayers(ctx, checkpoints...)
	}
	if err != nil {
		resp.Diagnostics.Append(errorDiagnostic("List", "Checkpoints", err, nowhere))
		return
	}
	if len(corrupt) > 0 {
		resp.Diagnostics.Append(corruptEntries(corrupt))
	}
	model := checkpointsDataModel{Checkpoints: make([]checkpointsElementModel, len(checkpoints))}
	var total int64
	for i, cp := range checkpoints {
		model.Checkpoints[i].Name = types.StringValue(cp.Entry.Name)
		resp.Diagnostics.Append(model.Checkpoints[i].fromListed(ctx, d.fixtures, cp)...)
		total += cp.Artifact.SizeBytes
	}
	model.TotalSizeBytes = types.Int64Value(total)
	resp.Diagnostics.Append(resp.State.Set(ctx, model)...)
}

// corruptEntries is the warning about entries that a list leaves out.
func corruptEntries(corrupt []*checkpoint.CorruptError) diag.Diagnostic {
	// One warning for all: Terraform shows the first of those that are alike.
	lines := make([]string, len(corrupt))
	for i, err := range corrupt {
		lines[i] = sentence(err.Error())
	}
	return diag.NewWarningDiagnostic("Corrupt Checkpoint Entry",
		strings.Join(lines, "\n")+"\n\nWhat is corrupt is left as it is, and is not in the list.")
}
