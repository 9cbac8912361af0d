package docker

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
)

const (
	ociConfig = `{"architecture":"amd64","os":"linux","config":{"Volumes":{"/data":{}}},"rootfs":{"type":"layers","diff_ids":["sha256:one"]}}`
	armConfig = `{"architecture":"arm64","os":"linux","variant":"v8","config":{},"rootfs":{"type":"layers","diff_ids":["sha256:one"]}}`
)

var amd64 = platform{os: "linux", architecture: "amd64", layers: []string{"sha256:one"}}

// manifestOf writes a manifest with one layer for a configuration.
func manifestOf(config string) string {
	return `{"schemaVersion":2,"mediaType":"` + ocispec.MediaTypeImageManifest + `",` +
		`"config":{"mediaType":"application/vnd.oci.image.config.v1+json","digest":"` + digest.FromString(config).String() + `","size":1,"data":"e30="},` +
		`"layers":[{"mediaType":"application/vnd.oci.image.layer.v1.tar+gzip","digest":"` + digest.FromString("layer").String() + `","size":3,"urls":["x"]}],` +
		`"annotations":{"kept":"yes"}}`
}

func blob(content string) member { return member{blobPath([]byte(content)), []byte(content)} }

func archiveOf(t *testing.T, members ...member) []byte {
	t.Helper()
	archive, err := writeTar(members...)
	if err != nil {
		t.Fatal(err)
	}
	return archive
}

func TestReadPlatformImage(t *testing.T) {
	t.Parallel()
	manifest := manifestOf(ociConfig)
	index := blob(`{"schemaVersion":2,"manifests":[{"digest":"` + digest.FromString(manifest).String() + `","size":1}]}`)
	layer := blob("\x1f\x8blayer")
	tests := map[string][]member{
		"manifest first":              {blob(manifest), blob(ociConfig)},
		"configuration first":         {blob(ociConfig), blob(manifest)},
		"between layers":              {layer, blob(manifest), blob("PAX"), blob(ociConfig)},
		"an index and other files":    {{"oci-layout", []byte(`{}`)}, index, blob(ociConfig), {"manifest.json", []byte(`[]`)}, blob(manifest)},
		"another platform's as well":  {blob(armConfig), blob(manifestOf(armConfig)), blob(manifest), blob(ociConfig)},
		"blobs of no interest":        {blob(""), blob("{"), blob(`{"config":{}}`), blob(`{"config":7}`), blob(manifest), blob(ociConfig)},
		"names that are no digests":   {{"blobs/sha256/..", []byte("{}")}, {"blobs/sha256/XY", []byte("{}")}, blob(manifest), blob(ociConfig)},
		"names with a leading dot":    {{"./" + blobPath([]byte(manifest)), []byte(manifest)}, blob(ociConfig)},
		"a manifest of schema 1":      {blob(`{"schemaVersion":1,"mediaType":"application/vnd.docker.distribution.manifest.v1+json","config":{"digest":"` + digest.FromString(ociConfig).String() + `"},"layers":[{}]}`), blob(ociConfig), blob(manifest)},
		"a manifest with more layers": {blob(`{"schemaVersion":2,"config":{"digest":"` + digest.FromString(ociConfig).String() + `"},"layers":[{},{}]}`), blob(ociConfig), blob(manifest)},
	}
	for name, members := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := readPlatformImage(bytes.NewReader(archiveOf(t, members...)), amd64)
			if err != nil {
				t.Fatal(err)
			}
			want := platformImage{manifest: []byte(manifest), config: []byte(ociConfig)}
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(platformImage{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestReadPlatformImageStops pins that layers after the manifest are not
// transferred.
func TestReadPlatformImageStops(t *testing.T) {
	t.Parallel()
	archive := archiveOf(t, blob(manifestOf(ociConfig)), blob(ociConfig))
	end := errors.New("read on")
	stream := io.MultiReader(bytes.NewReader(archive[:len(archive)-1024]), &failingReader{err: end})
	if _, err := readPlatformImage(stream, amd64); err != nil {
		t.Error(err)
	}
}

type failingReader struct{ err error }

func (r *failingReader) Read([]byte) (int, error) { return 0, r.err }

func TestReadPlatformImageRefuses(t *testing.T) {
	t.Parallel()
	manifest := manifestOf(ociConfig)
	large := "{" + strings.Repeat(" ", maxBlob) + ociConfig[1:]
	tests := map[string]struct {
		archive []byte
		want    string
	}{
		"empty":                   {archiveOf(t), "holds no manifest"},
		"no archive":              {[]byte(strings.Repeat("x", 2048)), "read the saved image"},
		"cut off":                 {archiveOf(t, blob(manifest), blob(ociConfig))[:700], "read the saved image"},
		"no configuration":        {archiveOf(t, blob(manifest)), "holds no manifest"},
		"no manifest":             {archiveOf(t, blob(ociConfig)), "holds no manifest"},
		"another platform only":   {archiveOf(t, blob(armConfig), blob(manifestOf(armConfig))), "linux/amd64"},
		"another configuration's": {archiveOf(t, blob(ociConfig), blob(manifestOf(armConfig))), "holds no manifest"},
		"content of another name": {archiveOf(t, member{blobPath([]byte(manifest)), []byte(ociConfig)}), "is damaged"},
		"too large":               {archiveOf(t, blob(manifestOf(large)), blob(large)), "holds no manifest"},
		"outside the blobs":       {archiveOf(t, member{"x/" + blobPath([]byte(manifest)), []byte(manifest)}, blob(ociConfig)), "holds no manifest"},
		"a link for a blob":       {linkArchive(t, blobPath([]byte(manifest))), "holds no manifest"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := readPlatformImage(bytes.NewReader(test.archive), amd64)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error with %q", err, test.want)
			}
		})
	}
}

// TestReadPlatformImageBoundsMemory pins that an endless supply of plausible
// manifests is refused.
func TestReadPlatformImageBoundsMemory(t *testing.T) {
	t.Parallel()
	reader, writer := io.Pipe()
	go func() {
		archive := tar.NewWriter(writer)
		padding := strings.Repeat(" ", maxBlob-2048)
		for i := range 2 + maxKept/maxBlob {
			m := blob(manifestOf(strings.Repeat("x", i)) + padding)
			if archive.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: m.name, Size: int64(len(m.content))}) != nil {
				return
			}
			if _, err := archive.Write(m.content); err != nil {
				return
			}
		}
		_ = writer.CloseWithError(archive.Close())
	}()
	_, err := readPlatformImage(reader, amd64)
	_ = reader.Close()
	if err == nil || !strings.Contains(err.Error(), "MiB of manifests") {
		t.Errorf("got %v, want a refusal", err)
	}
}

