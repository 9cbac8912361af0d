package hostcopy_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/hostcopy"
)

// member is a member of an archive. One whose name ends in a slash is a
// directory, one with a link a symbolic link, unless kind says otherwise.
type member struct {
	name, content, link string
	kind                byte
	mode                int64
}

func archiveOf(t *testing.T, members ...member) io.Reader {
	t.Helper()
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	for _, m := range members {
		header := &tar.Header{Name: m.name, Typeflag: m.kind, Linkname: m.link, Mode: m.mode, Size: int64(len(m.content))}
		if header.Typeflag == 0 {
			switch {
			case m.link != "":
				header.Typeflag = tar.TypeSymlink
			case strings.HasSuffix(m.name, "/"):
				header.Typeflag = tar.TypeDir
			default:
				header.Typeflag = tar.TypeReg
			}
		}
		if err := w.WriteHeader(header); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, m.content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return &archive
}

// tree describes everything below a directory.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, _ fs.DirEntry, err error) error {
		if err != nil || name == dir {
			return err
		}
		below, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		info, err := os.Lstat(name)
		if err != nil {
			return err
		}
		text := info.Mode().String()
		switch {
		case info.Mode().IsRegular():
			content, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			text += " " + string(content)
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(name)
			if err != nil {
				return err
			}
			text = "-> " + target
		}
		found[filepath.ToSlash(below)] = text
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// limit is enough for all archives of these tests but those that it is for.
const limit = 1 << 20

func unpack(t *testing.T, dir string, limit int64, members ...member) error {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	return hostcopy.Unpack(root, "copy", archiveOf(t, members...), limit)
}

func TestUnpack(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		members []member
		want    map[string]string
	}{
		"a file": {
			[]member{{name: "dump.sql", content: "rows", mode: 0o644}},
			map[string]string{"copy": "-rw------- rows"},
		},
		"a program with special bits": {
			[]member{{name: "run", content: "x", mode: 0o7755}},
			map[string]string{"copy": "-rwx------ x"},
		},
		"a name that an engine makes relative": {
			[]member{{name: "./srv/", mode: 0o777}, {name: "./srv/a", content: "a"}},
			map[string]string{"copy": "drwx------", "copy/a": "-rw------- a"},
		},
		"a tree": {
			[]member{
				{name: "srv/"}, {name: "srv/a", content: "a"}, {name: "srv/sub/"}, {name: "srv/sub/deep/"},
				{name: "srv/sub/up", link: "../a"}, {name: "srv/sub/beside", link: "deep"}, {name: "srv/sub/slash", link: "deep/"},
				{name: "srv/dangling", link: "nothing"}, {name: "srv/same", link: "srv/a", kind: tar.TypeLink},
				{name: "srv/..odd", content: "dots"},
			},
			map[string]string{
				"copy": "drwx------", "copy/a": "-rw------- a", "copy/sub": "drwx------", "copy/sub/deep": "drwx------",
				"copy/sub/up": "-> ../a", "copy/sub/beside": "-> deep", "copy/sub/slash": "-> deep/", "copy/dangling": "-> nothing",
				"copy/same": "-rw------- a", "copy/..odd": "-rw------- dots",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := unpack(t, dir, limit, tc.members...); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, tree(t, dir)); diff != "" {
				t.Errorf("what was unpacked (-want +got):\n%s", diff)
			}
		})
	}
}

