package backendtest

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

var fileCases = []testCase{
	{"files are in place before the process starts", filesBeforeStart},
	{"files have their mode and owner", fileModes},
	{"a directory is copied as a tree", fileTree},
	{"files replace those of the image", filesReplace},
	{"a file of some size arrives whole", fileLarge},
	{"a source that is missing fails and leaves nothing", fileMissing},
}

func filesBeforeStart(t *testing.T, s *suite) {
	spec := s.spec(s.ReadFile("/seed/deep/data.txt"))
	spec.Files = []backend.File{{Path: "/seed/deep/data.txt", Content: []byte("seeded\n")}}
	if got := s.output(t, spec); got != "seeded\n" {
		t.Errorf("the process read %q", got)
	}
}

func fileModes(t *testing.T, s *suite) {
	source := filepath.Join(t.TempDir(), "source")
	writeFile(t, source, "from the host", 0o750)

	spec := s.spec(s.Relay())
	spec.Files = []backend.File{
		{Path: "/new/content", Content: []byte("x")},
		{Path: "/new/mode", Content: []byte("x"), Mode: mode(0o600)},
		{Path: "/new/ids", Content: []byte("x"), Owner: "1234:5678"},
		{Path: "/new/name", Content: []byte("x"), Owner: "root:root"},
		{Path: "/new/source", Source: source},
		{Path: "/new/source-mode", Source: source, Mode: mode(0o440), Owner: "1234:5678"},
	}
	c := s.relay(t, spec)
	for path, want := range map[string]string{
		"/new":             "755 0 0\n",
		"/new/content":     "644 0 0\n",
		"/new/mode":        "600 0 0\n",
		"/new/ids":         "644 1234 5678\n",
		"/new/name":        "644 0 0\n",
		"/new/source":      "750 0 0\n",
		"/new/source-mode": "440 1234 5678\n",
	} {
		if got := s.exec(t, c.ID, s.Stat(path)); got != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
	s.wantFile(t, c.ID, "/new/source", "from the host")
}

func fileTree(t *testing.T, s *suite) {
	source := t.TempDir()
	if err := os.MkdirAll(filepath.Join(source, "sub", "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(source, "top"), "top", 0o644)
	writeFile(t, filepath.Join(source, "sub", "script"), "script", 0o755)
	if err := os.Symlink("sub/script", filepath.Join(source, "link")); err != nil {
		t.Fatal(err)
	}

	spec := s.spec(s.Relay())
	spec.Files = []backend.File{
		{Path: "/tree", Source: source, Owner: "1234:5678"},
		{Path: "/moded", Source: source, Mode: mode(0o600)},
	}
	c := s.relay(t, spec)
	s.wantFile(t, c.ID, "/tree/top", "top")
	s.wantFile(t, c.ID, "/tree/link", "script")
	for path, want := range map[string]string{
		"/tree/top":         "644 1234 5678\n",
		"/tree/sub/script":  "755 1234 5678\n",
		"/tree/sub/empty":   "755 1234 5678\n",
		"/moded/sub":        "755 0 0\n",
		"/moded/sub/script": "600 0 0\n",
	} {
		if got := s.exec(t, c.ID, s.Stat(path)); got != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
}

func filesReplace(t *testing.T, s *suite) {
	spec := s.spec(s.ReadFile("/etc/passwd"))
	spec.Files = []backend.File{{Path: "/etc/passwd", Content: []byte("root:x:0:0::/:/bin/sh\n")}}
	if got := s.output(t, spec); got != "root:x:0:0::/:/bin/sh\n" {
		t.Errorf("the process read %q", got)
	}
}

func fileLarge(t *testing.T, s *suite) {
	content := bytes.Repeat([]byte("0123456789abcde\n"), 1<<16)
	source := filepath.Join(t.TempDir(), "large")
	writeFile(t, source, string(content), 0o644)
	spec := s.spec(s.Relay())
	spec.Files = []backend.File{{Path: "/large", Source: source}, {Path: "/large-content", Content: content}}
	c := s.relay(t, spec)
	for _, path := range []string{"/large", "/large-content"} {
		if got := s.exec(t, c.ID, s.ReadFile(path)); got != string(content) {
			t.Errorf("%s has %d bytes, want %d, or other ones", path, len(got), len(content))
		}
	}
}

func fileMissing(t *testing.T, s *suite) {
	spec := s.spec(s.Relay())
	spec.Files = []backend.File{
		{Path: "/there", Content: []byte("x")},
		{Path: "/missing", Source: filepath.Join(t.TempDir(), "missing")},
	}
	s.removeLater(t, spec.Name)
	_, err := s.Create(s.context(t), spec)
	wantField(t, err, backend.FieldFiles)
	var failure *backend.Error
	if errors.As(err, &failure) && failure.Index != 1 {
		t.Errorf("the error says that file %d is at fault, want 1", failure.Index)
	}
	_, err = s.Inspect(s.context(t), spec.Name)
	wantKind(t, err, backend.ErrNotFound)
}

// writeFile makes a file of this host with exactly this mode.
func writeFile(t *testing.T, path, content string, mode fs.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func mode(mode fs.FileMode) *fs.FileMode { return &mode }
