package provider_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A source that is gone is an error for what is yet to be made, and a warning
// for what was made from it: Terraform plans as usual before it destroys.
func TestMissingSourceOfWhatExists(t *testing.T) {
	t.Parallel()
	for typeName, files := range map[string]func(source string) object{
		containerType: func(source string) object {
			return object{"image": "app:1", "files": list{object{"path": "/data", "source": source}}}
		},
		checkpointType: func(source string) object {
			return object{"name": "orders", "seed": object{"image": "app:1", "files": list{object{"path": "/data", "source": source}}}}
		},
	} {
		t.Run(typeName, func(t *testing.T) {
			t.Parallel()
			c := newCore(t, newHarness(t))
			source := filepath.Join(t.TempDir(), "data")
			writeFile(t, source, "seeded")
			config := files(source)
			current := c.reach(c.none(typeName), config)
			if err := os.Remove(source); err != nil {
				t.Fatal(err)
			}

			planned := c.plan(c.mustRefresh(current), config)
			c.must(planned.diagnostics, nil)
			if planned.action != actionNone {
				t.Errorf("the plan of what exists is %s", planned.action)
			}
			if len(planned.diagnostics) != 1 || planned.diagnostics[0].Summary != "Unable to Read File" {
				t.Errorf("the plan says %+v, want one warning", planned.diagnostics)
			}
			c.mustDestroy(current)

			again := c.plan(c.none(typeName), config)
			expectError(t, again.diagnostics, "", "Unable to Read File")
		})
	}
}

// What was found gone is planned to be created before Terraform destroys the
// rest, and nothing about that may keep it from that. Without the destroy the
// apply tells.
func TestDestroyWithSomethingGone(t *testing.T) {
	t.Parallel()
	port := freePorts(t, 1)[0]
	source := filepath.Join(t.TempDir(), "data")
	writeFile(t, source, "seeded")
	ports := list{object{"container_port": 80, "host_port": port}}
	files := list{object{"path": "/data", "source": source}}

	h := newHarness(t)
	c := newCore(t, h)
	configs := map[string]object{
		"named":      {"name": uniqueName(t), "image": "app:1", "ports": ports},
		"nameless":   {"image": "app:1", "files": files},
		"checkpoint": {"name": "orders", "seed": object{"image": "app:1", "files": files}},
	}
	typeOf := func(name string) string {
		if name == "checkpoint" {
			return checkpointType
		}
		return containerType
	}
	current := make(map[string]instance)
	for name, config := range configs {
		current[name] = c.reach(c.none(typeOf(name)), config)
	}
	for _, container := range h.Containers() {
		h.RemoveOutOfBand(container.Name)
	}
	removeEntry(t, h)
	dropArtifact(t, h)
	if err := os.Remove(source); err != nil {
		t.Fatal(err)
	}
	takePort(t, port)

	c = newCore(t, h)
	for name, summary := range map[string]string{
		"named": "Unable to Publish Port", "nameless": "Unable to Read File", "checkpoint": "Unable to Read File",
	} {
		refreshed := c.mustRefresh(current[name])
		if refreshed.exists() {
			t.Fatalf("state still has %s", name)
		}
		planned := c.plan(refreshed, configs[name])
		c.must(planned.diagnostics, nil)
		if text := render(planned.diagnostics); !strings.Contains(text, "WARNING") || !strings.Contains(text, summary) {
			t.Errorf("the plan of %s says %q, want a warning %q", name, text, summary)
		}
		// Terraform applies with another process.
		applied := newCore(t, h).plan(refreshed, configs[name])
		expectError(t, applied.diagnostics, "", summary)
	}
}
