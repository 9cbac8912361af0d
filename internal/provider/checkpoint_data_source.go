package provider

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/hashicorp/terraform-plugin-framework-timetypes/timetypes"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/rightsize/terraform-provider-rightsize/internal/fixture"
)

var _ datasource.DataSourceWithConfigure = (*checkpointDataSource)(nil)

func newCheckpointDataSource() datasource.DataSource { return &checkpointDataSource{} }

type checkpointDataSource struct {
	fixtures *fixture.Fixtures
}

type checkpointDataModel struct {
	checkpointListed

	Name     types.String `tfsdk:"name"`
	Required types.Bool   `tfsdk:"required"`
	Exists   types.Bool   `tfsdk:"exists"`
}

func (d *checkpointDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_checkpoint"
}

func (d *checkpointDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := checkpointDataAttributes()
	attributes["name"] = schema.StringAttribute{
		MarkdownDescription: "The checkpoint's name.",
		Required:            true,
		Validators:          []validator.String{checkpointName()},
	}
	attributes["required"] = schema.BoolAttribute{
		MarkdownDescription: "Whether a checkpoint that is absent is an error. Defaults to `true`.",
		Optional:            true,
	}
	attributes["exists"] = schema.BoolAttribute{
		MarkdownDescription: "Whether the checkpoint is registered and its artifact is there. If it is `false`, everything else is null.",
		Computed:            true,
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "A checkpoint that another stack, or a rightsize test library, captured. Looking it up changes nothing. " +
			"One of another backend than the active one is returned without looking for its artifact: `artifact_id` and `size_bytes` are null, and restoring it fails.",
		Attributes: attributes,
	}
}

func (d *checkpointDataSource) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	fixtures, diags := fixturesFrom(req.ProviderData)
	resp.Diagnostics.Append(diags...)
	d.fixtures = fixtures
}

func (d *checkpointDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model checkpointDataModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if d.fixtures == nil {
		resp.Diagnostics.Append(notConfigured())
		return
	}
	cp, err := d.fixtures.Checkpoint(ctx, model.Name.ValueString())
	if err == nil {
		cp, err = withLayers(ctx, d.fixtures, cp)
	}
	var absent *fixture.AbsentError
	switch {
	case errors.As(err, &absent) && !model.Required.IsNull() && !model.Required.ValueBool():
		model.Exists = types.BoolValue(false)
		model.checkpointListed = checkpointListed{checkpointComputed: absentCheckpoint()}
	case errors.As(err, &absent):
		resp.Diagnostics.AddAttributeError(path.Root("name"), "Unable to Find Checkpoint", absentDetail(absent))
		return
	case err != nil:
		resp.Diagnostics.Append(errorDiagnostic("Find", "Checkpoint", err, at(path.Root("name"))))
		return
	default:
		model.Exists = types.BoolValue(true)
		resp.Diagnostics.Append(model.fromListed(ctx, d.fixtures, cp)...)
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, model)...)
}

// withLayers is [fixture.Fixtures.WithLayers] for one checkpoint.
func withLayers(ctx context.Context, fixtures *fixture.Fixtures, cp fixture.Checkpoint) (fixture.Checkpoint, error) {
	completed, err := fixtures.WithLayers(ctx, cp)
	if err != nil {
		return cp, err
	}
	return completed[0], nil
}

// absentDetail says where was looked: a CI stack that finds nothing mostly runs
// on another host, or with another cache directory, than the one that seeded.
func absentDetail(absent *fixture.AbsentError) string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return fmt.Sprintf("%s\n\nHost: %s\nRegistry: %s\nBackend: %s\n\n"+
		"Capture it on this host with a rightsize_checkpoint resource, or set required = false and test exists.",
		sentence(absent.Error()), host, absent.CacheDir, absent.Backend)
}

// checkpointDataAttributes is what the data sources tell of a checkpoint.
func checkpointDataAttributes() map[string]schema.Attribute {
	computed := func(description string) schema.StringAttribute {
		return schema.StringAttribute{MarkdownDescription: description, Computed: true}
	}
	return map[string]schema.Attribute{
		"id":          computed(describeID),
		"ref":         computed(describeRef),
		"backend":     computed(describeBackend),
		"artifact_id": computed("The digest of the artifact."),
		"created_at": schema.StringAttribute{
			MarkdownDescription: describeCreatedAt,
			Computed:            true,
			CustomType:          timetypes.RFC3339Type{},
		},
		"age_hours":  schema.Int64Attribute{MarkdownDescription: describeAgeHours, Computed: true},
		"size_bytes": schema.Int64Attribute{MarkdownDescription: describeSizeBytes, Computed: true},
		"layers":     schema.Int64Attribute{MarkdownDescription: describeLayers, Computed: true},
		"pause_ms":   schema.Int64Attribute{MarkdownDescription: describePauseMS, Computed: true},
		"resumes": schema.SingleNestedAttribute{
			MarkdownDescription: describeResumes,
			Computed:            true,
			Attributes: map[string]schema.Attribute{
				"memory_limit_mb": schema.Int64Attribute{MarkdownDescription: describeResumesMemory, Computed: true},
				"cpus":            schema.Float64Attribute{MarkdownDescription: describeResumesCPUs, Computed: true},
				"engine":          schema.StringAttribute{MarkdownDescription: describeResumesEngine, Computed: true},
			},
		},
		"expires_at": schema.StringAttribute{
			MarkdownDescription: describeExpiresAt + " Null as well for one of another backend.",
			Computed:            true,
			CustomType:          timetypes.RFC3339Type{},
		},
		"expired": schema.BoolAttribute{MarkdownDescription: describeExpired, Computed: true},
		"spec": schema.SingleNestedAttribute{
			MarkdownDescription: describeSpec,
			Computed:            true,
			Attributes: map[string]schema.Attribute{
				"env":             schema.MapAttribute{MarkdownDescription: describeSpecEnv, Computed: true, Sensitive: true, ElementType: types.StringType},
				"command":         schema.ListAttribute{MarkdownDescription: describeSpecCommand, Computed: true, ElementType: types.StringType},
				"exposed_ports":   schema.ListAttribute{MarkdownDescription: describeSpecExposedPorts, Computed: true, ElementType: types.Int64Type},
				"memory_limit_mb": schema.Int64Attribute{MarkdownDescription: describeSpecMemoryLimitMB, Computed: true},
			},
		},
	}
}