// TestUnpackHostile is about archives that no engine makes of a tree of files,
// and about files that mean something else on this host than in a container.
func TestUnpackHostile(t *testing.T) {
	t.Parallel()
	dir := member{name: "srv/"}
	for name, tc := range map[string]struct {
		members []member
		says    string
	}{
		"nothing":                       {nil, "the archive is empty"},
		"a name that climbs":            {[]member{dir, {name: "srv/../../evil", content: "x"}}, "its name leads elsewhere"},
		"a name that climbs at once":    {[]member{{name: "../evil", content: "x"}}, "its name leads elsewhere"},
		"an absolute name":              {[]member{dir, {name: "/etc/evil", content: "x"}}, "its name leads elsewhere"},
		"a second tree":                 {[]member{dir, {name: "evil", content: "x"}}, `it is not below "srv"`},
		"a name that begins alike":      {[]member{dir, {name: "srv-evil", content: "x"}}, `it is not below "srv"`},
		"a file twice":                  {[]member{dir, {name: "srv/a", content: "1"}, {name: "srv/a", content: "2"}}, "it is there twice"},
		"a file in place of a link":     {[]member{dir, {name: "srv/a", link: "b"}, {name: "srv/a", content: "x"}}, "it is there twice"},
		"a file below a file":           {[]member{{name: "srv", content: "x"}, {name: "srv/a", content: "x"}}, "it is in no directory of the archive"},
		"a file without its directory":  {[]member{dir, {name: "srv/sub/a", content: "x"}}, "it is in no directory of the archive"},
		"a file below a link":           {[]member{dir, {name: "srv/sub/"}, {name: "srv/l", link: "sub"}, {name: "srv/l/a", content: "x"}}, "it is in no directory of the archive"},
		"a link that climbs":            {[]member{dir, {name: "srv/l", link: "../evil"}}, "leads out of what is copied"},
		"a link that is absolute":       {[]member{dir, {name: "srv/l", link: "/etc/passwd"}}, "leads out of what is copied"},
		"a link that climbs and comes":  {[]member{dir, {name: "srv/l", link: "../srv/a"}}, "leads out of what is copied"},
		"a link that climbs by another": {[]member{dir, {name: "srv/d/"}, {name: "srv/d/up", link: ".."}, {name: "srv/l", link: "d/up/../evil"}}, "leads out of what is copied"},
		"a link alone":                  {[]member{{name: "srv", link: "elsewhere"}}, "leads out of what is copied"},
		"a hard link that climbs":       {[]member{dir, {name: "srv/l", link: "../evil", kind: tar.TypeLink}}, "its name leads elsewhere"},
		"a hard link to what is absent": {[]member{dir, {name: "srv/l", link: "srv/evil", kind: tar.TypeLink}}, "no file of the archive"},
		"a hard link to a link":         {[]member{dir, {name: "srv/a", link: "b"}, {name: "srv/l", link: "srv/a", kind: tar.TypeLink}}, "no file of the archive"},
		"a hard link to a directory":    {[]member{dir, {name: "srv/l", link: "srv", kind: tar.TypeLink}}, "no file of the archive"},
		"a device":                      {[]member{dir, {name: "srv/sda", kind: tar.TypeBlock}}, "neither a file, a directory nor a link"},
		"a terminal":                    {[]member{dir, {name: "srv/tty", kind: tar.TypeChar}}, "neither a file, a directory nor a link"},
		"a pipe":                        {[]member{dir, {name: "srv/pipe", kind: tar.TypeFifo}}, "neither a file, a directory nor a link"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			outer := t.TempDir()
			inner := filepath.Join(outer, "inner")
			if err := os.Mkdir(inner, 0o700); err != nil {
				t.Fatal(err)
			}
			err := unpack(t, inner, limit, tc.members...)
			if err == nil || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("the error is %v, want %q", err, tc.says)
			}
			for name, what := range tree(t, outer) {
				if name != "inner" && !strings.HasPrefix(name, "inner/copy") || strings.Contains(name, "evil") {
					t.Errorf("there is %s, %s", name, what)
				}
			}
		})
	}
}

