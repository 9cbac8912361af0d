package provider_test

import (
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/fake"
)

// TestFileCopyAttributes changes each attribute and looks at the copy.
func TestFileCopyAttributes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cases := fileCopyCases(dir)
	expectComplete(t, fileCopyType, cases)
	for name, tc := range cases {
		if tc.observe == nil {
			continue // withParent
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newAttributeHarness(t)
			for container, content := range map[string]string{"web": "web's", "db": "db's", "other-db": "other db's"} {
				h.running(t, backend.Spec{Name: container, Image: "app:1", Files: []backend.File{
					{Path: "/srv/data", Content: []byte(content)}, {Path: "/srv/other", Content: []byte("other")},
				}})
			}
			want := always(actionUpdate)
			if name == "destination" {
				want = always(actionReplace)
			}
			expectChanges(t, h, tc, fileCopyType, want, func(value any) object {
				return tc.apply(object{"container_id": "web", "path": "/srv/data", "destination": filepath.Join(dir, name, "copy")}, value)
			})
		})
	}
}

func fileCopyCases(dir string) map[string]attributeCase {
	holds := func(o observed) any {
		content, err := os.ReadFile(o.config["destination"].(string))
		if err != nil {
			o.t.Error(err)
		}
		return string(content)
	}
	copies := func(o observed) any { return o.Count(fake.CopyFrom) }
	cases := map[string]attributeCase{
		"container_id": {value: "db", other: "other-db", observe: holds, shows: [3]any{"db's", "other db's", "web's"}},
		"path":         {value: "/srv/other", other: "/srv/../srv/data", observe: holds, shows: [3]any{"other", "web's", "web's"}},
		"destination": {
			value: filepath.Join(dir, "one"), other: filepath.Join(dir, "deep", "two"),
			observe: func(_ observed) any {
				var there [3]bool
				for i, name := range []string{"one", "deep/two", "destination/copy"} {
					_, err := os.Stat(filepath.Join(dir, name))
					there[i] = err == nil
				}
				return there
			},
			shows: [3]any{[3]bool{true, false, false}, [3]bool{false, true, false}, [3]bool{false, false, true}},
		},
		"triggers": {value: object{"a": "1"}, other: object{"a": "2"}, observe: copies, shows: [3]any{1, 1, 1}},
		// TestFileCopyFails shows that it is heeded.
		"size_limit_mb": {value: 1, other: 2, observe: copies, shows: [3]any{0, 0, 0}},
		"timeouts": {
			value: object{"create": "1m", "update": "2m"}, other: object{"create": "4m"},
			observe: func(o observed) any {
				given := o.deadlines(fake.CopyFrom)
				config := maps.Clone(o.config)
				config["triggers"] = object{"again": "1"}
				*o.instance = o.core.reach(*o.instance, config)
				update := given()
				o.core.mustDestroy(*o.instance)
				*o.instance = o.core.reach(o.core.none(fileCopyType), o.config)
				return [2]time.Duration{given(), update}
			},
			shows: [3]any{
				[2]time.Duration{time.Minute, 2 * time.Minute},
				[2]time.Duration{4 * time.Minute, 30 * time.Minute},
				[2]time.Duration{30 * time.Minute, 30 * time.Minute},
			},
		},
		"timeouts.create": withParent,
		"timeouts.update": withParent,
	}
	for name, tc := range cases {
		tc.attribute = name
		cases[name] = tc
	}
	return cases
}
