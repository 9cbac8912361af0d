package msb

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

const (
	// manifestFile describes a snapshot, beside its disk.
	manifestFile = "snapshot.json"
	// maxManifest is a thousand times the size of a manifest without labels.
	maxManifest = 1 << 20
	// manifestSchema is the one of msb 0.6.
	manifestSchema = 1
)

// Manifest describes a snapshot.
type Manifest struct {
	// Digest identifies the snapshot: it is that of the manifest's own bytes,
	// which hold the time of the capture.
	Digest    string
	CreatedAt time.Time
	// ImageRef and ImageDigest are the image below the snapshot, without which
	// it cannot be booted.
	ImageRef, ImageDigest string
	SourceSandbox         string
	// UpperFile is the disk, a file in the same directory. UpperSize is how
	// large it looks, not what it takes.
	UpperFile string
	UpperSize int64
	// Integrity says that there are checksums of the disk.
	Integrity bool
	Labels    map[string]string
}

// ReadManifest reads the manifest of the snapshot in a directory. One that is
// not there matches fs.ErrNotExist.
func ReadManifest(dir string) (Manifest, error) {
	path := filepath.Join(dir, manifestFile)
	// Opening a pipe would wait for a writer, hence the look before.
	before, err := os.Lstat(path)
	if err != nil {
		return Manifest{}, fmt.Errorf("read manifest of snapshot: %w", err)
	}
	if !before.Mode().IsRegular() {
		return Manifest{}, fmt.Errorf("read manifest of snapshot: %s is not a regular file", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return Manifest{}, fmt.Errorf("read manifest of snapshot: %w", err)
	}
	defer file.Close()
	if opened, err := file.Stat(); err != nil || !os.SameFile(before, opened) {
		return Manifest{}, fmt.Errorf("read manifest of snapshot: %s was replaced in the meantime", path)
	}
	data, err := io.ReadAll(io.LimitReader(file, maxManifest+1))
	if err != nil {
		return Manifest{}, fmt.Errorf("read manifest of snapshot: %w", err)
	}
	manifest, err := parseManifest(data)
	if err != nil {
		return Manifest{}, fmt.Errorf("read manifest of snapshot %s: %w", path, err)
	}
	return manifest, nil
}

func parseManifest(data []byte) (Manifest, error) {
	if len(data) > maxManifest {
		return Manifest{}, fmt.Errorf("%w: it is larger than %d bytes", ErrIntegrity, maxManifest)
	}
	var in struct {
		Schema    int       `json:"schema"`
		Artifact  string    `json:"artifact"`
		CreatedAt timestamp `json:"created_at"`
		Image     struct {
			Ref    string `json:"ref"`
			Digest string `json:"manifest_digest"`
		} `json:"image"`
		SourceSandbox string `json:"source_sandbox"`
		State         struct {
			Upper struct {
				File      string          `json:"file"`
				Size      int64           `json:"size_bytes"`
				Integrity *map[string]any `json:"integrity"`
			} `json:"upper"`
		} `json:"state"`
		Labels map[string]string `json:"labels"`
	}
	if err := json.Unmarshal(data, &in); err != nil {
		return Manifest{}, fmt.Errorf("%w: %w", ErrIntegrity, err)
	}
	upper := in.State.Upper
	switch {
	case in.Schema > manifestSchema:
		return Manifest{}, fmt.Errorf("%w: schema %d", ErrSchemaNewer, in.Schema)
	case in.Schema != manifestSchema || in.Artifact != "snapshot":
		return Manifest{}, fmt.Errorf("%w: it describes no snapshot", ErrIntegrity)
	case upper.File == "" || upper.File != filepath.Base(upper.File) || !filepath.IsLocal(upper.File) || upper.File == ".":
		return Manifest{}, fmt.Errorf("%w: the disk %q is not a file beside it", ErrIntegrity, excerpt(upper.File))
	case upper.Size < 0:
		return Manifest{}, fmt.Errorf("%w: the disk has a size of %d bytes", ErrIntegrity, upper.Size)
	case !digestPattern.MatchString(in.Image.Digest):
		return Manifest{}, fmt.Errorf("%w: it names no image", ErrIntegrity)
	}
	sum := sha256.Sum256(data)
	return Manifest{
		Digest:        "sha256:" + hex.EncodeToString(sum[:]),
		CreatedAt:     time.Time(in.CreatedAt),
		ImageRef:      in.Image.Ref,
		ImageDigest:   in.Image.Digest,
		SourceSandbox: in.SourceSandbox,
		UpperFile:     upper.File,
		UpperSize:     upper.Size,
		Integrity:     upper.Integrity != nil,
		Labels:        in.Labels,
	}, nil
}