func TestUnpackTooLarge(t *testing.T) {
	t.Parallel()
	for name, archive := range map[string]io.Reader{
		"one file":    archiveOf(t, member{name: "srv", content: strings.Repeat("x", 4<<10)}),
		"many files":  archiveOf(t, member{name: "srv/"}, member{name: "srv/a", content: strings.Repeat("x", 1<<10)}, member{name: "srv/b", content: strings.Repeat("x", 1<<10)}),
		"no end":      io.MultiReader(header(t, 1<<40), endless{}),
		"sparse file": bytes.NewReader(sparse(t, 1<<40)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			root, err := os.OpenRoot(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer root.Close()
			err = hostcopy.Unpack(root, "copy", archive, 2<<10)
			var large *hostcopy.TooLargeError
			if !errors.As(err, &large) || large.Limit != 2<<10 {
				t.Errorf("the error is %v, want one about the size", err)
			}
		})
	}
}

// header is the beginning of an archive of a file of this size.
func header(t *testing.T, size int64) io.Reader {
	t.Helper()
	var archive bytes.Buffer
	if err := tar.NewWriter(&archive).WriteHeader(&tar.Header{Name: "srv", Typeflag: tar.TypeReg, Size: size}); err != nil {
		t.Fatal(err)
	}
	return &archive
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// sparse is an archive of a file that is all hole, in the form of GNU tar. Go
// writes no such record, whose name is put in after it.
func sparse(t *testing.T, size int64) []byte {
	t.Helper()
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	noFragments := append([]byte("0\n"), make([]byte, 510)...)
	err := w.WriteHeader(&tar.Header{Name: "srv", Typeflag: tar.TypeReg, Size: int64(len(noFragments)), PAXRecords: map[string]string{
		"XXX.sparse.major": "1", "XXX.sparse.minor": "0", "XXX.sparse.name": "srv", "XXX.sparse.realsize": strconv.FormatInt(size, 10),
	}})
	if err == nil {
		_, err = w.Write(noFragments)
	}
	if err != nil {
		t.Fatal(err)
	}
	return bytes.ReplaceAll(archive.Bytes(), []byte("XXX.sparse"), []byte("GNU.sparse"))
}

// An archive that breaks off is not taken for a whole one.
func TestUnpackBroken(t *testing.T) {
	t.Parallel()
	whole, err := io.ReadAll(archiveOf(t, member{name: "srv", content: strings.Repeat("x", 2<<10)}))
	if err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := hostcopy.Unpack(root, "copy", bytes.NewReader(whole[:1<<10]), limit); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("the error is %v, want one about the end", err)
	}
}

func FuzzUnpack(f *testing.F) {
	for _, members := range [][]member{
		{{name: "srv/"}, {name: "srv/a", content: "a"}, {name: "srv/l", link: "a"}, {name: "srv/h", link: "srv/a", kind: tar.TypeLink}},
		{{name: "../a", content: "x"}},
		{{name: "srv/"}, {name: "srv/l", link: "../../x"}, {name: "srv/l/a", content: "x"}},
	} {
		var archive bytes.Buffer
		w := tar.NewWriter(&archive)
		for _, m := range members {
			kind := byte(tar.TypeReg)
			if strings.HasSuffix(m.name, "/") {
				kind = tar.TypeDir
			}
			if m.link != "" {
				kind = tar.TypeSymlink
			}
			if m.kind != 0 {
				kind = m.kind
			}
			_ = w.WriteHeader(&tar.Header{Name: m.name, Typeflag: kind, Linkname: m.link, Size: int64(len(m.content))})
			_, _ = io.WriteString(w, m.content)
		}
		_ = w.Close()
		f.Add(archive.Bytes())
	}
	f.Fuzz(func(t *testing.T, archive []byte) {
		outer := t.TempDir()
		inner := filepath.Join(outer, "inner")
		if err := os.Mkdir(inner, 0o700); err != nil {
			t.Fatal(err)
		}
		root, err := os.OpenRoot(inner)
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		_ = hostcopy.Unpack(root, "copy", bytes.NewReader(archive), limit)
		for name := range tree(t, outer) {
			if name != "inner" && name != "inner/copy" && !strings.HasPrefix(name, "inner/copy/") {
				t.Errorf("there is %s", name)
			}
		}
	})
}
