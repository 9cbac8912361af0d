package msb

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	// manifestFile describes a snapshot, beside what it holds.
	manifestFile = "snapshot.json"
	// maxManifest is a thousand times the size of a manifest without labels.
	maxManifest = 1 << 20
)

// Manifest describes a snapshot.
type Manifest struct {
	// Digest identifies the snapshot: it is that of the manifest's own bytes,
	// which hold the time of the capture.
	Digest string
	// ID is what msb calls it; empty in 0.6, which goes by the digest.
	ID        string
	CreatedAt time.Time
	// ImageRef and ImageDigest are the image below the snapshot, without which
	// it cannot be booted.
	ImageRef, ImageDigest string
	SourceSandbox         string
	// Disks are the files of the disk, one on top of the other; of a snapshot with
	// memory, what stands for all of its files.
	Disks []Disk
	// Integrity says that there are checksums of the disk.
	Integrity bool
	Labels    map[string]string
	// Line is the oldest line of msb that restores it, as in 0.7.
	Line string
	// Memory is what a sandbox must have to go on from the memory that the
	// snapshot holds; nil if it holds none.
	Memory *Memory
}

// Disk is a file of a snapshot's disk.
type Disk struct {
	// File is its path below the directory of the snapshot.
	File string
	// Size is how large it looks, not what it takes; zero if that is not known.
	Size int64
}

// Memory is the part of a sandbox that is captured with its memory.
type Memory struct {
	MB   int64
	CPUs int
}

// Is says whether the manifest is of the snapshot that [Client.Snapshot] has
// named.
func (m Manifest) Is(identity string) bool {
	return identity == m.Digest || m.ID != "" && identity == m.ID
}

// ReadManifest reads the manifest of the snapshot in a directory, of whatever line
// of msb. One that is not there matches fs.ErrNotExist.
func ReadManifest(dir string) (Manifest, error) {
	path := filepath.Join(dir, manifestFile)
	data, err := readRegular(path, maxManifest)
	if err != nil {
		return Manifest{}, fmt.Errorf("read manifest of snapshot: %w", err)
	}
	manifest, err := parseManifest(data)
	if err == nil && manifest.Labels == nil {
		manifest.Labels, err = readLabels(dir)
	}
	if err != nil {
		return Manifest{}, fmt.Errorf("read manifest of snapshot %s: %w", path, err)
	}
	return manifest, nil
}

// readRegular reads a file of a snapshot, which may be anything.
func readRegular(path string, limit int64) ([]byte, error) {
	// Opening a pipe would wait for a writer, hence the look before.
	before, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !before.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if opened, err := file.Stat(); err != nil || !os.SameFile(before, opened) {
		return nil, fmt.Errorf("%s was replaced in the meantime", path)
	}
	data, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err == nil && int64(len(data)) > limit {
		return nil, fmt.Errorf("%w: %s is larger than %d bytes", ErrIntegrity, path, limit)
	}
	return data, err
}

func parseManifest(data []byte) (Manifest, error) {
	var in struct {
		Schema json.RawMessage `json:"schema"`
	}
	if err := json.Unmarshal(data, &in); err != nil {
		return Manifest{}, fmt.Errorf("%w: %w", ErrIntegrity, err)
	}
	parse := parseManifest06
	if strings.HasPrefix(string(in.Schema), `"`) {
		parse = parseManifest07
	}
	manifest, err := parse(data)
	if err != nil {
		return Manifest{}, err
	}
	for _, disk := range manifest.Disks {
		if disk.Size < 0 {
			return Manifest{}, fmt.Errorf("%w: the disk has a size of %d bytes", ErrIntegrity, disk.Size)
		}
	}
	if !digestPattern.MatchString(manifest.ImageDigest) {
		return Manifest{}, fmt.Errorf("%w: it names no image", ErrIntegrity)
	}
	sum := sha256.Sum256(data)
	manifest.Digest = "sha256:" + hex.EncodeToString(sum[:])
	return manifest, nil
}
