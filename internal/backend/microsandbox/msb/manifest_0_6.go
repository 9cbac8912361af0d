package msb

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"
)

// schema06 is the schema of a manifest of msb 0.6.
const schema06 = 1

// parseManifest06 reads the manifest of a snapshot that msb 0.6 has made: one
// disk, and the labels in the manifest itself.
func parseManifest06(data []byte) (Manifest, error) {
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
	case in.Schema > schema06:
		return Manifest{}, fmt.Errorf("%w: schema %d", ErrSchemaNewer, in.Schema)
	case in.Schema != schema06 || in.Artifact != "snapshot":
		return Manifest{}, fmt.Errorf("%w: it describes no snapshot", ErrIntegrity)
	case upper.File == "" || upper.File != filepath.Base(upper.File) || !filepath.IsLocal(upper.File) || upper.File == ".":
		return Manifest{}, fmt.Errorf("%w: the disk %q is not a file beside it", ErrIntegrity, excerpt(upper.File))
	}
	if in.Labels == nil {
		in.Labels = map[string]string{}
	}
	return Manifest{
		CreatedAt:     time.Time(in.CreatedAt),
		ImageRef:      in.Image.Ref,
		ImageDigest:   in.Image.Digest,
		SourceSandbox: in.SourceSandbox,
		Disks:         []Disk{{File: upper.File, Size: upper.Size}},
		Integrity:     upper.Integrity != nil,
		Labels:        in.Labels,
		Line:          dialect06{}.features().Line,
	}, nil
}
