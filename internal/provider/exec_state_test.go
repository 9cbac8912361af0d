package provider_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/fake"
)

// TestUnknownExecValues plans a command with a value that is not known, and runs
// it when it is.
func TestUnknownExecValues(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		planned, known object
	}{
		"container":          {object{"container_id": unknown}, object{"container_id": "web"}},
		"command":            {object{"command": unknown}, object{"command": list{"true"}}},
		"word of a command":  {object{"command": list{"echo", unknown}}, object{"command": list{"echo", "x"}}},
		"stdin":              {object{"stdin": unknown}, object{"stdin": "x"}},
		"no stdin after all": {object{"stdin": unknown}, object{}},
		"env":                {object{"env": unknown}, object{"env": object{"A": "1"}}},
		"no user after all":  {object{"user": unknown}, object{}},
		"directory":          {object{"working_dir": unknown}, object{"working_dir": "/"}},
		"exit codes":         {object{"success_exit_codes": list{unknown}}, object{"success_exit_codes": list{0}}},
		"trigger":            {object{"triggers": object{"a": unknown}}, object{"triggers": object{"a": "1"}}},
		"end":                {object{"on_destroy": unknown}, object{"on_destroy": object{"command": list{"true"}}}},
		"no end after all":   {object{"on_destroy": unknown}, object{}},
		"word of the end":    {object{"on_destroy": object{"command": list{unknown}}}, object{"on_destroy": object{"command": list{"true"}}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHarness(t)
			h.running(t, backend.Spec{Name: "web", Image: "app:1"})
			c := newCore(t, h)
			with := func(changes object) object {
				config := object{"container_id": "web", "command": list{"cat"}}
				maps.Copy(config, changes)
				return config
			}
			planned := c.plan(c.none(execType), with(tc.planned))
			c.must(planned.diagnostics, nil)
			run, diagnostics := c.apply(planned, with(tc.known))
			c.must(diagnostics, nil)
			c.mustSettle(run, with(tc.known))

			// Of one that has run, it turns out to be what it was.
			planned = c.plan(run, with(tc.planned))
			c.must(planned.diagnostics, nil)
			if planned.action == actionNone {
				t.Error("an unknown value is planned as no change")
			}
			run, diagnostics = c.apply(planned, with(tc.known))
			c.must(diagnostics, nil)
			c.mustSettle(run, with(tc.known))
			c.mustDestroy(run)
		})
	}
}

func TestUnknownFileCopyValues(t *testing.T) {
	t.Parallel()
	for name, unknowns := range map[string]object{
		"container":   {"container_id": unknown},
		"path":        {"path": unknown},
		"destination": {"destination": unknown},
		"limit":       {"size_limit_mb": unknown},
		"triggers":    {"triggers": unknown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, dir := copyHarness(t)
			c := newCore(t, h)
			known := object{"container_id": "web", "path": "/srv/dump.sql", "destination": filepath.Join(dir, "copy")}
			config := maps.Clone(known)
			maps.Copy(config, unknowns)
			copied := c.none(fileCopyType)
			for range 2 {
				planned := c.plan(copied, config)
				c.must(planned.diagnostics, nil)
				var diagnostics []*tfprotov6.Diagnostic
				copied, diagnostics = c.apply(planned, known)
				c.must(diagnostics, nil)
				c.mustSettle(copied, known)
			}
			c.mustDestroy(copied)
		})
	}
}

