package provider_test

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/fake"
)

// below is what is below a directory of this host: the content of files, and
// "dir" for directories.
func below(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || name == dir {
			return err
		}
		text := "dir"
		if entry.Type().IsRegular() {
			content, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			text = string(content)
		}
		found[filepath.ToSlash(strings.TrimPrefix(name, dir+string(filepath.Separator)))] = text
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func expectBelow(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	if diff := cmp.Diff(want, below(t, dir)); diff != "" {
		t.Errorf("below the directory (-want +got):\n%s", diff)
	}
}

// copyHarness has a container web with a file and a tree, and a directory of
// this host to copy to.
func copyHarness(t *testing.T) (h *harness, dir string) {
	t.Helper()
	h = newHarness(t)
	h.running(t, backend.Spec{Name: "web", Image: "app:1", Files: []backend.File{
		{Path: "/srv/dump.sql", Content: []byte("rows")},
		{Path: "/srv/tree/a", Content: []byte("a")},
		{Path: "/srv/tree/sub/b", Content: []byte("b")},
	}})
	return h, t.TempDir()
}

// change changes a file in the container, as its process does.
func (h *harness) change(t *testing.T, path, text string) {
	t.Helper()
	if _, err := h.Exec(t.Context(), "web", backend.Exec{Command: []string{"write", path, text}}); err != nil {
		t.Fatal(err)
	}
}

func TestFileCopyLife(t *testing.T) {
	t.Parallel()
	h, dir := copyHarness(t)
	c := newCore(t, h)
	config := object{"container_id": "web", "path": "/srv/dump.sql", "destination": filepath.Join(dir, "out", "dump.sql")}
	copied := c.reach(c.none(fileCopyType), config)
	want := object{
		"container_id": "web", "path": "/srv/dump.sql", "destination": config["destination"], "id": config["destination"],
		"triggers": nil, "size_limit_mb": nil, "timeouts": nil, "size_bytes": int64(4),
		"sha256": fmt.Sprintf("%x", sha256.Sum256([]byte("rows"))),
	}
	if diff := cmp.Diff(want, copied.attributes()); diff != "" {
		t.Errorf("state (-want +got):\n%s", diff)
	}
	expectBelow(t, dir, map[string]string{"out": "dir", "out/dump.sql": "rows"})
	c.mustSettle(copied, config)

	// Neither another content nor the end of the container changes the copy.
	h.change(t, "/srv/dump.sql", "more rows")
	c.mustSettle(copied, config)
	config["triggers"] = object{"dump": "2"}
	copied = c.reach(copied, config)
	expectBelow(t, dir, map[string]string{"out": "dir", "out/dump.sql": "more rows"})
	h.RemoveOutOfBand("web")
	h.ResetCalls()
	c.mustSettle(copied, config)
	c.mustDestroy(copied)
	expectBelow(t, dir, map[string]string{"out": "dir"})
	if calls := h.Calls(); len(calls) > 0 {
		t.Errorf("the engine was asked for what is on this host: %v", h.Methods())
	}
}

func TestFileCopyTree(t *testing.T) {
	t.Parallel()
	h, dir := copyHarness(t)
	c := newCore(t, h)
	config := object{"container_id": "web", "path": "/srv/tree", "destination": filepath.Join(dir, "tree")}
	copied := c.reach(c.none(fileCopyType), config)
	expectBelow(t, dir, map[string]string{"tree": "dir", "tree/a": "a", "tree/sub": "dir", "tree/sub/b": "b"})
	if size := copied.attributes()["size_bytes"]; size != int64(2) {
		t.Errorf("the size is %v", size)
	}
	c.mustSettle(copied, config)
	c.mustDestroy(copied)
	expectBelow(t, dir, map[string]string{})
}

// TestFileCopyDrift changes and removes the copy behind Terraform's back.
func TestFileCopyDrift(t *testing.T) {
	t.Parallel()
	h, dir := copyHarness(t)
	c := newCore(t, h)
	tree := filepath.Join(dir, "tree")
	config := object{"container_id": "web", "path": "/srv/tree", "destination": tree}
	copied := c.reach(c.none(fileCopyType), config)
	want := below(t, dir)

	if err := os.RemoveAll(tree); err != nil {
		t.Fatal(err)
	}
	gone := c.mustRefresh(copied)
	if gone.exists() {
		t.Error("a copy that is gone is still in state")
	}
	c.mustDestroy(copied)
	copied = c.reach(gone, config)
	expectBelow(t, dir, want)

	writeFile(t, filepath.Join(tree, "mine"), "own work")
	changed := c.mustRefresh(copied)
	planned := c.plan(changed, config)
	if text := render(planned.diagnostics); planned.action != actionUpdate || !strings.Contains(text, "Copy Was Changed") {
		t.Errorf("the plan is %s and says %q", planned.action, text)
	}
	if len(below(t, dir)) != len(want)+1 {
		t.Error("reading and planning changed the copy")
	}
	// Nobody loses what was not in the plan.
	writeFile(t, filepath.Join(tree, "mine"), "more of it")
	_, diagnostics := c.apply(planned, config)
	expectError(t, diagnostics, "destination", "is there already, and holds something else")
	left, diagnostics := c.destroy(changed)
	c.must(diagnostics, nil)
	if text := render(diagnostics); left.exists() || !strings.Contains(text, "Changed Copy Left in Place") || len(below(t, dir)) != len(want)+1 {
		t.Errorf("the destroy says %q and leaves %v", text, below(t, dir))
	}

	copied = c.reach(c.mustRefresh(changed), config)
	expectBelow(t, dir, want)
	c.mustSettle(copied, config)
	c.mustDestroy(copied)
	expectBelow(t, dir, map[string]string{})
}

// TestFileCopyOccupied leaves alone what somebody else has put there.
func TestFileCopyOccupied(t *testing.T) {
	t.Parallel()
	h, dir := copyHarness(t)
	c := newCore(t, h)
	destination := filepath.Join(dir, "mine")
	config := object{"container_id": "web", "path": "/srv/dump.sql", "destination": destination}
	writeFile(t, destination, "own work")
	left, diagnostics := c.apply(c.plan(c.none(fileCopyType), config), config)
	expectError(t, diagnostics, "destination", "Unable to Copy File")
	expectError(t, diagnostics, "destination", "Remove it, or choose another destination.")
	if left.exists() {
		t.Error("it is in state")
	}
	expectBelow(t, dir, map[string]string{"mine": "own work"})
	// As after a provider that was killed when it had copied.
	writeFile(t, destination, "rows")
	c.mustDestroy(c.reach(c.none(fileCopyType), config))
	expectBelow(t, dir, map[string]string{})
}

// TestFileCopyOutlivesAnother keeps a copy that two resources have had in one
// apply, as by create_before_destroy, or after a new address without moved.
func TestFileCopyOutlivesAnother(t *testing.T) {
	t.Parallel()
	h, dir := copyHarness(t)
	c := newCore(t, h)
	config := object{"container_id": "web", "path": "/srv/tree", "destination": filepath.Join(dir, "tree")}
	before := c.reach(c.none(fileCopyType), config)
	want := below(t, dir)
	after := c.reach(c.none(fileCopyType), config)
	c.mustDestroy(before)
	expectBelow(t, dir, want)
	c.mustSettle(after, config)

	config["triggers"] = object{"dump": "2"}
	after = c.reach(after, config)
	c.mustDestroy(after)
	expectBelow(t, dir, map[string]string{})
}

func TestFileCopyFails(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		config   object
		fail     func(t *testing.T, h *harness)
		at, says string
	}{
		"missing path": {object{"path": "/srv/nothing"}, nil, "path", "Check the path."},
		"no container": {object{"container_id": "nobody"}, nil, "container_id", "not found"},
		"engine":       {nil, func(_ *testing.T, h *harness) { h.Fail(fake.CopyFrom, errLost, 1) }, "", "Start the engine."},
		"root":         {object{"destination": "/"}, nil, "destination", "is the root of a file system"},
		"no directory": {object{"destination": "/dev/null/copy"}, nil, "destination", "Check that this can be written on this host."},
		"a link that leaves": {
			object{"path": "/srv"},
			func(t *testing.T, h *harness) {
				source := t.TempDir()
				if err := os.Symlink("/etc/passwd", filepath.Join(source, "evil")); err != nil {
					t.Fatal(err)
				}
				h.RemoveOutOfBand("web")
				h.running(t, backend.Spec{Name: "web", Image: "app:1", Files: []backend.File{{Path: "/srv", Source: source}}})
			},
			"path", `"srv/evil": it is a symbolic link that leads out of what is copied, to "/etc/passwd"`,
		},
		"too large": {
			object{"size_limit_mb": 1},
			func(t *testing.T, h *harness) { h.change(t, "/srv/dump.sql", strings.Repeat("x", 1<<20)) },
			"size_limit_mb", "Raise size_limit_mb, or copy less.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, dir := copyHarness(t)
			c := newCore(t, h)
			config := object{"container_id": "web", "path": "/srv/dump.sql", "destination": filepath.Join(dir, "copy")}
			for key, value := range tc.config {
				config[key] = value
			}
			if tc.fail != nil {
				tc.fail(t, h)
			}
			copied, diagnostics := c.apply(c.plan(c.none(fileCopyType), config), config)
			expectError(t, diagnostics, tc.at, "Unable to Copy File")
			expectError(t, diagnostics, tc.at, tc.says)
			if copied.exists() {
				t.Error("it is in state")
			}
			expectBelow(t, dir, map[string]string{})
		})
	}
}

// A copy of what cannot be copied any more stays what it was.
func TestFileCopyAgainFails(t *testing.T) {
	t.Parallel()
	h, dir := copyHarness(t)
	c := newCore(t, h)
	config := object{"container_id": "web", "path": "/srv/dump.sql", "destination": filepath.Join(dir, "copy")}
	copied := c.reach(c.none(fileCopyType), config)
	h.Fail(fake.CopyFrom, errLost, 1)
	again := object{"container_id": "web", "path": "/srv/dump.sql", "destination": filepath.Join(dir, "copy"), "triggers": object{"a": "1"}}
	after, diagnostics := c.apply(c.plan(copied, again), again)
	expectError(t, diagnostics, "", "Unable to Copy File")
	expectBelow(t, dir, map[string]string{"copy": "rows"})
	if planned := c.plan(c.mustRefresh(after), again); planned.action != actionUpdate {
		t.Errorf("the next plan is %s", planned.action)
	}
	c.mustDestroy(c.reach(after, again))
}
