package msb_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/msb"
)

func TestLifecycle(t *testing.T) {
	t.Parallel()
	start := func(t *testing.T, c *msb.Client) error { return c.Start(t.Context(), "web") }
	stop := func(t *testing.T, c *msb.Client) error { return c.Stop(t.Context(), "web", time.Second) }
	kill := func(t *testing.T, c *msb.Client) error { return c.Kill(t.Context(), "web") }
	remove := func(t *testing.T, c *msb.Client) error { return c.Remove(t.Context(), "web") }
	modify := func(t *testing.T, c *msb.Client) error { return c.SetResources(t.Context(), "web", 300, 1) }
	tests := map[string]struct {
		call   func(*testing.T, *msb.Client) error
		sample string
		want   error
	}{
		"start":                      {start, "sandbox/start-ok", nil},
		"start one that runs":        {start, "sandbox/start-running", nil},
		"start one that is starting": {start, "sandbox/start-starting", msb.ErrStarting},
		"start one that fails":       {start, "sandbox/start-boot-failed", msb.ErrBoot},
		"start a missing one":        {start, "sandbox/start-missing", msb.ErrNotFound},
		"stop":                       {stop, "sandbox/stop-ok", nil},
		"stop one that does not run": {stop, "sandbox/stop-stopped", nil},
		"stop a missing one":         {stop, "sandbox/stop-missing", msb.ErrNotFound},
		"kill":                       {kill, "sandbox/stop-force-ok", nil},
		"kill a missing one":         {kill, "sandbox/stop-missing", msb.ErrNotFound},
		"remove":                     {remove, "sandbox/rm-ok", nil},
		"remove a missing one":       {remove, "sandbox/rm-force-missing", nil},
		"remove one that runs":       {remove, "sandbox/rm-running", msb.ErrStillRunning},
		"modify":                     {modify, "sandbox/modify-json-applied", nil},
		"modify to less":             {modify, "sandbox/modify-decrease", nil},
		"modify one that runs":       {modify, "sandbox/modify-json-not-applied", msb.ErrNotStopped},
		"modify a missing one":       {modify, "sandbox/modify-missing", msb.ErrNotFound},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, fake := newClient(t)
			fake.Handle().Sample(test.sample)
			err := test.call(t, client)
			if !errors.Is(err, test.want) {
				t.Errorf("the error is %v, want %v", err, test.want)
			}
			onlyCall(t, fake)
		})
	}
}

func TestRefusedChangesAreNamed(t *testing.T) {
	t.Parallel()
	client, fake := newClient(t)
	fake.Handle("modify").Sample("sandbox/modify-json-not-applied")
	err := client.SetResources(t.Context(), "fx", 300, 1)
	for _, want := range []string{"the sandbox is running", "label requires restart, live label updates"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want it to say %q", err, want)
		}
	}
}
