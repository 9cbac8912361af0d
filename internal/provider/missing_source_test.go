package provider_test

import (
	"os"
	"path/filepath"
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
