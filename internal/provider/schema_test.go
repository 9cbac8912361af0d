package provider_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	fwprovider "github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/rightsize/terraform-provider-rightsize/internal/provider"
)

func TestSchemasAreValid(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	p := provider.New("test")()
	var schema fwprovider.SchemaResponse
	p.Schema(ctx, fwprovider.SchemaRequest{}, &schema)
	if diags := schema.Schema.ValidateImplementation(ctx); diags.HasError() {
		t.Errorf("provider: %v", diags)
	}
	for _, build := range p.Resources(ctx) {
		var schema resource.SchemaResponse
		build().Schema(ctx, resource.SchemaRequest{}, &schema)
		if diags := schema.Schema.ValidateImplementation(ctx); diags.HasError() {
			t.Errorf("resource: %v", diags)
		}
	}
	for _, build := range p.DataSources(ctx) {
		var schema datasource.SchemaResponse
		build().Schema(ctx, datasource.SchemaRequest{}, &schema)
		if diags := schema.Schema.ValidateImplementation(ctx); diags.HasError() {
			t.Errorf("data source: %v", diags)
		}
	}
	for _, build := range p.(fwprovider.ProviderWithEphemeralResources).EphemeralResources(ctx) {
		var schema ephemeral.SchemaResponse
		build().Schema(ctx, ephemeral.SchemaRequest{}, &schema)
		if diags := schema.Schema.ValidateImplementation(ctx); diags.HasError() {
			t.Errorf("ephemeral resource: %v", diags)
		}
	}
}

// The descriptions are the documentation.
func TestSchemasAreDescribed(t *testing.T) {
	t.Parallel()
	schemas := schemasOf(t)
	if len(schemas.Diagnostics) > 0 {
		t.Errorf("the schemas come with diagnostics:\n%s", render(schemas.Diagnostics))
	}
	all := map[string]*tfprotov6.Schema{"provider": schemas.Provider}
	for name, schema := range schemas.ResourceSchemas {
		all["resource "+name] = schema
	}
	for name, schema := range schemas.DataSourceSchemas {
		all["data source "+name] = schema
	}
	for name, schema := range schemas.EphemeralResourceSchemas {
		all["ephemeral resource "+name] = schema
	}
	for name, schema := range schemas.ListResourceSchemas {
		all["list resource "+name] = schema
	}
	for name, action := range schemas.ActionSchemas {
		all["action "+name] = action.Schema
	}
	if len(all) != 15 {
		t.Errorf("there are %d schemas", len(all))
	}
	for name, schema := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if !strings.HasSuffix(schema.Block.Description, ".") {
				t.Errorf("%q is no sentence", schema.Block.Description)
			}
			if len(schema.Block.BlockTypes) > 0 {
				t.Error("it has blocks, where attributes are the convention")
			}
			walk(schema.Block.Attributes, "", func(path string, attribute *tfprotov6.SchemaAttribute) {
				if !strings.HasSuffix(attribute.Description, ".") {
					t.Errorf("%s: %q is no sentence", path, attribute.Description)
				}
				// The limits' descriptions are the framework's to make.
				if attribute.DescriptionKind != tfprotov6.StringKindMarkdown && !strings.HasPrefix(path, "timeouts.") {
					t.Errorf("%s: the description is not Markdown", path)
				}
			})
		})
	}
}

// A user finds out from the description what a change does.
func TestSchemasSayWhatAChangeDoes(t *testing.T) {
	t.Parallel()
	for name, schema := range schemasOf(t).ResourceSchemas {
		for _, attribute := range schema.Block.Attributes {
			if !attribute.Required && !attribute.Optional {
				continue
			}
			if !strings.Contains(attribute.Description, "A change ") {
				t.Errorf("%s.%s: %q", name, attribute.Name, attribute.Description)
			}
		}
	}
}

// What may hold a password is marked, and what must not enter state does not.
func TestSensitiveAttributes(t *testing.T) {
	t.Parallel()
	schemas := schemasOf(t)
	var writeOnly []string
	for name, schema := range schemas.ResourceSchemas {
		walk(schema.Block.Attributes, name+".", func(path string, attribute *tfprotov6.SchemaAttribute) {
			if attribute.WriteOnly {
				writeOnly = append(writeOnly, path)
			}
			if (path == name+".spec.env" || path == name+".connection_uri" || path == execType+".stdout") && !attribute.Sensitive {
				t.Errorf("%s is not sensitive", path)
			}
		})
	}
	for name, schema := range schemas.DataSourceSchemas {
		walk(schema.Block.Attributes, name+".", func(path string, attribute *tfprotov6.SchemaAttribute) {
			if strings.HasSuffix(path, ".spec.env") && !attribute.Sensitive {
				t.Errorf("data source %s is not sensitive", path)
			}
		})
	}
	for name, schema := range schemas.EphemeralResourceSchemas {
		walk(schema.Block.Attributes, name+".", func(path string, attribute *tfprotov6.SchemaAttribute) {
			if attribute.WriteOnly || strings.Contains(attribute.Description, "Write-only") {
				t.Errorf("ephemeral %s is write-only, where there is no state", path)
			}
		})
	}
	for _, path := range writeOnly {
		switch path[strings.LastIndexByte(path, '.')+1:] {
		case "content", "content_base64", "stdin":
		default:
			t.Errorf("%s is write-only", path)
		}
	}
	if len(writeOnly) != 7 {
		t.Errorf("%d attributes are write-only: %v", len(writeOnly), writeOnly)
	}
}

func schemasOf(t *testing.T) *tfprotov6.GetProviderSchemaResponse {
	t.Helper()
	server, err := newHarness(t).server()
	if err != nil {
		t.Fatal(err)
	}
	return newUnconfiguredCore(t, server).schemas
}

// walk calls visit with every attribute, nested ones included.
func walk(attributes []*tfprotov6.SchemaAttribute, parent string, visit func(path string, attribute *tfprotov6.SchemaAttribute)) {
	for _, attribute := range attributes {
		visit(parent+attribute.Name, attribute)
		if attribute.NestedType != nil {
			walk(attribute.NestedType.Attributes, parent+attribute.Name+".", visit)
		}
	}
}
