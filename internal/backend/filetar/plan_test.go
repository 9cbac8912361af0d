package filetar

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// containerOf is the part of a container's filesystem that the plan asks for.
func containerOf(modes map[string]fs.FileMode) Directories {
	return NewDirectories(func(name string) (fs.FileMode, bool, error) {
		mode, found := modes[name]
		return mode, found, nil
	})
}

func TestClaim(t *testing.T) {
	t.Parallel()
	d := containerOf(map[string]fs.FileMode{"/etc": fs.ModeDir, "/etc/passwd": 0, "/link": fs.ModeSymlink})
	steps := []struct {
		dir  string
		want []string
		err  string
	}{
		{dir: "/"},
		{dir: "/etc"},
		{dir: "/etc/a/b", want: []string{"/etc/a", "/etc/a/b"}},
		{dir: "/etc/a/b"},
		{dir: "/etc/a/c", want: []string{"/etc/a/c"}},
		{dir: "/link"},
		{dir: "/etc/passwd/x", err: "/etc/passwd is not a directory"},
		{dir: "/new", want: []string{"/new"}},
	}
	for _, step := range steps {
		got, err := d.Claim(step.dir)
		if (err != nil) != (step.err != "") || err != nil && !strings.Contains(err.Error(), step.err) {
			t.Errorf("%s: the error is %v, want %q", step.dir, err, step.err)
		}
		if diff := cmp.Diff(step.want, got); diff != "" {
			t.Errorf("%s: to make (-want +got):\n%s", step.dir, diff)
		}
	}
}

func TestClaimAsksNothingBelowWhatIsMissing(t *testing.T) {
	t.Parallel()
	d := NewDirectories(func(name string) (fs.FileMode, bool, error) {
		if name != "/a" {
			return 0, false, fmt.Errorf("asked for %s", name)
		}
		return 0, false, nil
	})
	if got, err := d.Claim("/a/b/c"); err != nil || len(got) != 3 {
		t.Errorf("to make: %v, %v", got, err)
	}
}

// archived is what a test compares of an archive's member.
type archived struct {
	Name, Link, Content string
	Type                byte
	Mode                int64
	UID, GID            int
}

func readArchive(t *testing.T, archive io.Reader) []archived {
	t.Helper()
	var members []archived
	r := tar.NewReader(archive)
	for {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return members
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		members = append(members, archived{header.Name, header.Linkname, string(content), header.Typeflag, header.Mode, header.Uid, header.Gid})
	}
}

// plan plans a file for a container that has no more than /tmp.
func plan(t *testing.T, f backend.File, o owner) filePlan {
	t.Helper()
	d := containerOf(map[string]fs.FileMode{"/tmp": fs.ModeDir})
	parents, err := d.Claim(filepath.ToSlash(filepath.Dir(f.Path)))
	if err != nil {
		t.Fatal(err)
	}
	p := filePlan{File: f, index: 3, owner: o, parents: parents, kept: make(map[string]bool)}
	if err := p.resolveSource(d); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestWriteFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	tree := filepath.Join(dir, "tree")
	for name, content := range map[string]string{"b": "beta", "sub/a": "alpha"} {
		if err := os.MkdirAll(filepath.Join(tree, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(tree, name), []byte(content), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../outside", filepath.Join(tree, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(tree, filepath.Join(dir, "alias")); err != nil {
		t.Fatal(err)
	}
	mode := fs.FileMode(0o4600)

	tests := map[string]struct {
		file  backend.File
		owner owner
		want  []archived
	}{
		"content": {
			file: backend.File{Path: "/a/b/c", Content: []byte("text")},
			want: []archived{
				{Name: "a/", Type: tar.TypeDir, Mode: 0o755},
				{Name: "a/b/", Type: tar.TypeDir, Mode: 0o755},
				{Name: "a/b/c", Content: "text", Type: tar.TypeReg, Mode: 0o644},
			},
		},
		"empty content": {
			file: backend.File{Path: "/c"},
			want: []archived{{Name: "c", Type: tar.TypeReg, Mode: 0o644}},
		},
		"long name": {
			file: backend.File{Path: "/tmp/" + strings.Repeat("n", 255)},
			want: []archived{{Name: "tmp/" + strings.Repeat("n", 255), Type: tar.TypeReg, Mode: 0o644}},
		},
		"source": {
			file:  backend.File{Path: "/c", Source: filepath.Join(tree, "b"), Mode: &mode},
			owner: owner{1, 2},
			want:  []archived{{Name: "c", Content: "beta", Type: tar.TypeReg, Mode: 0o4600, UID: 1, GID: 2}},
		},
		"tree": {
			file:  backend.File{Path: "/new", Source: filepath.Join(dir, "alias")},
			owner: owner{1, 2},
			want: []archived{
				{Name: "new/", Type: tar.TypeDir, Mode: 0o755, UID: 1, GID: 2},
				{Name: "new/b", Content: "beta", Type: tar.TypeReg, Mode: 0o640, UID: 1, GID: 2},
				{Name: "new/link", Link: "../outside", Type: tar.TypeSymlink, Mode: 0o777, UID: 1, GID: 2},
				{Name: "new/sub/", Type: tar.TypeDir, Mode: 0o755, UID: 1, GID: 2},
				{Name: "new/sub/a", Content: "alpha", Type: tar.TypeReg, Mode: 0o640, UID: 1, GID: 2},
			},
		},
		"tree over a directory": {
			file: backend.File{Path: "/tmp", Source: tree, Mode: &mode},
			want: []archived{
				{Name: "tmp/b", Content: "beta", Type: tar.TypeReg, Mode: 0o4600},
				{Name: "tmp/link", Link: "../outside", Type: tar.TypeSymlink, Mode: 0o777},
				{Name: "tmp/sub/", Type: tar.TypeDir, Mode: 0o755},
				{Name: "tmp/sub/a", Content: "alpha", Type: tar.TypeReg, Mode: 0o4600},
			},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var archive bytes.Buffer
			if err := (Plan{plan(t, tt.file, tt.owner)}).Write(&archive); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, readArchive(t, &archive)); diff != "" {
				t.Errorf("archive (-want +got):\n%s", diff)
			}
		})
	}
}

