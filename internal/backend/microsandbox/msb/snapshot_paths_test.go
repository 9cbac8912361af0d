package msb_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/msb"
)

func TestSnapshotPaths(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		sample, digest string
		want           []string
	}{
		"of an empty index": {"snapshot/list-empty", "sha256:61686454f645941f4532a1ce03c24505e5bf11535f0c67d9cff34f109e779eca", nil},
		"of one":            {"snapshot/list-many", "sha256:61686454f645941f4532a1ce03c24505e5bf11535f0c67d9cff34f109e779eca", []string{"/srv/snapshots/new/deep/s7"}},
		"relative":          {"snapshot/list-many", "sha256:41a4ac8a1c66757d05493c5a3d4f2d3b6714621d50e525e4cf0b367457767024", []string{"rel_dest/s8"}},
		"of none":           {"snapshot/list-many", "sha256:0", nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, fake := newClient(t)
			fake.Expect("snapshot", "list", "--format=json").Sample(test.sample)
			got, err := msb.SnapshotPaths(t.Context(), client, test.digest)
			if diff := cmp.Diff(test.want, got); diff != "" || err != nil {
				t.Errorf("SnapshotPaths() = %v (-want +got):\n%s", err, diff)
			}
		})
	}
}
