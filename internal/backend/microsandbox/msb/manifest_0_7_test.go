package msb_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/msb"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/msbtest"
)

func replaceDir(s, dir string) string { return strings.ReplaceAll(s, "@DIR@", dir) }

func TestReadManifest07(t *testing.T) {
	t.Parallel()
	const image = "sha256:34faba00b21a210a6b349ea94d070a955a96860c27ffc0fada5040ac87d08a49"
	tests := map[string]msb.Manifest{
		"snapshot.json": {
			// What msb itself named this snapshot.
			Digest: "sha256:2496f5e0509c64fb158ab02e3334d431707f3a5722fdbc945e6577979b8cd919", ID: "snap_8fc882629f0e8027db7b7a0475053618",
			CreatedAt: time.Date(2026, 12, 1, 1, 18, 43, 526526858, time.UTC), ImageRef: "rightsize-test/busybox:1", ImageDigest: image,
			Integrity: true, SourceSandbox: "a", Labels: map[string]string{}, Line: "0.7",
			Disks: []msb.Disk{{File: "layers/layer_23b229540ed9cf64847cd49f6dc713bb.raw", Size: 256 << 20}},
		},
		"snapshot-live.json": {
			Digest: "sha256:51998d3e51a4185c63c72d2a2eca991cfd72b84c7ee5e0ed33db3de56892815c", ID: "snap_da5885ba461126741ad523af61923a8b",
			CreatedAt: time.Date(2026, 12, 1, 1, 41, 28, 34837741, time.UTC), ImageRef: "rightsize-test/busybox:1", ImageDigest: image,
			SourceSandbox: "a", Labels: map[string]string{}, Line: "0.7",
			Disks: []msb.Disk{
				{File: "layers/layer_527e42999a070bbe3dc5cadb520a3bb2.raw", Size: 256 << 20},
				{File: "layers/layer_89a998a85d68b2ca8fb54f51e3ac73d4.qcow2"},
				{File: "layers/layer_aaddd51f5af12b0971dfea3044ef450a.qcow2"},
			},
		},
		"snapshot-memory.json": {
			Digest: "sha256:4cd2d3c00c682744547e9c4fb0e0bbfea84917f2bee39d2d29f419b0b0306d55", ID: "snap_1f54895599172da35c63e07e112194e1",
			CreatedAt: time.Date(2026, 12, 1, 1, 41, 9, 157758774, time.UTC), ImageRef: "rightsize-test/busybox:1", ImageDigest: image,
			SourceSandbox: "a", Labels: map[string]string{}, Line: "0.7",
			Disks: []msb.Disk{{File: "checkpoint/checkpoint.json"}}, Memory: &msb.Memory{MB: 128, CPUs: 1},
		},
	}
	for file, want := range tests {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			writeFile(t, filepath.Join(dir, "snapshot.json"), msbtest.File("0.7/files/"+file))
			got, err := msb.ReadManifest(dir)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("manifest (-want +got):\n%s", diff)
			}
			if !got.Is(got.ID) || !got.Is(got.Digest) || got.Is("") || got.Is("snap_00000000000000000000000000000000") {
				t.Error("it does not tell by which names it is known")
			}
		})
	}
}

