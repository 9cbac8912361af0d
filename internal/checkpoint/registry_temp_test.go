package checkpoint_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/checkpoint"
)

// A process that is killed while it writes an entry leaves a file beside it.
// Who next works under the name removes it, and no file of another name.
func TestLockRemovesInterruptedWrites(t *testing.T) {
	t.Parallel()
	registry := checkpoint.Open(t.TempDir())
	put(t, registry, contract())
	name := contract().Name
	others := []string{"." + name + "-2.ABC.tmp", "x" + name + ".ABC.tmp", "." + name + ".json"}
	for _, file := range append([]string{"." + name + ".ABC.tmp"}, others...) {
		if err := os.WriteFile(filepath.Join(registry.Dir(), file), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	unlock, err := registry.Lock(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	unlock()

	left := make(map[string]bool)
	files, err := os.ReadDir(registry.Dir())
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		left[file.Name()] = true
	}
	want := map[string]bool{name + ".json": true}
	for _, file := range others {
		want[file] = true
	}
	if diff := cmp.Diff(want, left); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}
