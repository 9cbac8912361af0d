package docker

import (
	"archive/tar"
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/opencontainers/go-digest"
	"github.com/opencontainers/image-spec/specs-go"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
)

const (
	// maxBlob bounds a manifest or configuration that is kept from an archive;
	// registries refuse manifests above 4 MiB.
	maxBlob = 8 << 20
	// maxKept bounds all that is kept from one archive: an index can list any
	// number of platforms.
	maxKept = 4 * maxBlob

	mediaTypeDockerManifest = "application/vnd.docker.distribution.manifest.v2+json"

	// annotationImageName is the name under which containerd's importer stores
	// an image.
	annotationImageName = "io.containerd.image.name"
)

// platformImage is the manifest and the configuration of one platform of an
// image, byte for byte.
type platformImage struct {
	manifest []byte
	config   []byte
}

// platform tells the image of one platform from its siblings in an index: the
// layers are those that the engine runs.
type platform struct {
	os, architecture, variant string
	layers                    []string
}

func platformOf(img image) platform {
	return platform{os: img.Os, architecture: img.Architecture, variant: img.Variant, layers: img.RootFS.Layers}
}

func (p platform) String() string {
	return path.Join(p.os, p.architecture, p.variant)
}

// describedBy reports whether blob is the configuration of this platform's
// image.
func (p platform) describedBy(blob []byte) bool {
	var config struct {
		OS           string `json:"os"`
		Architecture string `json:"architecture"`
		Variant      string `json:"variant"`
		RootFS       struct {
			DiffIDs []string `json:"diff_ids"`
		} `json:"rootfs"`
	}
	if json.Unmarshal(blob, &config) != nil {
		return false
	}
	found := platform{os: config.OS, architecture: config.Architecture, variant: config.Variant}
	return found.String() == p.String() && slices.Equal(config.RootFS.DiffIDs, p.layers)
}

// readPlatformImage reads the stream of a saved image until it has seen the
// manifest and the configuration of the wanted platform, and no further: the
// blobs come in the order of their digests, layers among them. Blobs are
// trusted only as far as their digest.
func readPlatformImage(saved io.Reader, want platform) (platformImage, error) {
	var (
		archive   = tar.NewReader(saved)
		manifests = map[digest.Digest][]byte{} // by the configuration they name
		configs   = map[digest.Digest][]byte{}
		kept      int
	)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return platformImage{}, fmt.Errorf("the saved image holds no manifest and configuration for %s with the image's layers", want)
		}
		if err != nil {
			return platformImage{}, fmt.Errorf("read the saved image: %w", err)
		}
		id, blob, err := readJSONBlob(archive, header)
		if err != nil {
			return platformImage{}, err
		}
		if blob == nil {
			continue
		}

		configID := id
		if manifest, ok := readManifest(blob); ok && len(manifest.Layers) == len(want.layers) {
			configID = manifest.Config.Digest
			manifests[configID] = blob
		} else if want.describedBy(blob) {
			configs[configID] = blob
		} else {
			continue
		}
		if kept += len(blob); kept > maxKept {
			return platformImage{}, fmt.Errorf("the saved image has more than %d MiB of manifests", maxKept>>20)
		}
		if manifests[configID] != nil && configs[configID] != nil {
			return platformImage{manifest: manifests[configID], config: configs[configID]}, nil
		}
	}
}

// readJSONBlob returns the content of an archive member if it is a blob that
// holds a JSON object, and nil for anything else, layers above all.
func readJSONBlob(archive io.Reader, header *tar.Header) (digest.Digest, []byte, error) {
	encoded, isBlob := strings.CutPrefix(path.Clean(header.Name), "blobs/sha256/")
	if !isBlob || header.Typeflag != tar.TypeReg || header.Size > maxBlob {
		return "", nil, nil
	}
	id := digest.NewDigestFromEncoded(digest.SHA256, encoded)
	if id.Validate() != nil {
		return "", nil, nil //nolint:nilerr // What is not named by a digest is not a blob, and of no interest.
	}
	content := bufio.NewReader(io.LimitReader(archive, maxBlob))
	// What went wrong here is met again by whoever reads on in the archive.
	if first, _ := content.Peek(1); len(first) == 0 || first[0] != '{' {
		return "", nil, nil
	}
	blob, err := io.ReadAll(content)
	if err != nil {
		return "", nil, fmt.Errorf("read the saved image: %w", err)
	}
	if digest.FromBytes(blob) != id {
		return "", nil, fmt.Errorf("the saved image is damaged: blob %s has other content", id)
	}
	return id, blob, nil
}

