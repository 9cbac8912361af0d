package prune

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/selection"
	"github.com/rightsize/terraform-provider-rightsize/internal/checkpoint"
	"github.com/rightsize/terraform-provider-rightsize/internal/fixture"
	"github.com/rightsize/terraform-provider-rightsize/internal/intent"
	"github.com/rightsize/terraform-provider-rightsize/internal/lifetime"
)

// The exit codes.
const (
	ExitDone = 0
	// ExitFailed says that something that has expired is still there, or that
	// nothing could be found out.
	ExitFailed = 1
	// ExitUsage says that the flags make no sense together.
	ExitUsage = 2
	// ExitInterrupted is that of a program that was interrupted, in a shell.
	ExitInterrupted = 130
)

// Command is one run of the command.
type Command struct {
	// DryRun says what would be removed, and removes nothing.
	DryRun bool
	// UserAgent names this program to engines that keep a record of it.
	UserAgent string
	// Stdout gets a line for each object that has expired, and Stderr what is
	// wrong.
	Stdout, Stderr io.Writer

	// Open chooses the backend; nil means as the provider does.
	Open func(context.Context, selection.Config) (backend.Backend, error)
}

// Run cleans up, and returns the exit code. What it has removed when ctx ends it
// has told.
func (c Command) Run(ctx context.Context) int {
	fixtures, err := c.fixtures()
	if err != nil {
		fmt.Fprintln(c.Stderr, "Error:", err)
		return ExitFailed
	}
	report := &report{out: c.Stdout, dryRun: c.DryRun, age: fixtures.Age}
	damaged, err := fixtures.Prune(ctx, c.DryRun, report.add)
	for _, reason := range damaged {
		fmt.Fprintln(c.Stderr, "Warning: left as it is:", reason)
	}
	if err == nil || report.any() {
		report.end()
	}
	switch {
	case ctx.Err() != nil:
		fmt.Fprintln(c.Stderr, "Interrupted: what is not listed as removed is left to the next run.")
		return ExitInterrupted
	case err != nil:
		fmt.Fprintln(c.Stderr, "Error:", err)
		if failed, ok := errors.AsType[*backend.Error](err); ok && failed.Remedy != "" {
			fmt.Fprintln(c.Stderr, failed.Remedy)
		}
		return ExitFailed
	case report.failed > 0:
		return ExitFailed
	}
	return ExitDone
}

func (c Command) fixtures() (*fixture.Fixtures, error) {
	cacheDir, err := checkpoint.CacheDir("")
	if err != nil {
		return nil, err
	}
	config := selection.Config{Backend: selection.Choice(""), CacheDir: cacheDir, UserAgent: c.UserAgent}
	open := selection.New(config).Open
	if c.Open != nil {
		open = func(ctx context.Context) (backend.Backend, error) { return c.Open(ctx, config) }
	}
	return fixture.New(fixture.Config{
		Open:      open,
		Registry:  checkpoint.Open(cacheDir),
		Lifetimes: lifetime.Open(cacheDir),
		Intents:   intent.Open(config.LockDir()),
		LockDir:   config.LockDir(),
	}), nil
}
