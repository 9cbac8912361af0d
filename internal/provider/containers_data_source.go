package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/rightsize/terraform-provider-rightsize/internal/fixture"
)

var _ datasource.DataSourceWithConfigure = (*containersDataSource)(nil)

func newContainersDataSource() datasource.DataSource { return &containersDataSource{} }

type containersDataSource struct {
	fixtures *fixture.Fixtures
}

type containersDataModel struct {
	selectionModel

	Containers []containersElementModel `tfsdk:"containers"`
}

type containersElementModel struct {
	Name        types.String `tfsdk:"name"`
	ContainerID types.String `tfsdk:"container_id"`
	Backend     types.String `tfsdk:"backend"`
	Managed     types.Bool   `tfsdk:"managed"`
	Status      types.String `tfsdk:"status"`
	Host        types.String `tfsdk:"host"`
	MappedPorts types.Map    `tfsdk:"mapped_ports"`
}

// selectionModel says which containers of the engine are meant.
type selectionModel struct {
	All        types.Bool   `tfsdk:"all"`
	NamePrefix types.String `tfsdk:"name_prefix"`
}

func (m selectionModel) toSelection() fixture.Selection {
	return fixture.Selection{All: m.All.ValueBool(), NamePrefix: m.NamePrefix.ValueString()}
}

// Descriptions that the data source and the list resource share.
const (
	describeAll = "Whether to take in every container of the engine: those that something else has made, and those that the provider removes by itself, of a seed or of an ephemeral resource. " +
		"Defaults to `false`: those that this provider has made, from whatever state."
	describeNamePrefix = "What the names begin with. Defaults to nothing: any name will do."
)

func (d *containersDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_containers"
}

func (d *containersDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	computed := func(description string) schema.StringAttribute {
		return schema.StringAttribute{MarkdownDescription: description, Computed: true}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "The containers of the engine, found in one call. Looking them up changes nothing.",
		Attributes: map[string]schema.Attribute{
			"all":         schema.BoolAttribute{MarkdownDescription: describeAll, Optional: true},
			"name_prefix": schema.StringAttribute{MarkdownDescription: describeNamePrefix, Optional: true},
			"containers": schema.ListNestedAttribute{
				MarkdownDescription: "The containers, in the order of their names.",
				Computed:            true,
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"name":         computed("The container's name, by which it is imported."),
					"container_id": computed("The engine's id of the container."),
					"backend":      computed("The backend that runs the container."),
					"managed": schema.BoolAttribute{
						MarkdownDescription: "Whether this provider has made the container.",
						Computed:            true,
					},
					"status": computed("The state of the container's process: `created`, `running`, `paused`, `exited` or `unknown`."),
					"host":   computed("The address at which published ports are reached."),
					"mapped_ports": schema.MapAttribute{
						MarkdownDescription: "The host port of each published port, by the container's port: `\"5432\"`, or `\"53/udp\"`. Docker tells them only while the container runs.",
						Computed:            true,
						ElementType:         types.Int64Type,
					},
				}},
			},
		},
	}
}

func (d *containersDataSource) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	fixtures, diags := fixturesFrom(req.ProviderData)
	resp.Diagnostics.Append(diags...)
	d.fixtures = fixtures
}

func (d *containersDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model containersDataModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if d.fixtures == nil {
		resp.Diagnostics.Append(notConfigured())
		return
	}
	containers, err := d.fixtures.Containers(ctx, model.toSelection())
	if err != nil {
		resp.Diagnostics.Append(errorDiagnostic("List", "Containers", err, nowhere))
		return
	}
	b, err := d.fixtures.Backend(ctx)
	if err != nil {
		resp.Diagnostics.Append(errorDiagnostic("List", "Containers", err, nowhere))
		return
	}
	model.Containers = make([]containersElementModel, len(containers))
	for i, c := range containers {
		model.Containers[i] = containersElementModel{
			Name:        types.StringValue(c.Name),
			ContainerID: types.StringValue(c.ID),
			Backend:     types.StringValue(string(b.Name())),
			Managed:     types.BoolValue(c.Managed),
			Status:      types.StringValue(string(c.State)),
			Host:        types.StringValue(c.Host),
			MappedPorts: mappedPortsValue(c.Ports),
		}
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, model)...)
}