// resizing is a destination that changes a file while it is read.
type resizing struct {
	name string
	size int64
}

func (w resizing) Write(p []byte) (int, error) {
	return len(p), os.Truncate(w.name, w.size)
}

func TestWriteFilesNoticesChanges(t *testing.T) {
	t.Parallel()
	for name, size := range map[string]int64{"shrinks": 1 << 20, "grows": 8 << 20} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "file")
			if err := os.WriteFile(file, make([]byte, 4<<20), 0o600); err != nil {
				t.Fatal(err)
			}
			p := plan(t, backend.File{Path: "/f", Source: file}, owner{})
			err := (Plan{p}).Write(resizing{file, size})
			wantIndex(t, err)
			if err == nil || !strings.Contains(err.Error(), "changed while it was read") {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

func TestWriteFilesNamesTheFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p := plan(t, backend.File{Path: "/f", Source: file}, owner{})
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	err := (Plan{p}).Write(io.Discard)
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the error is %v, want one that the source is missing", err)
	}
	wantIndex(t, err)
}

// wantIndex checks that an error names the file that [plan] plans.
func wantIndex(t *testing.T, err error) {
	t.Helper()
	var failure *backend.Error
	if !errors.As(err, &failure) || failure.Field != backend.FieldFiles || failure.Index != 3 {
		t.Errorf("the error %v does not name file 3", err)
	}
}

func TestPipe(t *testing.T) {
	t.Parallel()
	errWrite, errSend := errors.New("write"), errors.New("send")
	tests := map[string]struct {
		write func(io.Writer) error
		send  func(io.Reader) error
		want  error
	}{
		"all is sent": {
			write: func(w io.Writer) error { _, err := w.Write(make([]byte, 1<<20)); return err },
			send:  func(r io.Reader) error { _, err := io.Copy(io.Discard, r); return err },
		},
		"the writer fails": {
			write: func(io.Writer) error { return errWrite },
			send: func(r io.Reader) error {
				if _, err := io.Copy(io.Discard, r); err == nil {
					return nil
				}
				return errSend
			},
			want: errWrite,
		},
		"the sender fails": {
			write: func(w io.Writer) error { _, err := w.Write(make([]byte, 1<<20)); return err },
			send:  func(io.Reader) error { return errSend },
			want:  errSend,
		},
		"the sender needs no more": {
			write: func(w io.Writer) error { _, err := w.Write(make([]byte, 1<<20)); return err },
			send:  func(io.Reader) error { return nil },
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := Pipe(tt.write, tt.send); !errors.Is(err, tt.want) {
				t.Errorf("the error is %v, want %v", err, tt.want)
			}
		})
	}
}

func TestTarMode(t *testing.T) {
	t.Parallel()
	for mode, want := range map[fs.FileMode]int64{
		0o644:                              0o644,
		0o4755:                             0o4755,
		0o755 | fs.ModeSetuid:              0o4755,
		0o755 | fs.ModeSetgid:              0o2755,
		0o777 | fs.ModeSticky | fs.ModeDir: 0o1777,
		fs.ModeSymlink | 0o777 | fs.ModeCharDevice: 0o777,
	} {
		if got := tarMode(mode); got != want {
			t.Errorf("%v is %o, want %o", mode, got, want)
		}
	}
}
