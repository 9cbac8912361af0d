package checkpoint_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/checkpoint"
)

func TestRegistryLife(t *testing.T) {
	t.Parallel()

	registry := checkpoint.Open(t.TempDir())
	entry := contract()
	file := filepath.Join(registry.Dir(), "seeded-db.json")

	put(t, registry, entry)
	if diff := cmp.Diff(contractEntry, readFile(t, file)); diff != "" {
		t.Errorf("file after the first Put (-want +got):\n%s", diff)
	}
	entry.Ref = "rightsize/checkpoint:other"
	put(t, registry, entry)
	got, err := registry.Get(entry.Name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(entry, got); diff != "" {
		t.Errorf("entry after the second Put (-want +got):\n%s", diff)
	}
	requireFiles(t, registry.Dir(), "seeded-db.json")

	for _, want := range []bool{true, false} {
		existed, err := registry.Delete(entry.Name)
		if err != nil || existed != want {
			t.Errorf("Delete = %t, %v, want %t", existed, err, want)
		}
	}
	requireFiles(t, registry.Dir())
	requireNotFound(t, registry, entry.Name)
}

func TestRegistryWithoutDirectory(t *testing.T) {
	t.Parallel()

	cache := filepath.Join(t.TempDir(), "cache")
	registry := checkpoint.Open(cache)
	if want := filepath.Join(cache, "checkpoints"); registry.Dir() != want {
		t.Errorf("Dir = %s, want %s", registry.Dir(), want)
	}
	requireNotFound(t, registry, "a")
	entries, corrupt, err := registry.List()
	if len(entries)+len(corrupt) != 0 || err != nil {
		t.Errorf("List = %v, %v, %v, want nothing", entries, corrupt, err)
	}
	if existed, err := registry.Delete("a"); existed || err != nil {
		t.Errorf("Delete = %t, %v, want false", existed, err)
	}
	if _, err := os.Lstat(cache); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("reading made %s: %v", cache, err)
	}
}

