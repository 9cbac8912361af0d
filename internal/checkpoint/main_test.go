package checkpoint_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/checkpoint"
)

// The test binary runs itself to be another process that writes to the
// registry; see writeVariants.
const writerEnv = "CHECKPOINT_TEST_WRITE_TO"

func TestMain(m *testing.M) {
	cache := os.Getenv(writerEnv)
	if cache == "" {
		os.Exit(m.Run())
	}
	if err := writeVariants(checkpoint.Open(cache)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func put(t *testing.T, registry *checkpoint.Registry, entry checkpoint.Entry) {
	t.Helper()
	if err := registry.Put(entry); err != nil {
		t.Fatal(err)
	}
}

func requireNotFound(t *testing.T, registry *checkpoint.Registry, name string) {
	t.Helper()
	entry, err := registry.Get(name)
	if !errors.Is(err, checkpoint.ErrNotFound) {
		t.Errorf("Get = %v, %v, want %v", entry, err, checkpoint.ErrNotFound)
	}
}

func requireCorrupt(t *testing.T, registry *checkpoint.Registry, name, reason string) {
	t.Helper()
	entry, err := registry.Get(name)
	corrupt, ok := errors.AsType[*checkpoint.CorruptError](err)
	if !ok {
		t.Fatalf("Get = %v, %v, want a CorruptError", entry, err)
	}
	if want := filepath.Join(registry.Dir(), name+".json"); corrupt.Path != want {
		t.Errorf("error names the path %s, want %s", corrupt.Path, want)
	}
	if !strings.Contains(corrupt.Error(), corrupt.Path) || !strings.Contains(corrupt.Error(), reason) {
		t.Errorf("error %q does not name the path and %q", corrupt, reason)
	}
}

// requireUnusable checks that every call fails, and not as if there were
// nothing: that would have a caller capture again.
func requireUnusable(t *testing.T, registry *checkpoint.Registry) {
	t.Helper()
	calls := map[string]func() error{
		"Get":    func() error { _, err := registry.Get("a"); return err },
		"List":   func() error { _, _, err := registry.List(); return err },
		"Delete": func() error { _, err := registry.Delete("a"); return err },
		"Put":    func() error { return registry.Put(contract()) },
	}
	for name, call := range calls {
		err := call()
		if err == nil || errors.Is(err, checkpoint.ErrNotFound) || !strings.Contains(err.Error(), registry.Dir()) {
			t.Errorf("%s: got error %v, want one that names %s", name, err, registry.Dir())
		}
	}
}

// requireFiles checks what a directory holds, hidden files included.
func requireFiles(t *testing.T, dir string, want ...string) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, file := range files {
		got = append(got, file.Name())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s holds (-want +got):\n%s", dir, diff)
	}
}

func writeFile(t *testing.T, path, content string) {
	t.Helper()
	mkdir(t, filepath.Dir(path))
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func mkdir(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(path, 0o700); err != nil {
		t.Fatal(err)
	}
}
