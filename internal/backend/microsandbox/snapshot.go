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
	// keptFile lies beside msb's own files in an artifact that 0.6 has made: what
	// a copy runs unless it is told otherwise. msb keeps none of it.
	keptFile = "rightsize.json"
	// labelKept holds the same in one that 0.7 has made, where a label may be
	// secret and stays with the snapshot in archives, too.
	labelKept = "dev.rightsize.kept"
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
	// kept is nil if it was not captured by us.
	kept        *kept
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
	for _, disk := range manifest.Disks {
		info, err := os.Lstat(filepath.Join(path, filepath.FromSlash(disk.File)))
		if err != nil {
			return snapshot{}, err
		}
		if !info.Mode().IsRegular() || disk.Size > 0 && info.Size() != disk.Size {
			return snapshot{}, fmt.Errorf("%s: %w: %s of its disk has %d bytes instead of %d", path, errUnfinished, disk.File, info.Size(), disk.Size)
		}
		s.size += allocated(info)
	}
	_, err = os.Lstat(unpublishedMark(s.dir()))
	s.unpublished = err == nil
	s.readKept()
	return s, nil
}

// dir is the directory that a capture makes for an artifact: its own, or the one
// with the group whose one member it is (0.7).
func (s *snapshot) dir() string { return artifactDir(s.path, s.manifest) }

func artifactDir(path string, manifest msb.Manifest) string {
	if manifest.ID == "" {
		return path
	}
	group := filepath.Dir(path)
	if dir := filepath.Dir(group); captured.MatchString(filepath.Base(dir)) {
		return dir
	}
	return group
}

// kept is what a capture writes down beside the snapshot.
type kept struct {
	Workload workload `json:"workload"`
	// SizeBytes is what it took when it was captured: it may be laid out anew at
	// any time.
	SizeBytes int64 `json:"sizeBytes"`
	// PauseUS is how long the container stood still for it, in microseconds.
	PauseUS int64 `json:"pauseUs,omitempty"`
	// Run is the run of the workload that goes on in copies, if its memory was
	// captured.
	Run *capturedRun `json:"run,omitempty"`
}

// runID is what the ids of runs look like.
var runID = regexp.MustCompile(`^[0-9a-f]{12}$`)

func (s *snapshot) readKept() {
	content := []byte(s.manifest.Labels[labelKept])
	if s.manifest.ID == "" {
		var err error
		if content, err = readBounded(filepath.Join(s.path, keptFile), maxRecordSize); err != nil {
			return
		}
	}
	var k kept
	if json.Unmarshal(content, &k) != nil {
		return
	}
	if k.Run != nil && (!runID.MatchString(k.Run.ID) || k.Run.PID <= 0) {
		k.Run = nil
	}
	s.kept = &k
	if k.SizeBytes > 0 {
		s.size = k.SizeBytes
	}
}

func (s *snapshot) artifact() backend.Artifact {
	a := backend.Artifact{ID: s.manifest.Digest, SizeBytes: s.size, CreatedAt: s.manifest.CreatedAt.UTC().Truncate(time.Millisecond)}
	if !s.unpublished {
		a.Ref = s.ref
	}
	if s.kept != nil {
		a.Pause = time.Duration(max(0, s.kept.PauseUS)) * time.Microsecond
	}
	if memory := s.manifest.Memory; memory != nil {
		a.Memory = &backend.Memory{MemoryMB: memory.MB, CPUs: float64(memory.CPUs), Engine: s.manifest.Line}
	}
	return a
}

// snapshots returns every artifact that can be read, and the directories of ours
// that hold none.
func (b *Backend) snapshots() (all []snapshot, unfinished []string, err error) {
	dirs, err := b.candidates()
	if err != nil {
		return nil, nil, err
	}
	for _, dir := range dirs {
		whole := 0
		for _, path := range msb.SnapshotsIn(dir) {
			s, err := readSnapshot(path)
			if err != nil {
				continue
			}
			// The names of those that 0.6 has made are refs of older libraries.
			if filepath.Dir(path) == b.homeSnapshotsDir() {
				s.ref = filepath.Base(path)
			}
			all = append(all, s)
			whole++
		}
		if whole == 0 && b.ours(dir) {
			unfinished = append(unfinished, dir)
		}
	}
	return all, unfinished, nil
}

// candidates returns every directory that may be an artifact, or a group of them.
// A link is none: what it leads to is somebody else's.
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