func TestRegistryGetCorrupt(t *testing.T) {
	t.Parallel()

	registry := checkpoint.Open(t.TempDir())
	tests := map[string]struct {
		content, want string
	}{
		"empty":    {content: "", want: "it is empty"},
		"garbage":  {content: "{", want: "not one complete JSON value"},
		"too-long": {content: contractEntry + strings.Repeat(" ", checkpoint.MaxEntrySize), want: "longer than"},
		"stranger": {content: contractEntry, want: `it is the entry of "seeded-db"`},
	}
	for name, test := range tests {
		writeFile(t, filepath.Join(registry.Dir(), name+".json"), test.content)
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			requireCorrupt(t, registry, name, test.want)
			path := filepath.Join(registry.Dir(), name+".json")
			if diff := cmp.Diff(test.content, readFile(t, path)); diff != "" {
				t.Errorf("reading changed the file (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRegistryDeletesCorruptEntry(t *testing.T) {
	t.Parallel()

	registry := checkpoint.Open(t.TempDir())
	writeFile(t, filepath.Join(registry.Dir(), "a.json"), "{")
	if existed, err := registry.Delete("a"); !existed || err != nil {
		t.Errorf("Delete = %t, %v, want true", existed, err)
	}
	requireNotFound(t, registry, "a")
}

func TestRegistryList(t *testing.T) {
	t.Parallel()

	registry := checkpoint.Open(t.TempDir())
	var want []checkpoint.Entry
	for _, name := range []string{"a", "b-2", "b0"} {
		entry := contract()
		entry.Name = name
		want = append(want, entry)
	}
	for _, i := range []int{2, 0, 1} {
		put(t, registry, want[i])
	}
	for _, file := range []string{
		".a.json", ".a.lock", ".a.json.tmp-1-2", "a123.tmp", "a.json.tmp.1", // other writers' temporary files
		"Foo.json", "-.json", ".json", "a.JSON", "README",
	} {
		writeFile(t, filepath.Join(registry.Dir(), file), "no entry")
	}
	writeFile(t, filepath.Join(registry.Dir(), "c.json"), "{")
	writeFile(t, filepath.Join(registry.Dir(), "d.json"), contractEntry)
	mkdir(t, filepath.Join(registry.Dir(), "e.json"))

	got, corrupt, err := registry.List()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
	wantCorrupt := []*checkpoint.CorruptError{
		{Path: filepath.Join(registry.Dir(), "c.json"), Reason: "it is not one complete JSON value"},
		{Path: filepath.Join(registry.Dir(), "d.json"), Reason: `it is the entry of "seeded-db"`},
		{Path: filepath.Join(registry.Dir(), "e.json"), Reason: "it is not a regular file"},
	}
	if diff := cmp.Diff(wantCorrupt, corrupt); diff != "" {
		t.Errorf("corrupt (-want +got):\n%s", diff)
	}
}

func TestRegistryRefusesInvalidNames(t *testing.T) {
	t.Parallel()

	cache := t.TempDir()
	registry := checkpoint.Open(cache)
	outside := filepath.Join(cache, "outside.json")
	writeFile(t, outside, contractEntry)
	mkdir(t, registry.Dir())

	for _, name := range []string{"../outside", "", ".", "A", "a/../../outside", "a\x00"} {
		calls := map[string]func() error{
			"Get":     func() error { _, err := registry.Get(name); return err },
			"Delete":  func() error { _, err := registry.Delete(name); return err },
			"Lock":    func() error { _, err := registry.Lock(t.Context(), name); return err },
			"TryLock": func() error { _, _, err := registry.TryLock(name); return err },
			"Put": func() error {
				entry := contract()
				entry.Name = name
				return registry.Put(entry)
			},
		}
		for call, do := range calls {
			if err := do(); err == nil || !strings.Contains(err.Error(), "is not a checkpoint name") {
				t.Errorf("%s(%q): got error %v", call, name, err)
			}
		}
	}
	requireFiles(t, cache, "checkpoints", "outside.json")
	requireFiles(t, registry.Dir())
}

func TestRegistryPutFailureKeepsEntry(t *testing.T) {
	t.Parallel()

	registry := checkpoint.Open(t.TempDir())
	entry := contract()
	put(t, registry, entry)

	bad := contract()
	bad.Spec.Command = []string{"\x1b"}
	if err := registry.Put(bad); err == nil || !strings.Contains(err.Error(), `checkpoint "seeded-db" in `+registry.Dir()) {
		t.Errorf("got error %v, want one that names checkpoint and directory", err)
	}
	got, err := registry.Get(entry.Name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(entry, got); diff != "" {
		t.Errorf("entry (-want +got):\n%s", diff)
	}
	requireFiles(t, registry.Dir(), "seeded-db.json")
}

func TestRegistryLeavesDirectoryInPlaceOfEntry(t *testing.T) {
	t.Parallel()

	registry := checkpoint.Open(t.TempDir())
	mkdir(t, filepath.Join(registry.Dir(), "seeded-db.json"))
	requireCorrupt(t, registry, "seeded-db", "not a regular file")
	if existed, err := registry.Delete("seeded-db"); existed || err == nil || !strings.Contains(err.Error(), "is a directory") {
		t.Errorf("Delete = %t, %v, want an error about the directory", existed, err)
	}
	if err := registry.Put(contract()); err == nil {
		t.Error("Put replaced a directory")
	}
	requireFiles(t, registry.Dir(), "seeded-db.json") // and no temporary file
}

func TestRegistryThatIsAFile(t *testing.T) {
	t.Parallel()

	registry := checkpoint.Open(t.TempDir())
	writeFile(t, registry.Dir(), "")
	requireUnusable(t, registry)
}

func TestRegistryLock(t *testing.T) {
	t.Parallel()

	registry := checkpoint.Open(t.TempDir())
	unlock, err := registry.Lock(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	requireFiles(t, registry.Dir(), ".a.lock")
	entries, corrupt, err := registry.List()
	if len(entries)+len(corrupt) != 0 || err != nil {
		t.Errorf("List = %v, %v, %v, want nothing", entries, corrupt, err)
	}

	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err = registry.Lock(ctx, "a")
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), `lock checkpoint "a"`) {
		t.Errorf("got error %v, want one that says which lock was waited for", err)
	}
	if _, held, err := registry.TryLock("a"); held || err != nil {
		t.Errorf("TryLock of a held lock = %t, %v", held, err)
	}
	unlockOther, err := registry.Lock(t.Context(), "b")
	if err != nil {
		t.Fatalf("the lock of one name holds another: %v", err)
	}
	unlockOther()
	unlock()
	unlock, held, err := registry.TryLock("a")
	if !held || err != nil {
		t.Fatalf("TryLock of a free lock = %t, %v", held, err)
	}
	unlock()
	requireFiles(t, registry.Dir())
}

// A file of any size is refused after as much of it as an entry may have. Not
// parallel, since it counts what is allocated.
func TestRegistryReadsNoMoreThanAnEntry(t *testing.T) {
	registry := checkpoint.Open(t.TempDir())
	path := filepath.Join(registry.Dir(), "endless.json")
	writeFile(t, path, "{")
	const size = 32 * checkpoint.MaxEntrySize
	if err := os.Truncate(path, size); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	requireCorrupt(t, registry, "endless", "longer than")
	runtime.ReadMemStats(&after)
	if read := after.TotalAlloc - before.TotalAlloc; read > size/2 {
		t.Errorf("%d bytes were allocated for a file of %d", read, size)
	}
}