// readManifest decodes blob if it is an image manifest.
func readManifest(blob []byte) (ocispec.Manifest, bool) {
	var manifest ocispec.Manifest
	if json.Unmarshal(blob, &manifest) != nil || manifest.Config.Digest.Validate() != nil {
		return ocispec.Manifest{}, false
	}
	switch manifest.MediaType {
	case "":
		manifest.MediaType = ocispec.MediaTypeImageManifest // it may be left out in OCI's
	case ocispec.MediaTypeImageManifest, mediaTypeDockerManifest:
	default:
		return ocispec.Manifest{}, false
	}
	return manifest, true
}

// ociLayout writes an image for a containerd store in OCI's layout: the
// manifest with another configuration. The layers are left out, since the
// store has them.
func ociLayout(manifest, config []byte, tag string) ([]byte, error) {
	original, ok := readManifest(manifest)
	if !ok {
		return nil, errors.New("the image's manifest is of an unknown kind")
	}
	var edited object
	if err := json.Unmarshal(manifest, &edited); err != nil {
		return nil, err
	}
	descriptor := original.Config
	descriptor.Digest = digest.FromBytes(config)
	descriptor.Size = int64(len(config))
	descriptor.Data = nil // an embedded copy of the old one

	var err error
	edited.take("config")
	if edited["config"], err = json.Marshal(descriptor); err != nil {
		return nil, err
	}
	if manifest, err = json.Marshal(edited); err != nil {
		return nil, err
	}

	index, err := json.Marshal(ocispec.Index{
		Versioned: specs.Versioned{SchemaVersion: 2},
		MediaType: ocispec.MediaTypeImageIndex,
		Manifests: []ocispec.Descriptor{{
			MediaType:   original.MediaType,
			Digest:      digest.FromBytes(manifest),
			Size:        int64(len(manifest)),
			Annotations: map[string]string{annotationImageName: hubDomain + "/" + tag},
		}},
	})
	if err != nil {
		return nil, err
	}
	layout, err := json.Marshal(ocispec.ImageLayout{Version: ocispec.ImageLayoutVersion})
	if err != nil {
		return nil, err
	}
	return writeTar(
		member{ocispec.ImageLayoutFile, layout},
		member{ocispec.ImageIndexFile, index},
		member{blobPath(config), config},
		member{blobPath(manifest), manifest},
	)
}

func blobPath(blob []byte) string {
	return path.Join(ocispec.ImageBlobsDir, digest.SHA256.String(), digest.FromBytes(blob).Encoded())
}

// dockerArchive writes an image for a graph driver in the form of "docker
// save". The layers' files are named, as the form demands, and left out: the
// engine looks for a layer in its store first.
func dockerArchive(config []byte, layers []string, tag string) ([]byte, error) {
	files := make([]string, len(layers))
	for i, layer := range layers {
		id, err := digest.Parse(layer)
		if err != nil {
			return nil, fmt.Errorf("the image's layer %q is not a digest", layer)
		}
		files[i] = id.Encoded() + "/layer.tar"
	}
	configFile := digest.FromBytes(config).Encoded() + ".json"
	manifest, err := json.Marshal([]struct {
		Config   string
		RepoTags []string
		Layers   []string
	}{{Config: configFile, RepoTags: []string{tag}, Layers: files}})
	if err != nil {
		return nil, err
	}
	return writeTar(member{"manifest.json", manifest}, member{configFile, config})
}

type member struct {
	name    string
	content []byte
}

func writeTar(members ...member) ([]byte, error) {
	var archive bytes.Buffer
	writer := tar.NewWriter(&archive)
	for _, m := range members {
		header := &tar.Header{Typeflag: tar.TypeReg, Name: m.name, Mode: 0o644, Size: int64(len(m.content))}
		if err := writer.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := writer.Write(m.content); err != nil {
			return nil, err
		}
	}
	if err := writer.Close(); err != nil {
		return nil, err
	}
	return archive.Bytes(), nil
}
