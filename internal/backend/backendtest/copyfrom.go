package backendtest

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

var copyFromCases = []testCase{
	{"a file that a process wrote is copied out", copyFromRunning},
	{"a tree is copied out, with its links as links", copyFromTree},
	{"a file is copied out of a container that has stopped", copyFromStopped},
	{"a copy need not be read to its end", copyFromUnread},
	{"what is not there is not copied", copyFromMissing},
}

// copied reads an archive: what is there by its path below what was asked for,
// which is ".". Directories hold "dir", links begin with an arrow.
func (s *suite) copied(t *testing.T, id, name string) map[string]string {
	t.Helper()
	stream, err := s.CopyFrom(s.context(t), id, name)
	if err != nil {
		t.Fatalf("copy %s: %v", name, err)
	}
	defer stream.Close()
	members, root := map[string]string{}, ""
	for r := tar.NewReader(stream); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return members
		}
		if err != nil {
			t.Fatalf("read the copy of %s: %v", name, err)
		}
		member := path.Clean(header.Name)
		if root == "" {
			root = member
		}
		below, ok := strings.CutPrefix(member+"/", root+"/")
		if !ok {
			t.Fatalf("the copy of %s begins with %s and has a member %s", name, root, member)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatalf("read the copy of %s: %v", name, err)
		}
		switch header.Typeflag {
		case tar.TypeDir:
			content = []byte("dir")
		case tar.TypeSymlink:
			content = []byte("-> " + header.Linkname)
		}
		members[path.Clean(below)] = string(content)
	}
}

func wantCopied(t *testing.T, got, want map[string]string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the copy holds (-want +got):\n%s", diff)
	}
}

func copyFromRunning(t *testing.T, s *suite) {
	c := s.relay(t, s.spec(s.Relay()))
	s.write(t, c.ID, "/etc/written", "by a process")
	wantCopied(t, s.copied(t, c.ID, "/etc/written"), map[string]string{".": "by a process"})
	wantCopied(t, s.copied(t, c.Name, "/etc//written"), map[string]string{".": "by a process"})
	s.wantFile(t, c.ID, "/etc/written", "by a process")
}

func copyFromTree(t *testing.T, s *suite) {
	source := t.TempDir()
	if err := os.MkdirAll(filepath.Join(source, "sub", "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(source, "-top"), "top", 0o644)
	writeFile(t, filepath.Join(source, "sub", "a b"), "below", 0o600)
	for name, target := range map[string]string{"link": "sub/a b", "away": "/etc/passwd", "sub/dangling": "nowhere"} {
		if err := os.Symlink(target, filepath.Join(source, filepath.FromSlash(name))); err != nil {
			t.Fatal(err)
		}
	}
	spec := s.spec(s.Relay())
	spec.Files = []backend.File{{Path: "/tree", Source: source}}
	c := s.relay(t, spec)
	want := map[string]string{
		".": "dir", "-top": "top", "sub": "dir", "sub/empty": "dir", "sub/a b": "below",
		"link": "-> sub/a b", "away": "-> /etc/passwd", "sub/dangling": "-> nowhere",
	}
	wantCopied(t, s.copied(t, c.ID, "/tree"), want)
	wantCopied(t, s.copied(t, c.ID, "/tree/"), want)
	wantCopied(t, s.copied(t, c.ID, "/tree/-top"), map[string]string{".": "top"})
	wantCopied(t, s.copied(t, c.ID, "/tree/link"), map[string]string{".": "below"})
}

func copyFromStopped(t *testing.T, s *suite) {
	spec := s.spec(s.Relay())
	large := bytes.Repeat([]byte("0123456789abcde\n"), 1<<16)
	spec.Files = []backend.File{{Path: "/large", Content: large}}
	c := s.relay(t, spec)
	s.stop(t, c.ID)
	if got := s.copied(t, c.ID, "/large"); got["."] != string(large) {
		t.Errorf("%d bytes were copied, want %d, or other ones", len(got["."]), len(large))
	}
	if state := s.inspect(t, c.ID).State; state != backend.StateExited {
		t.Errorf("after the copy the container is %s", state)
	}
}

func copyFromUnread(t *testing.T, s *suite) {
	spec := s.spec(s.Relay())
	spec.Files = []backend.File{{Path: "/large", Content: bytes.Repeat([]byte("x"), 1<<20)}}
	c := s.relay(t, spec)
	ctx, cancel := context.WithCancel(s.context(t))
	for _, end := range []func(io.Closer){
		func(stream io.Closer) { _ = stream.Close() },
		func(stream io.Closer) { cancel(); _ = stream.Close() },
	} {
		stream, err := s.CopyFrom(ctx, c.ID, "/large")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(stream, make([]byte, 512)); err != nil {
			t.Error(err)
		}
		end(stream)
	}
	if got := s.copied(t, c.ID, "/large"); len(got["."]) != 1<<20 {
		t.Errorf("then %d bytes were copied", len(got["."]))
	}
}

func copyFromMissing(t *testing.T, s *suite) {
	c := s.relay(t, s.spec(s.Relay()))
	for _, name := range []string{"/no/such/path", "/etc/missing"} {
		_, err := s.CopyFrom(s.context(t), c.ID, name)
		wantKind(t, err, backend.ErrNotFound)
		wantField(t, err, backend.FieldPath)
	}
	_, err := s.CopyFrom(s.context(t), s.name(), "/etc/passwd")
	wantKind(t, err, backend.ErrNotFound)
	wantField(t, err, "")
}
