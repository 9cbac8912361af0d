// Command benchfloor is a Terraform provider whose resources do nothing at all,
// with as many attributes as ours have. What a plan of them costs is what
// Terraform and the plugin framework cost for resources of that size: the floor
// below which no provider gets, and what scripts/bench measures ours against.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

func main() {
	// As the real provider does, to compare like with like.
	for _, name := range []string{"TF_LOG_SDK", "TF_LOG_SDK_PROTO", "TF_LOG_SDK_FRAMEWORK"} {
		if err := os.Setenv(name, "OFF"); err != nil {
			log.Fatal(err)
		}
	}
	err := providerserver.Serve(context.Background(), func() provider.Provider { return floorProvider{} }, providerserver.ServeOpts{
		Address:         "registry.terraform.io/rightsize/benchfloor",
		ProtocolVersion: 6,
	})
	if err != nil {
		log.Fatal(err)
	}
}

type floorProvider struct{}

func (floorProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "benchfloor"
}

func (floorProvider) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse) {}

func (floorProvider) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {
}

func (floorProvider) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{
		func() resource.Resource { return nothing{name: "container", attributes: 30} },
		func() resource.Resource { return nothing{name: "checkpoint", attributes: 13} },
	}
}

func (floorProvider) DataSources(context.Context) []func() datasource.DataSource { return nil }

// nothing is a resource with the name and the number of attributes of ours.
type nothing struct {
	name       string
	attributes int
}

func (n nothing) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "benchfloor_" + n.name
}

func (n nothing) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema.Attributes = map[string]schema.Attribute{"id": schema.StringAttribute{Computed: true}}
	for i := 1; i < n.attributes; i++ {
		resp.Schema.Attributes[fmt.Sprintf("attribute_%d", i)] = schema.StringAttribute{Optional: true}
	}
}

func (nothing) Create(ctx context.Context, _ resource.CreateRequest, resp *resource.CreateResponse) {
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), types.StringValue("nothing"))...)
}

func (nothing) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}

func (nothing) Update(context.Context, resource.UpdateRequest, *resource.UpdateResponse) {}

func (nothing) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}
