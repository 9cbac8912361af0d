package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/rightsize/terraform-provider-rightsize/internal/prune"
)

// runPrune cleans up instead of serving. A signal ends it after what it is at,
// as it ends an apply; a second one ends it at once.
func runPrune(prunes, dryRun bool, rest []string) int {
	if !prunes || len(rest) > 0 {
		fmt.Fprintln(os.Stderr, "usage: terraform-provider-rightsize -prune [-dry-run]")
		return prune.ExitUsage
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	return prune.Command{
		DryRun:    dryRun,
		UserAgent: "terraform-provider-rightsize/" + version,
		Stdout:    os.Stdout,
		Stderr:    os.Stderr,
	}.Run(ctx)
}
