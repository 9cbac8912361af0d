// Command terraform-provider-rightsize is a Terraform provider for seeded
// fixture environments.
package main

import (
	"context"
	"flag"
	"log"
	"os"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"github.com/rightsize/terraform-provider-rightsize/internal/provider"
)

// version is set by the release build.
var version = "dev"

func main() {
	debug := flag.Bool("debug", false, "serve for a debugger, and print how Terraform attaches to it")
	prunes := flag.Bool("prune", false, "remove the containers and checkpoints on this host whose expires_after has passed, print them, and end")
	dryRun := flag.Bool("dry-run", false, "with -prune: print what would be removed, and remove nothing")
	flag.Parse()
	if *prunes || *dryRun {
		os.Exit(runPrune(*prunes, *dryRun, flag.Args()))
	}

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
