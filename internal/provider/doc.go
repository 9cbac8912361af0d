// Package provider is the only room that knows Terraform: schemas, models, plan
// rules and diagnostics. What a line does without Terraform belongs to package
// fixture.
//
// Enter at [New] and [Serve]. Each resource and data source has a file for its life
// (container_resource.go), one for its schema, one for its model and one for
// its plan rules. What a container and a checkpoint's seed have in common is in
// the files that begin with workload_.
package provider