func linkArchive(t *testing.T, name string) []byte {
	t.Helper()
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeSymlink, Name: name, Linkname: "/etc/passwd"}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return archive.Bytes()
}

// FuzzReadPlatformImage checks that whatever is read from an engine can be
// written for it, and comes back as it was written. What is fuzzed is the blobs:
// an archive's own checksums would keep most changes from reaching them.
func FuzzReadPlatformImage(f *testing.F) {
	named := []byte(digest.FromString(ociConfig))
	for _, config := range []string{ociConfig, armConfig, "", "{}", `{"config":{"Labels":{"a":"b"},"Volumes":null},` + ociConfig[1:]} {
		f.Add([]byte(manifestOf(ociConfig)), []byte(config))
	}
	f.Add([]byte(`{"config":{"digest":"`+string(named)+`"},"layers":[{}]}`), []byte(ociConfig))
	f.Add([]byte("\x1f\x8b"), []byte(ociConfig))
	f.Fuzz(func(t *testing.T, manifest, config []byte) {
		manifest = bytes.ReplaceAll(manifest, named, []byte(digest.FromBytes(config)))
		found, err := readPlatformImage(bytes.NewReader(archiveOf(t, blob(string(manifest)), blob(string(config)))), amd64)
		if err != nil {
			return
		}
		edited, err := withoutVolumes(found.config, "sha256:s")
		if err != nil {
			return
		}
		layout, err := ociLayout(found.manifest, edited, "rightsize/base:x")
		if err != nil {
			t.Fatalf("accepted, but %v", err)
		}
		again, err := readPlatformImage(bytes.NewReader(layout), amd64)
		if err != nil || !bytes.Equal(again.config, edited) {
			t.Errorf("wrote the configuration %s, read %s, %v", edited, again.config, err)
		}
	})
}

func TestOCILayout(t *testing.T) {
	t.Parallel()
	const config = `{"config":{"Labels":{"dev.rightsize.base-of":"sha256:s"}}}`
	archive, err := ociLayout([]byte(manifestOf(ociConfig)), []byte(config), "rightsize/base:abc")
	if err != nil {
		t.Fatal(err)
	}
	files := readTar(t, archive)
	wantManifest := decode(t, `{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json",
		"config":{"mediaType":"application/vnd.oci.image.config.v1+json","digest":"`+digest.FromString(config).String()+`","size":58},
		"layers":[{"mediaType":"application/vnd.oci.image.layer.v1.tar+gzip","digest":"`+digest.FromString("layer").String()+`","size":3,"urls":["x"]}],
		"annotations":{"kept":"yes"}}`)

	manifests := decode(t, files["index.json"]).(map[string]any)["manifests"].([]any)
	if len(manifests) != 1 {
		t.Fatalf("the index lists %d manifests", len(manifests))
	}
	entry := manifests[0].(map[string]any)
	manifest := files["blobs/sha256/"+strings.TrimPrefix(entry["digest"].(string), "sha256:")]
	if diff := cmp.Diff(wantManifest, decode(t, manifest)); diff != "" {
		t.Errorf("manifest (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]any{"io.containerd.image.name": "docker.io/rightsize/base:abc"}, entry["annotations"]); diff != "" {
		t.Errorf("annotations (-want +got):\n%s", diff)
	}
	if got := files[blobPath([]byte(config))]; got != config {
		t.Errorf("configuration %q", got)
	}
	if got := files["oci-layout"]; got != `{"imageLayoutVersion":"1.0.0"}` {
		t.Errorf("oci-layout %q", got)
	}
	if len(files) != 4 {
		t.Errorf("%d files, want 4 and no layer", len(files))
	}
}

func TestDockerArchive(t *testing.T) {
	t.Parallel()
	layer := digest.FromString("layer")
	archive, err := dockerArchive([]byte(`{}`), []string{layer.String()}, "rightsize/base:abc")
	if err != nil {
		t.Fatal(err)
	}
	name := digest.FromString(`{}`).Encoded() + ".json"
	want := map[string]string{
		name:            `{}`,
		"manifest.json": `[{"Config":"` + name + `","RepoTags":["rightsize/base:abc"],"Layers":["` + layer.Encoded() + `/layer.tar"]}]`,
	}
	if diff := cmp.Diff(want, readTar(t, archive)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := dockerArchive([]byte(`{}`), []string{"../../etc/passwd"}, "rightsize/base:abc"); err == nil {
		t.Error("a layer that is no digest became a file name")
	}
}

func readTar(t *testing.T, archive []byte) map[string]string {
	t.Helper()
	files := map[string]string{}
	for r := tar.NewReader(bytes.NewReader(archive)); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		files[header.Name] = string(content)
	}
}