func TestInvalidExecAndFileCopy(t *testing.T) {
	t.Parallel()
	c := newCore(t, newHarness(t))
	for name, tc := range map[string]struct {
		typeName, at string
		config       object
	}{
		"no command":         {execType, "command", object{"command": list{}}},
		"null in command":    {execType, "command", object{"command": list{"true", nil}}},
		"no container":       {execType, "container_id", object{"container_id": ""}},
		"path as container":  {execType, "container_id", object{"container_id": "../images/app:1"}},
		"container's path":   {fileCopyType, "container_id", object{"container_id": "/"}},
		"no program":         {execType, "command[0]", object{"command": list{"", "x"}}},
		"no time":            {execType, "timeouts.create", object{"timeouts": object{"create": "0s"}}},
		"a shell's home":     {fileCopyType, "destination", object{"destination": "~/copy"}},
		"no exit code":       {execType, "success_exit_codes", object{"success_exit_codes": list{}}},
		"impossible code":    {execType, "success_exit_codes", object{"success_exit_codes": list{256}}},
		"relative directory": {execType, "working_dir", object{"working_dir": "srv"}},
		"no undo":            {execType, "on_destroy.command", object{"on_destroy": object{"command": list{}}}},
		"name in its env":    {execType, "on_destroy.env", object{"on_destroy": object{"command": list{"true"}, "env": object{"": "x"}}}},
		"relative path":      {fileCopyType, "path", object{"path": "srv"}},
		"all of it":          {fileCopyType, "path", object{"path": "/srv/.."}},
		"path with a NUL":    {fileCopyType, "path", object{"path": "/srv\x00"}},
		"no destination":     {fileCopyType, "destination", object{"destination": ""}},
		"no size":            {fileCopyType, "size_limit_mb", object{"size_limit_mb": 0}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := object{"container_id": "web", "command": list{"true"}}
			if tc.typeName == fileCopyType {
				config = object{"container_id": "web", "path": "/srv", "destination": "copy"}
			}
			c.must(c.validate(tc.typeName, config), nil)
			maps.Copy(config, tc.config)
			expectError(t, c.validate(tc.typeName, config), tc.at, "")
		})
	}
}

// A command that ran in a container of another engine is not gone, and nothing is
// taken back on this one.
func TestExecOfAnotherEngine(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	c := newCore(t, h)
	h.running(t, backend.Spec{Name: "web", Image: "app:1"})
	run := c.reach(c.none(execType), object{"container_id": "web", "command": list{"true"}, "on_destroy": object{"command": list{"true"}}})

	second, other := secondEngine(t, h)
	elsewhere, err := h.serverOf(fake.New(fake.WithName(backend.Microsandbox)))
	if err != nil {
		t.Fatal(err)
	}
	microsandbox := newUnconfiguredCore(t, elsewhere)
	microsandbox.configure(object{"cache_dir": h.cacheDir})
	for says, c := range map[string]*core{"State Belongs to Another Engine": other, "State Belongs to Another Backend": microsandbox} {
		read, diagnostics := c.refresh(run)
		expectError(t, diagnostics, "", says)
		if !read.exists() {
			t.Errorf("%s: state was dropped", says)
		}
		left, diagnostics := c.destroy(run)
		expectError(t, diagnostics, "", says)
		if !left.exists() {
			t.Errorf("%s: the destroy dropped state", says)
		}
	}
	if ran := second.Count(fake.Exec); ran > 0 {
		t.Errorf("the other engine ran %d commands", ran)
	}
}

// A refresh of many commands asks the engine a few times, not once for each.
func TestExecRefreshesShareOneQuestion(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		c := newCore(t, h)
		h.running(t, backend.Spec{Name: "web", Image: "app:1"})
		instances := make([]instance, 50)
		for i := range instances {
			instances[i] = c.reach(c.none(execType), object{"container_id": "web", "command": list{"echo", fmt.Sprint(i)}})
		}
		h.ResetCalls()
		// All of them have asked before the first answer comes.
		release := h.Block(fake.List)
		var refreshing sync.WaitGroup
		for i := range instances {
			refreshing.Go(func() { instances[i] = c.mustRefresh(instances[i]) })
		}
		synctest.Wait()
		release()
		refreshing.Wait()
		if got := len(h.Calls()); got > 2 {
			t.Errorf("%d refreshes made %d calls: %v", len(instances), got, h.Methods())
		}
		h.Close()
	})
}

// Without write-only attributes, as before Terraform 1.11, input is refused and
// everything else works.
func TestExecOfOldTerraform(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	c := newCore(t, h)
	c.writeOnly = false
	h.running(t, backend.Spec{Name: "web", Image: "app:1"})
	expectError(t, c.validate(execType, object{"container_id": "web", "command": list{"cat"}, "stdin": "x"}), "stdin", "WriteOnly Attribute Not Allowed")
	c.must(c.validate(execType, object{"container_id": "web", "command": list{"cat"}}), nil)
}
