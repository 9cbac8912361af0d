package msb_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/msb"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/msbtest"
)

// TestForgetSnapshot06 is about what msb 0.6 would delete if it were asked to
// remove a digest: whatever its index has for that, while anybody can copy a
// manifest.
func TestForgetSnapshot06(t *testing.T) {
	t.Parallel()
	const digest = "sha256:d5b52c281323e90d27ab89f928d3d2a75edbfe2cbc054e2e078ba1462dad9a51"
	here, elsewhere, gone := filepath.Join(t.TempDir(), "s"), t.TempDir(), filepath.Join(t.TempDir(), "gone")
	writeFile(t, filepath.Join(here, "snapshot.json"), msbtest.File("files/snapshot.json"))
	tests := map[string]struct {
		rows   []string
		remove string
		want   error
	}{
		"this one":               {[]string{here}, "snapshot/remove-ok", nil},
		"moved here":             {[]string{gone}, "snapshot/remove-ok", nil},
		"removed in between":     {[]string{here}, "snapshot/remove-missing-digest", nil},
		"it fails":               {[]string{here}, "misc/schema-newer-than-binary", msb.ErrSchemaNewer},
		"another one":            {[]string{elsewhere}, "", nil},
		"this one and another":   {[]string{here, elsewhere}, "", nil},
		"a relative path":        {[]string{"s"}, "", nil},
		"it is not in the index": {nil, "", nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, fake := newClient(t)
			rows := "["
			for i, path := range test.rows {
				if i > 0 {
					rows += ","
				}
				rows += fmt.Sprintf(`{"digest": %q, "artifact_path": %q}`, digest, path)
			}
			fake.Expect("snapshot", "list", "--format=json").Stdout(rows + "]")
			want := []string{"snapshot list --format=json"}
			if test.remove != "" {
				fake.Expect("snapshot", "remove", digest).Sample(test.remove)
				want = append(want, "snapshot remove "+digest)
			}
			if err := client.ForgetSnapshot(t.Context(), here); !errors.Is(err, test.want) {
				t.Errorf("ForgetSnapshot() = %v, want %v", err, test.want)
			}
			wantLines(t, fake, want...)
		})
	}
	client, _ := newClient(t)
	for _, path := range []string{gone, elsewhere} {
		if err := client.ForgetSnapshot(t.Context(), path); err != nil {
			t.Errorf("of %s, which holds no snapshot: %v", path, err)
		}
	}
}
