package msb

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"time"

	"github.com/google/renameio/v2/maybe"
)

const (
	// schema07 is the schema of a manifest of msb 0.7.
	schema07 = "microsandbox.snapshot/1"
	// snapshotIDPrefix begins what msb 0.7 calls a snapshot, which is the name of
	// its directory too.
	snapshotIDPrefix = "snap_"
	// layersDir holds the files of the disk.
	layersDir = "layers"
	// checkpointFile describes memory and all that goes with it.
	checkpointFile = "checkpoint/checkpoint.json"
	// labelsFile holds the labels. It is not there without any, and the digest of
	// the manifest does not cover it.
	labelsFile   = "metadata.json"
	labelsSchema = "microsandbox.snapshot-metadata/1"
	// The kinds of state: a disk, and a disk with memory.
	stateFile       = "file"
	stateCheckpoint = "checkpoint"
)

// layerName is what the file of a layer is called, without its format.
var layerName = regexp.MustCompile(`^layer_[0-9a-f]{1,64}$`)

// parseManifest07 reads the manifest of a snapshot that msb 0.7 has made: a disk
// of layers, or a checkpoint with memory.
func parseManifest07(data []byte) (Manifest, error) {
	var in struct {
		Schema string `json:"schema"`
		ID     string `json:"snapshot_id"`
		Image  struct {
			Reference string `json:"reference"`
			Digest    string `json:"manifest_digest"`
		} `json:"image"`
		Capture struct {
			CreatedAt timestamp `json:"created_at"`
			Source    string    `json:"source_lineage"`
		} `json:"capture"`
		State struct {
			Kind   string `json:"kind"`
			Layers []struct {
				ID      string `json:"layer_id"`
				Format  string `json:"format"`
				Size    int64  `json:"virtual_size"`
				Payload struct {
					Integrity *map[string]any `json:"integrity"`
				} `json:"payload"`
			} `json:"layers"`
			Requirements struct {
				MemoryMB int64 `json:"memory_mib"`
				CPUs     int   `json:"vcpus"`
			} `json:"requirements_summary"`
		} `json:"state"`
	}
	if err := json.Unmarshal(data, &in); err != nil {
		return Manifest{}, fmt.Errorf("%w: %w", ErrIntegrity, err)
	}
	if in.Schema != schema07 {
		return Manifest{}, fmt.Errorf("%w: schema %q", ErrSchemaNewer, excerpt(in.Schema))
	}
	if !identityPattern.MatchString(in.ID) {
		return Manifest{}, fmt.Errorf("%w: it describes no snapshot", ErrIntegrity)
	}
	manifest := Manifest{
		ID:            in.ID,
		CreatedAt:     time.Time(in.Capture.CreatedAt),
		ImageRef:      in.Image.Reference,
		ImageDigest:   in.Image.Digest,
		SourceSandbox: in.Capture.Source,
		Line:          dialect07{}.features().Line,
	}
	switch in.State.Kind {
	case stateCheckpoint:
		if in.State.Requirements.MemoryMB <= 0 || in.State.Requirements.CPUs <= 0 {
			return Manifest{}, fmt.Errorf("%w: it does not say what its memory needs", ErrIntegrity)
		}
		manifest.Disks = []Disk{{File: checkpointFile}}
		manifest.Memory = &Memory{MB: in.State.Requirements.MemoryMB, CPUs: in.State.Requirements.CPUs}
		return manifest, nil
	case stateFile:
	default:
		return Manifest{}, fmt.Errorf("%w: state of kind %q", ErrSchemaNewer, excerpt(in.State.Kind))
	}
	if len(in.State.Layers) == 0 {
		return Manifest{}, fmt.Errorf("%w: it has no disk", ErrIntegrity)
	}
	for _, layer := range in.State.Layers {
		if !layerName.MatchString(layer.ID) || layer.Format != "raw" && layer.Format != "qcow2" {
			return Manifest{}, fmt.Errorf("%w: the layer %q of format %q is not a file below it",
				ErrIntegrity, excerpt(layer.ID), excerpt(layer.Format))
		}
		disk := Disk{File: path.Join(layersDir, layer.ID+"."+layer.Format)}
		if layer.Format == "raw" {
			disk.Size = layer.Size
		}
		manifest.Disks = append(manifest.Disks, disk)
		manifest.Integrity = manifest.Integrity || layer.Payload.Integrity != nil
	}
	return manifest, nil
}

// labelled is the content of labelsFile.
type labelled struct {
	Schema string            `json:"schema"`
	Labels map[string]string `json:"labels"`
}

func readLabels(dir string) (map[string]string, error) {
	data, err := readRegular(filepath.Join(dir, labelsFile), maxManifest)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]string{}, nil
	}
	if err != nil {
		return nil, err
	}
	var in labelled
	if err := json.Unmarshal(data, &in); err != nil {
		return nil, fmt.Errorf("%w: its labels: %w", ErrIntegrity, err)
	}
	return in.Labels, nil
}

// SetLabel adds a label to a snapshot of msb 0.7. Its value may be secret, and is
// therefore never on a command line; it stays with the snapshot wherever msb
// copies it.
func SetLabel(dir, key, value string) error {
	labels, err := readLabels(dir)
	if err != nil {
		return fmt.Errorf("label snapshot %s: %w", dir, err)
	}
	if labels == nil {
		labels = map[string]string{}
	}
	labels[key] = value
	content, err := json.Marshal(labelled{Schema: labelsSchema, Labels: labels})
	if err == nil && len(content) > maxManifest {
		err = fmt.Errorf("its labels take more than %d bytes", maxManifest)
	}
	if err == nil {
		err = maybe.WriteFile(filepath.Join(dir, labelsFile), content, 0o600)
	}
	if err != nil {
		return fmt.Errorf("label snapshot %s: %w", dir, err)
	}
	return nil
}
