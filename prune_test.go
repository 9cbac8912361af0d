package main

import (
	"testing"

	"github.com/rightsize/terraform-provider-rightsize/internal/checkpoint"
	"github.com/rightsize/terraform-provider-rightsize/internal/prune"
)

func TestRunPrune(t *testing.T) {
	t.Setenv(checkpoint.CacheDirEnv, t.TempDir())
	for name, test := range map[string]struct {
		prunes, dryRun bool
		rest           []string
		want           int
	}{
		"a dry run of nothing":      {dryRun: true, want: prune.ExitUsage},
		"something behind the flag": {prunes: true, rest: []string{"orders"}, want: prune.ExitUsage},
		"nothing there":             {prunes: true, want: prune.ExitDone},
		"a dry run":                 {prunes: true, dryRun: true, want: prune.ExitDone},
	} {
		if got := runPrune(test.prunes, test.dryRun, test.rest); got != test.want {
			t.Errorf("%s ends with %d, want %d", name, got, test.want)
		}
	}
}
