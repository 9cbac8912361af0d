// Package prune is the command that cleans up what has expired:
// terraform-provider-rightsize -prune. It works beside Terraform, in a CI job or
// a cron job, for stacks whose state is lost as well as for those that are there,
// and takes its configuration from the environment variables that stand in for
// the provider block. Enter at [Run].
package prune
