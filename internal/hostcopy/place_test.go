package hostcopy_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/hostcopy"
)

var (
	oneFile  = []member{{name: "dump", content: "one"}}
	twoFile  = []member{{name: "dump", content: "two!"}}
	oneTree  = []member{{name: "srv/"}, {name: "srv/a", content: "one"}}
	twoTree  = []member{{name: "srv/"}, {name: "srv/b", content: "two!"}}
	whatever = map[string][]member{"file": twoFile, "tree": twoTree}
)

func sum(text string) string {
	digest := sha256.Sum256([]byte(text))
	return hex.EncodeToString(digest[:])
}

func mustPlace(t *testing.T, destination string, members []member, replaces ...string) hostcopy.Content {
	t.Helper()
	content, err := hostcopy.Place(t.Context(), destination, archiveOf(t, members...), limit, replaces...)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func TestPlaceFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	destination := filepath.Join(dir, "deep", "down", "dump.sql")
	content := mustPlace(t, destination, oneFile)
	if want := (hostcopy.Content{SHA256: sum("one"), Size: 3}); content != want {
		t.Errorf("the content is %+v, want %+v", content, want)
	}
	want := map[string]string{"deep": "drwx------", "deep/down": "drwx------", "deep/down/dump.sql": "-rw------- one"}
	if diff := cmp.Diff(want, tree(t, dir)); diff != "" {
		t.Errorf("what is there (-want +got):\n%s", diff)
	}
	kept, err := hostcopy.Remove(destination, content.SHA256)
	if kept || err != nil {
		t.Fatal(kept, err)
	}
	delete(want, "deep/down/dump.sql")
	if diff := cmp.Diff(want, tree(t, dir)); diff != "" {
		t.Errorf("what is there after the removal (-want +got):\n%s", diff)
	}
	for _, gone := range []string{destination, filepath.Join(dir, "no", "such", "place")} {
		if kept, err := hostcopy.Remove(gone, content.SHA256); kept || err != nil {
			t.Errorf("the removal of what is gone says %v, %v", kept, err)
		}
	}
}

// TestPlaceAgain puts each kind in the place of each other.
func TestPlaceAgain(t *testing.T) {
	t.Parallel()
	for before, first := range map[string][]member{"file": oneFile, "tree": oneTree} {
		for after, second := range whatever {
			t.Run(before+" by "+after, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				destination := filepath.Join(dir, "copy")
				old := mustPlace(t, destination, first)
				standing := tree(t, dir)

				_, err := hostcopy.Place(t.Context(), destination, archiveOf(t, second...), limit, "another digest")
				var occupied *hostcopy.OccupiedError
				if !errors.As(err, &occupied) {
					t.Errorf("the error is %v, want one about what is there", err)
				}
				if diff := cmp.Diff(standing, tree(t, dir)); diff != "" {
					t.Errorf("something else was replaced (-before +after):\n%s", diff)
				}
				// The same may be there already.
				if again := mustPlace(t, destination, first); again != old {
					t.Errorf("the same again is %+v, want %+v", again, old)
				}

				content := mustPlace(t, destination, second, "another digest", old.SHA256)
				if content.SHA256 == old.SHA256 || content.Size != 4 {
					t.Errorf("the new content is %+v, the old was %+v", content, old)
				}
				want := map[string]string{"copy": "-rw------- two!"}
				if after == "tree" {
					want = map[string]string{"copy": "drwx------", "copy/b": "-rw------- two!"}
				}
				if diff := cmp.Diff(want, tree(t, dir)); diff != "" {
					t.Errorf("what is there (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// What fails changes nothing, and neither does what was interrupted before.
func TestPlaceFails(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	destination := filepath.Join(dir, "copy")
	old := mustPlace(t, destination, oneTree)
	standing := tree(t, dir)
	left := filepath.Join(dir, ".copy.rightsize-partial", "new")
	if err := os.MkdirAll(left, 0o700); err != nil {
		t.Fatal(err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, place := range map[string]func() error{
		"hostile": func() error {
			_, err := hostcopy.Place(t.Context(), destination, archiveOf(t, member{name: "srv/"}, member{name: "srv/l", link: "/"}), limit, old.SHA256)
			return err
		},
		"too large": func() error {
			_, err := hostcopy.Place(t.Context(), destination, archiveOf(t, twoTree...), 100, old.SHA256)
			return err
		},
		"interrupted": func() error {
			_, err := hostcopy.Place(cancelled, destination, archiveOf(t, twoTree...), limit, old.SHA256)
			return err
		},
	} {
		if err := place(); err == nil {
			t.Errorf("%s: no error", name)
		}
		if diff := cmp.Diff(standing, tree(t, dir)); diff != "" {
			t.Errorf("%s: something changed (-before +after):\n%s", name, diff)
		}
	}
	if kept, err := hostcopy.Remove(destination, old.SHA256); kept || err != nil || len(tree(t, dir)) > 0 {
		t.Errorf("the removal says %v, %v and leaves %v", kept, err, tree(t, dir))
	}
}

// A copy that somebody works with is not taken away.
func TestRemoveKeepsWhatChanged(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(destination string) error{
		"a file more":       func(d string) error { return os.WriteFile(filepath.Join(d, "mine"), nil, 0o600) },
		"other content":     func(d string) error { return os.WriteFile(filepath.Join(d, "a"), []byte("own"), 0o600) },
		"a file less":       func(d string) error { return os.Remove(filepath.Join(d, "a")) },
		"another name":      func(d string) error { return os.Rename(filepath.Join(d, "a"), filepath.Join(d, "z")) },
		"an empty dir more": func(d string) error { return os.Mkdir(filepath.Join(d, "dir"), 0o700) },
		"a link":            func(d string) error { return errors.Join(os.Rename(d, d+"-moved"), os.Symlink(d+"-moved", d)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			destination := filepath.Join(dir, "copy")
			content := mustPlace(t, destination, oneTree)
			if err := change(destination); err != nil {
				t.Fatal(err)
			}
			standing := tree(t, dir)
			if kept, err := hostcopy.Remove(destination, content.SHA256); !kept || err != nil {
				t.Errorf("the removal says %v, %v", kept, err)
			}
			if diff := cmp.Diff(standing, tree(t, dir)); diff != "" {
				t.Errorf("something was removed (-before +after):\n%s", diff)
			}
		})
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	destination := filepath.Join(dir, "copy")
	if _, err := hostcopy.Read(destination); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the error about what is not there is %v", err)
	}
	content := mustPlace(t, destination, oneTree)
	// Whoever works with a copy may let others read it.
	if err := errors.Join(os.Chmod(destination, 0o755), os.Chmod(filepath.Join(destination, "a"), 0o644)); err != nil {
		t.Fatal(err)
	}
	again, err := hostcopy.Read(destination)
	if err != nil || again != content {
		t.Errorf("with other modes it is %+v (%v), want %+v", again, err, content)
	}
}
