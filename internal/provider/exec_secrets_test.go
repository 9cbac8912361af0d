package provider_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-log/tflogtest"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/fake"
)

// TestExecSecrets has commands print all that they know, and looks for it in what
// comes out. Standard output is in state, where it belongs, and nowhere else.
func TestExecSecrets(t *testing.T) {
	t.Parallel()
	h := newHarness(t, fake.WithCommand("tell", func(_ context.Context, p *fake.Process) backend.Exit {
		input, _ := io.ReadAll(p.Stdin)
		fmt.Fprintln(p.Stdout, "it tells", p.Env["TOKEN"], p.Env["PASSWORD"])
		fmt.Fprintln(p.Stderr, "to standard error", p.Env["TOKEN"], p.Env["PASSWORD"], string(input))
		return backend.Exit{Code: len(p.Args) - 1}
	}))
	c := newCore(t, h)
	var log bytes.Buffer
	c.ctx = tflogtest.RootLogger(t.Context(), &log)
	h.running(t, backend.Spec{Name: "db", Image: "app:1", Env: map[string]string{"PASSWORD": secrets.env}})
	config := func(command, undo list) object {
		return object{
			"container_id": "db", "command": command, "stdin": secrets.stdin, "env": object{"TOKEN": secrets.stepEnv},
			"on_destroy": object{"command": undo, "env": object{"TOKEN": secrets.stepEnv}},
		}
	}
	var diagnostics strings.Builder
	failing := config(list{"tell", "and", "fail"}, list{"tell"})
	_, d := c.apply(c.plan(c.none(execType), failing), failing)
	diagnostics.WriteString(render(d))
	run := c.reach(c.none(execType), config(list{"tell"}, list{"tell", "and fail"}))
	_, d = c.destroy(run)
	diagnostics.WriteString(render(d))
	run = c.reach(run, config(list{"tell"}, list{"tell"}))
	c.mustDestroy(run)

	if text := diagnostics.String(); strings.Count(text, "it tells *** ***") != 2 || strings.Count(text, "to standard error *** ***") != 2 {
		t.Errorf("the diagnostics do not quote the output:\n%s", text)
	}
	if strings.Count(log.String(), "running command") != 4 || strings.Contains(log.String(), "it tells") {
		t.Errorf("the log is:\n%s", log.String())
	}
	state := fmt.Sprint(run.attributes(), string(run.private))
	for _, secret := range []string{secrets.env, secrets.stdin, secrets.stepEnv} {
		for where, text := range map[string]string{"log": log.String(), "diagnostics": diagnostics.String()} {
			if strings.Contains(text, secret) {
				t.Errorf("%s is in the %s", secret, where)
			}
		}
		// The user put the one into a plain attribute, and the command printed the other.
		allowed := slices.Contains([]string{secrets.stepEnv, secrets.env}, secret)
		if strings.Contains(state, secret) != allowed {
			t.Errorf("%s is in state: %v", secret, !allowed)
		}
	}
}
