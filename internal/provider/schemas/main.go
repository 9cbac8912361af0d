// Command schemas prints the schemas of the provider in the form of `terraform
// providers schema -json`. Terraform prints only what its version knows: with this
// the documentation is the same, and whole, with whatever Terraform it is made,
// and with none.
package main

import (
	"context"
	"encoding/json"
	"log"
	"os"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/rightsize/terraform-provider-rightsize/internal/provider"
)

func main() {
	ctx := context.Background()
	server, err := providerserver.NewProtocol6WithError(provider.New("docs")())()
	if err != nil {
		log.Fatal(err)
	}
	schemas, err := server.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		log.Fatal(err)
	}
	identities, err := server.GetResourceIdentitySchemas(ctx, &tfprotov6.GetResourceIdentitySchemasRequest{})
	if err != nil {
		log.Fatal(err)
	}
	for _, d := range append(schemas.Diagnostics, identities.Diagnostics...) {
		log.Fatalf("%s: %s", d.Summary, d.Detail)
	}
	err = json.NewEncoder(os.Stdout).Encode(object{
		"format_version":   "1.0",
		"provider_schemas": object{"rightsize": providerSchemas(schemas, identities)},
	})
	if err != nil {
		log.Fatal(err)
	}
}
