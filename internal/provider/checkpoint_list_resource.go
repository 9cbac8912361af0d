package provider

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/rightsize/terraform-provider-rightsize/internal/fixture"
)

var _ list.ListResourceWithConfigure = (*checkpointListResource)(nil)

func newCheckpointListResource() list.ListResource { return &checkpointListResource{} }

type checkpointListResource struct {
	fixtures *fixture.Fixtures
}

type checkpointListModel struct {
	NamePrefix types.String `tfsdk:"name_prefix"`
}

func (l *checkpointListResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_checkpoint"
}

func (l *checkpointListResource) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the checkpoints that are registered on this host for `terraform query`, with Terraform 1.14 or newer, whoever captured them. " +
			"Those of another backend than the active one, and those whose artifact is gone, cannot be imported and are left out; an entry that cannot be read is a warning.",
		Attributes: map[string]schema.Attribute{
			"name_prefix": schema.StringAttribute{MarkdownDescription: describeNamePrefix, Optional: true},
		},
	}
}

func (l *checkpointListResource) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	fixtures, diags := fixturesFrom(req.ProviderData)
	resp.Diagnostics.Append(diags...)
	l.fixtures = fixtures
}

func (l *checkpointListResource) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	var config checkpointListModel
	diags := req.Config.Get(ctx, &config)
	if l.fixtures == nil {
		diags.Append(notConfigured())
	}
	if diags.HasError() {
		stream.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	checkpoints, corrupt, err := l.fixtures.Checkpoints(ctx)
	if err != nil {
		stream.Results = failedList("Checkpoints", err)
		return
	}
	stream.Results = func(push func(list.ListResult) bool) {
		// A result that is nothing but a warning is shown as one.
		if len(corrupt) > 0 && !push(list.ListResult{Diagnostics: diag.Diagnostics{corruptEntries(corrupt)}}) {
			return
		}
		sent := int64(0)
		for _, cp := range checkpoints {
			if req.Limit > 0 && sent == req.Limit {
				return
			}
			if !cp.Probed || !strings.HasPrefix(cp.Entry.Name, config.NamePrefix.ValueString()) {
				continue
			}
			if !push(l.result(ctx, req, cp)) {
				return
			}
			sent++
		}
	}
}

func (l *checkpointListResource) result(ctx context.Context, req list.ListRequest, cp fixture.Checkpoint) list.ListResult {
	result := req.NewListResult(ctx)
	result.DisplayName = cp.Entry.Name
	if req.IncludeResource {
		var err error
		if cp, err = withLayers(ctx, l.fixtures, cp); err != nil {
			result.Diagnostics.Append(errorDiagnostic("List", "Checkpoints", err, nowhere))
			return result
		}
	}
	var model checkpointModel
	// An attribute that is set makes all others null, instead of the whole.
	result.Diagnostics.Append(result.Resource.SetAttribute(ctx, path.Root("name"), cp.Entry.Name)...)
	result.Diagnostics.Append(result.Resource.Get(ctx, &model)...)
	model.ExpiresAfter = refreshedPeriod(cp.ExpiresAfter)
	result.Diagnostics.Append(model.fromCheckpoint(ctx, cp)...)
	result.Diagnostics.Append(result.Identity.Set(ctx, identityModel{model.Name, model.Backend})...)
	if req.IncludeResource {
		result.Diagnostics.Append(result.Resource.Set(ctx, model)...)
	}
	return result
}
