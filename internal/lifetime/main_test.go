package lifetime_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rightsize/terraform-provider-rightsize/internal/lifetime"
)

// wanted is a record of a capture.
func wanted() lifetime.Record {
	return lifetime.Record{
		Object: lifetime.Object{
			Kind: lifetime.Checkpoint, Backend: "docker", Engine: "ABCD:EFGH", ID: "orders@sha256:1",
		},
		Name: "orders", Address: "unix:///var/run/docker.sock",
		After: "72h", ExpiresAt: time.Date(2026, 7, 14, 12, 0, 0, 0, time.UTC),
	}
}

// wantedContainer is a record of a container.
func wantedContainer() lifetime.Record {
	record := wanted()
	record.Kind, record.Name, record.ID = lifetime.Container, "web", "c0ffee"
	return record
}

func put(t *testing.T, registry *lifetime.Registry, records ...lifetime.Record) {
	t.Helper()
	for _, record := range records {
		if err := registry.Put(record); err != nil {
			t.Fatal(err)
		}
	}
}

// files are the names of what lies in the registry.
func files(t *testing.T, registry *lifetime.Registry) []string {
	t.Helper()
	entries, err := os.ReadDir(registry.Dir())
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

// path is the file of the only record in the registry.
func path(t *testing.T, registry *lifetime.Registry) string {
	t.Helper()
	names := files(t, registry)
	if len(names) != 1 {
		t.Fatalf("the registry holds %v", names)
	}
	return filepath.Join(registry.Dir(), names[0])
}

func writeFile(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
