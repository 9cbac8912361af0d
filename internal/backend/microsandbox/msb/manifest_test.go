package msb_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/msb"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/msbtest"
)

func TestReadManifest(t *testing.T) {
	t.Parallel()
	tests := map[string]msb.Manifest{
		"files/snapshot.json": {
			// What msb itself named this snapshot.
			Digest:      "sha256:d5b52c281323e90d27ab89f928d3d2a75edbfe2cbc054e2e078ba1462dad9a51",
			CreatedAt:   time.Date(2026, 11, 30, 13, 10, 48, 961549999, time.UTC),
			ImageRef:    "example/app:1",
			ImageDigest: "sha256:2c085753be6300ce2ce8dde8edbc47582cf47ed2c2f97db8e395f329eb6913e5",
			Integrity:   true, SourceSandbox: "box", Disks: []msb.Disk{{File: "upper.ext4", Size: 4 << 30}}, Labels: map[string]string{"a": "1"}, Line: "0.6",
		},
		"files/snapshot-no-integrity.json": {
			Digest:        "sha256:cd822b04cd9107315e5d7ec89a5248dddb3f66268175cf57153872b63dca6f50",
			CreatedAt:     time.Date(2026, 11, 30, 13, 9, 52, 217051714, time.UTC),
			ImageRef:      "example/app:1",
			ImageDigest:   "sha256:2c085753be6300ce2ce8dde8edbc47582cf47ed2c2f97db8e395f329eb6913e5",
			SourceSandbox: "box", Disks: []msb.Disk{{File: "upper.ext4", Size: 4 << 30}}, Labels: map[string]string{"a": "1"}, Line: "0.6",
		},
	}
	for file, want := range tests {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			writeFile(t, filepath.Join(dir, "snapshot.json"), msbtest.File(file))
			got, err := msb.ReadManifest(dir)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("manifest (-want +got):\n%s", diff)
			}
		})
	}
}

// manifest is the smallest one that is accepted, with one member replaced.
func manifest(replace ...string) string {
	return strings.NewReplacer(replace...).Replace(
		`{"schema":1,"artifact":"snapshot","image":{"manifest_digest":"sha256:` + strings.Repeat("0", 64) +
			`"},"state":{"upper":{"file":"upper.ext4","size_bytes":1}}}`)
}

func TestReadManifestRefuses(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		content string
		want    error
	}{
		"the smallest":              {manifest(), nil},
		"nothing":                   {"", msb.ErrIntegrity},
		"text":                      {"not json", msb.ErrIntegrity},
		"cut off":                   {manifest()[:50], msb.ErrIntegrity},
		"two of them":               {manifest() + manifest(), msb.ErrIntegrity},
		"a newer schema":            {manifest(`"schema":1`, `"schema":2`), msb.ErrSchemaNewer},
		"no schema":                 {manifest(`"schema":1,`, ``), msb.ErrIntegrity},
		"an archive":                {msbtest.File("files/snapshot.json")[:0] + manifest(`"snapshot"`, `"snapshot-archive"`), msb.ErrIntegrity},
		"a disk elsewhere":          {manifest("upper.ext4", "../other/upper.ext4"), msb.ErrIntegrity},
		"a disk below":              {manifest("upper.ext4", "a/upper.ext4"), msb.ErrIntegrity},
		"a disk with absolute path": {manifest("upper.ext4", "/etc/passwd"), msb.ErrIntegrity},
		"the directory as disk":     {manifest("upper.ext4", "."), msb.ErrIntegrity},
		"its parent as disk":        {manifest("upper.ext4", ".."), msb.ErrIntegrity},
		"no disk":                   {manifest("upper.ext4", ""), msb.ErrIntegrity},
		"a negative size":           {manifest(":1}", ":-1}"), msb.ErrIntegrity},
		"a size beyond numbers":     {manifest(":1}", ":99999999999999999999}"), msb.ErrIntegrity},
		"no image":                  {manifest("sha256:", ""), msb.ErrIntegrity},
		"more than a manifest":      {manifest() + strings.Repeat(" ", 1<<20), msb.ErrIntegrity},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			writeFile(t, filepath.Join(dir, "snapshot.json"), test.content)
			if got, err := msb.ReadManifest(dir); !errors.Is(err, test.want) {
				t.Errorf("ReadManifest() = %+v, %v, want %v", got, err, test.want)
			}
		})
	}
}

func TestReadManifestThatIsNoFile(t *testing.T) {
	t.Parallel()
	absent := t.TempDir()
	if _, err := msb.ReadManifest(absent); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without one: %v, want fs.ErrNotExist", err)
	}
	if _, err := msb.ReadManifest(filepath.Join(absent, "nowhere")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a directory: %v, want fs.ErrNotExist", err)
	}

	directory := t.TempDir()
	if err := os.Mkdir(filepath.Join(directory, "snapshot.json"), 0o700); err != nil {
		t.Fatal(err)
	}
	link := t.TempDir()
	target := filepath.Join(t.TempDir(), "target.json")
	writeFile(t, target, manifest())
	if err := os.Symlink(target, filepath.Join(link, "snapshot.json")); err != nil {
		t.Fatal(err)
	}
	for name, dir := range map[string]string{"a directory": directory, "a link": link} {
		if got, err := msb.ReadManifest(dir); err == nil || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s was read: %+v, %v", name, got, err)
		}
	}
}

// FuzzReadManifest makes sure that no file beside a disk can make a path of one
// elsewhere, or anything else that is not said of a snapshot.
func FuzzReadManifest(f *testing.F) {
	for _, file := range []string{"files/snapshot.json", "files/snapshot-no-integrity.json"} {
		f.Add([]byte(msbtest.File(file)))
	}
	f.Add([]byte(manifest()))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(filepath.Join(dir, "snapshot.json"), data, 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := msb.ReadManifest(dir)
		if err != nil {
			if diff := cmp.Diff(msb.Manifest{}, got); diff != "" {
				t.Errorf("a manifest comes with the error %v:\n%s", err, diff)
			}
			if !errors.Is(err, msb.ErrIntegrity) && !errors.Is(err, msb.ErrSchemaNewer) {
				t.Errorf("the error has no kind: %v", err)
			}
			return
		}
		elsewhere := slices.ContainsFunc(got.Disks, func(d msb.Disk) bool { return !filepath.IsLocal(d.File) || d.Size < 0 })
		if elsewhere || len(got.Digest) != len("sha256:")+64 {
			t.Errorf("the manifest %q was accepted: %s", data, fmt.Sprintf("%+v", got))
		}
	})
}
