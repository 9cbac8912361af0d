// Command terraform-provider-rightsize is a Terraform provider for seeded
// fixture environments.
package main

import (
	"context"
	"flag"
	"log"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"github.com/rightsize/terraform-provider-rightsize/internal/provider"
)

// version is set by the release build.
var version = "dev"

func main() {
	debug := flag.Bool("debug", false, "serve for a debugger, and print how Terraform attaches to it")
	flag.Parse()

	collectSeldom()
	quietSDK()
	err := provider.Serve(context.Background(), version, providerserver.ServeOpts{
		Address:         "registry.terraform.io/rightsize/rightsize",
		Debug:           *debug,
		ProtocolVersion: 6,
	})
	if err != nil {
		log.Fatal(err)
	}
}
