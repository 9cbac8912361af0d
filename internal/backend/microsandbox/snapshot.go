package microsandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/msb"
)

const (
	// artifactPrefix begins the names of all artifacts, the libraries' included.
	artifactPrefix = "rz-ckpt-"
	// labelCheckpoint is, on a snapshot, the name of the checkpoint that it was
	// captured for, so that what an interrupted capture left can be found.
	labelCheckpoint = "dev.rightsize.checkpoint"
	// workloadFile lies in an artifact beside msb's own files: what a copy runs
	// unless it is told otherwise. msb keeps none of it.
	workloadFile = "rightsize.json"
	// unpublishedSuffix ends the name of a file beside an artifact that no name
	// stands for yet. It begins with a dot, like all files in that directory that
	// are no entries.
	unpublishedSuffix = ".unpublished"
)

// captured is the name of an artifact of ours.
var captured = regexp.MustCompile(`^` + artifactPrefix + `(.+)-[0-9a-f]{12}$`)

// snapshot is an artifact as it lies on the disk.
type snapshot struct {
	path string
	// ref is how registry entries name it.
	ref      string
	manifest msb.Manifest
	// size is what its disk takes.
	size int64
	// workload is nil if it was not captured by us.
	workload    *workload
	unpublished bool
}

// artifactsDir holds what we and the libraries capture, beside the registry's
// entries.
func (b *Backend) artifactsDir() string { return filepath.Join(b.cfg.CacheDir, "checkpoints") }

// homeSnapshotsDir is msb's own place, where older libraries and imports keep
// theirs. It is empty if nobody but msb knows its home.
func (b *Backend) homeSnapshotsDir() string {
	if b.home == "" {
		return ""
	}
	return filepath.Join(b.home, "snapshots")
}

// unpublished returns the mark of an artifact that no name stands for.
func unpublishedMark(path string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+unpublishedSuffix)
}

// errUnfinished is a directory in which msb has not finished a snapshot.
var errUnfinished = errors.New("it holds no whole snapshot")

// readSnapshot reads what is known of an artifact. Nothing in it is trusted: it
// may come from anywhere.
func readSnapshot(path string) (snapshot, error) {
	manifest, err := msb.ReadManifest(path)
	if err != nil {
		return snapshot{}, err
	}
	s := snapshot{path: path, ref: path, manifest: manifest}
	if manifest.UpperFile != filepath.Base(manifest.UpperFile) {
		return snapshot{}, fmt.Errorf("%s: its disk %q is not in it", path, manifest.UpperFile)
	}
	info, err := os.Lstat(filepath.Join(path, manifest.UpperFile))
	if err != nil {
		return snapshot{}, err
	}
	if !info.Mode().IsRegular() || info.Size() != manifest.UpperSize {
		return snapshot{}, fmt.Errorf("%s: %w: its disk has %d bytes instead of %d", path, errUnfinished, info.Size(), manifest.UpperSize)
	}
	s.size = allocated(info)
	_, err = os.Lstat(unpublishedMark(path))
	s.unpublished = err == nil
	s.readWorkload()
	return s, nil
}

// kept is the content of workloadFile.
type kept struct {
	Workload workload `json:"workload"`
	// SizeBytes is what the disk took when it was captured: it may be laid out
	// anew at any time.
	SizeBytes int64 `json:"sizeBytes"`
}

func (s *snapshot) readWorkload() {
	content, err := readBounded(filepath.Join(s.path, workloadFile), maxRecordSize)
	if err != nil {
		return
	}
	var k kept
	if json.Unmarshal(content, &k) != nil {
		return
	}
	s.workload = &k.Workload
	if k.SizeBytes > 0 {
		s.size = k.SizeBytes
	}
}

func (s *snapshot) artifact() backend.Artifact {
	a := backend.Artifact{ID: s.manifest.Digest, SizeBytes: s.size, CreatedAt: s.manifest.CreatedAt.UTC().Truncate(time.Millisecond)}
	if !s.unpublished {
		a.Ref = s.ref
	}
	return a
}

// snapshots returns every artifact that can be read, and the directories of ours
// that hold none.
func (b *Backend) snapshots() (all []snapshot, unfinished []string, err error) {
	paths, err := b.candidates()
	if err != nil {
		return nil, nil, err
	}
	for _, path := range paths {
		s, err := readSnapshot(path)
		switch {
		case err == nil:
			if filepath.Dir(path) == b.homeSnapshotsDir() {
				s.ref = filepath.Base(path)
			}
			all = append(all, s)
		case b.ours(path):
			unfinished = append(unfinished, path)
		}
	}
	return all, unfinished, nil
}

// candidates returns every directory that may hold an artifact. A link is none:
// what it leads to is somebody else's.
func (b *Backend) candidates() ([]string, error) {
	var paths []string
	for _, place := range []struct{ dir, prefix string }{{b.artifactsDir(), artifactPrefix}, {b.homeSnapshotsDir(), ""}} {
		if place.dir == "" {
			continue
		}
		entries, err := readDir(place.dir)
		if err != nil {
			return nil, err
		}
		for _, entry := range entries {
			if entry.IsDir() && strings.HasPrefix(entry.Name(), place.prefix) {
				paths = append(paths, filepath.Join(place.dir, entry.Name()))
			}
		}
	}
	return paths, nil
}

// ours says whether a path is one that a capture of ours may have made.
func (b *Backend) ours(path string) bool {
	return filepath.Dir(path) == b.artifactsDir() && captured.MatchString(filepath.Base(path))
}

func readDir(dir string) ([]fs.DirEntry, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return entries, err
}

// snapshot returns the artifact with this id.
func (b *Backend) snapshot(id string) (snapshot, error) {
	tried := "find artifact " + id
	all, _, err := b.snapshots()
	if err != nil {
		return snapshot{}, b.fail(tried, err)
	}
	for _, s := range all {
		if s.manifest.Digest == id {
			return s, nil
		}
	}
	return snapshot{}, &backend.Error{
		Kind: backend.ErrNotFound, Tried: tried,
		Cause: fmt.Errorf("it is neither in %s nor in %s", b.artifactsDir(), b.homeSnapshotsDir()),
	}
}

// restorable returns the artifact that a container is made from. It may lie in
// another cache directory, which its ref says then.
func (b *Backend) restorable(from backend.Artifact) (snapshot, error) {
	found, err := b.snapshot(from.ID)
	if err == nil || !errors.Is(err, backend.ErrNotFound) || !filepath.IsAbs(from.Ref) {
		return found, err
	}
	elsewhere, readErr := readSnapshot(filepath.Clean(from.Ref))
	if readErr != nil || elsewhere.manifest.Digest != from.ID {
		return snapshot{}, err
	}
	return elsewhere, nil
}

// verifyIntegrity has msb compare an artifact's disk with the digest that was
// taken of it, if one was.
func (b *Backend) verifyIntegrity(ctx context.Context, s snapshot) error {
	if !s.manifest.Integrity {
		return nil
	}
	client, err := b.msb(ctx)
	if err != nil {
		return err
	}
	return b.fail("verify artifact "+s.path, client.VerifySnapshot(ctx, s.path))
}