func TestReadManifest07Refuses(t *testing.T) {
	t.Parallel()
	disk, memory := msbtest.File("0.7/files/snapshot.json"), msbtest.File("0.7/files/snapshot-memory.json")
	tests := map[string]struct {
		content, old, new string
		want              error
	}{
		"a newer schema":          {disk, "microsandbox.snapshot/1", "microsandbox.snapshot/2", msb.ErrSchemaNewer},
		"another kind of state":   {disk, `"kind":"file"`, `"kind":"cloud"`, msb.ErrSchemaNewer},
		"no id":                   {disk, `"snapshot_id":"snap_`, `"snapshot_id":"`, msb.ErrIntegrity},
		"an id that is a path":    {disk, `"snapshot_id":"snap_8fc8`, `"snapshot_id":"../8fc8`, msb.ErrIntegrity},
		"no layers":               {disk, `"layers":[`, `"other":[`, msb.ErrIntegrity},
		"a layer elsewhere":       {disk, `"layer_id":"layer_23b2`, `"layer_id":"../layer_23b2`, msb.ErrIntegrity},
		"a format that is a path": {disk, `"format":"raw"`, `"format":"raw/../../x"`, msb.ErrIntegrity},
		"a negative size":         {disk, `"virtual_size":268435456}]`, `"virtual_size":-1}]`, msb.ErrIntegrity},
		"no image":                {disk, `"manifest_digest":"sha256:`, `"manifest_digest":"`, msb.ErrIntegrity},
		"memory without a size":   {memory, `"memory_mib":128`, `"memory_mib":0`, msb.ErrIntegrity},
		"memory without CPUs":     {memory, `"vcpus":1`, `"vcpus":-1`, msb.ErrIntegrity},
		"a list":                  {`["x"]`, "", "", msb.ErrIntegrity},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			content := strings.Replace(test.content, test.old, test.new, 1)
			if test.old != "" && content == test.content {
				t.Fatal("it is not changed")
			}
			writeFile(t, filepath.Join(dir, "snapshot.json"), content)
			if got, err := msb.ReadManifest(dir); !errors.Is(err, test.want) {
				t.Errorf("ReadManifest() = %+v, %v, want %v", got, err, test.want)
			}
		})
	}
}

func TestSetLabel(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "snapshot.json"), msbtest.File("0.7/files/snapshot.json"))
	labels := func() map[string]string {
		t.Helper()
		manifest, err := msb.ReadManifest(dir)
		if err != nil {
			t.Fatal(err)
		}
		return manifest.Labels
	}
	// A snapshot without labels has no file for them.
	if err := msb.SetLabel(dir, "k", `{"a": "1=2,\n"}`); err != nil {
		t.Fatal(err)
	}
	if err := msb.SetLabel(dir, "other", "x"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"k": `{"a": "1=2,\n"}`, "other": "x"}, labels()); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
	if info, err := os.Stat(filepath.Join(dir, "metadata.json")); err != nil || info.Mode() != 0o600 {
		t.Errorf("the file of labels has the mode %s (%v)", info.Mode(), err)
	}
	if err := msb.SetLabel(dir, "large", strings.Repeat("x", 1<<20)); err == nil {
		t.Error("a label is as large as a manifest may be")
	}
	writeFile(t, filepath.Join(dir, "metadata.json"), "not json")
	if _, err := msb.ReadManifest(dir); !errors.Is(err, msb.ErrIntegrity) {
		t.Errorf("with damaged labels: %v", err)
	}
	if err := msb.SetLabel(dir, "k", "v"); err == nil {
		t.Error("damaged labels are overwritten")
	}
}

func TestSnapshotsIn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	one, group := filepath.Join(dir, "one"), filepath.Join(dir, "group")
	writeFile(t, filepath.Join(one, "snapshot.json"), "{}")
	writeFile(t, filepath.Join(one, "snap_1", "snapshot.json"), "{}")
	writeFile(t, filepath.Join(group, "snap_1", "snapshot.json"), "{}")
	writeFile(t, filepath.Join(group, "snap_2", "half"), "")
	writeFile(t, filepath.Join(group, ".capture-1", "snapshot.json"), "{}")
	writeFile(t, filepath.Join(group, "group.json"), "{}")
	if err := os.Symlink(one, filepath.Join(group, "snap_3")); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string][]string{
		one: {one}, group: {filepath.Join(group, "snap_1")}, dir: {filepath.Join(group, "snap_1"), filepath.Join(one, "snap_1")}, filepath.Join(dir, "none"): nil,
	} {
		if diff := cmp.Diff(want, msb.SnapshotsIn(path)); diff != "" {
			t.Errorf("snapshots in %s (-want +got):\n%s", path, diff)
		}
	}
}
