//go:build unix

package intent_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rightsize/terraform-provider-rightsize/internal/intent"
)

// Who makes what is nobody else's business on a machine that is shared.
func TestRecordPermissions(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "cache", "locks")
	i := begin(t, intent.Open(dir))
	defer i.Abandon()
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 2 {
		t.Fatalf("the journal holds %v, %v", files, err)
	}
	want := map[string]os.FileMode{filepath.Dir(dir): 0o700, dir: 0o700, files[0]: 0o600, files[1]: 0o600}
	for path, mode := range want {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != mode {
			t.Errorf("%s has mode %o, want %o", path, got, mode)
		}
	}
}
