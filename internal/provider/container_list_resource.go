package provider

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/fixture"
)

var _ list.ListResourceWithConfigure = (*containerListResource)(nil)

func newContainerListResource() list.ListResource { return &containerListResource{} }

type containerListResource struct {
	fixtures *fixture.Fixtures
}

func (l *containerListResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_container"
}

func (l *containerListResource) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the containers of the engine for `terraform query`, with Terraform 1.14 or newer. " +
			"With `include_resource`, each comes with what an import takes of it, values of its environment included.",
		Attributes: map[string]schema.Attribute{
			"all":         schema.BoolAttribute{MarkdownDescription: describeAll, Optional: true},
			"name_prefix": schema.StringAttribute{MarkdownDescription: describeNamePrefix, Optional: true},
		},
	}
}

func (l *containerListResource) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	fixtures, diags := fixturesFrom(req.ProviderData)
	resp.Diagnostics.Append(diags...)
	l.fixtures = fixtures
}

// List asks the engine once, and then, only where Terraform wants the whole
// resource, for each container that it takes.
func (l *containerListResource) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	var config selectionModel
	diags := req.Config.Get(ctx, &config)
	if l.fixtures == nil {
		diags.Append(notConfigured())
	}
	if diags.HasError() {
		stream.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	b, err := l.fixtures.Backend(ctx)
	var containers []backend.Summary
	if err == nil {
		containers, err = l.fixtures.Containers(ctx, config.toSelection())
	}
	if err != nil {
		stream.Results = failedList("Containers", err)
		return
	}
	stream.Results = func(push func(list.ListResult) bool) {
		sent := int64(0)
		for _, c := range containers {
			if req.Limit > 0 && sent == req.Limit {
				return
			}
			result := req.NewListResult(ctx)
			result.DisplayName = c.Name
			result.Diagnostics.Append(result.Identity.Set(ctx, identityOf(c.Name, b.Name()))...)
			if req.IncludeResource {
				err := l.include(ctx, b.Name(), c.ID, &result)
				if errors.Is(err, backend.ErrNotFound) {
					continue // It has been removed since the engine listed it.
				}
				if err != nil {
					result.Diagnostics.Append(errorDiagnostic("Read", "Container", err, nowhere))
				}
			}
			if !push(result) {
				return
			}
			sent++
		}
	}
}

// include completes a result with what an import of the container would read.
func (l *containerListResource) include(ctx context.Context, name backend.Name, id string, result *list.ListResult) error {
	c, err := l.fixtures.Inspect(ctx, id)
	if err != nil {
		return err
	}
	var model containerModel
	// An attribute that is set makes all others null, instead of the whole.
	result.Diagnostics.Append(result.Resource.SetAttribute(ctx, path.Root("name"), c.Name)...)
	result.Diagnostics.Append(result.Resource.Get(ctx, &model)...)
	recorded, _ := l.fixtures.ContainerLifetime(ctx, c.ID)
	model.ExpiresAfter = refreshedPeriod(recorded)
	model.fromContainer(name, c)
	result.Diagnostics.Append(model.adoptContainer(ctx, c)...)
	result.Diagnostics.Append(result.Resource.Set(ctx, model)...)
	return nil
}

// failedList is the answer to a list that could not be read at all.
func failedList(noun string, err error) func(func(list.ListResult) bool) {
	return list.ListResultsStreamDiagnostics(diag.Diagnostics{errorDiagnostic("List", noun, err, nowhere)})
}
