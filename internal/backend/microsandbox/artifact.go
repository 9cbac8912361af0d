package microsandbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/msb"
)

// Publish takes the artifact's mark away. Its path is its ref: each artifact has
// one of its own, so that the name moves with the registry's entry and with
// nothing else.
func (b *Backend) Publish(_ context.Context, _ string, artifact backend.Artifact) (string, error) {
	s, err := b.snapshot(artifact.ID)
	if err != nil {
		return "", err
	}
	if err := os.Remove(unpublishedMark(s.dir())); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", b.fail("publish artifact "+s.path, err)
	}
	return s.ref, nil
}

// RemoveArtifact deletes a snapshot, also one whose disk is damaged. Containers
// that were made from it have disks of their own.
func (b *Backend) RemoveArtifact(ctx context.Context, id string) error {
	dirs, err := b.candidates()
	if err != nil {
		return b.fail("remove artifact "+id, err)
	}
	for _, dir := range dirs {
		for _, path := range msb.SnapshotsIn(dir) {
			if manifest, err := msb.ReadManifest(path); err != nil || manifest.Digest != id {
				continue
			}
			if err := b.removeSnapshot(ctx, path); err != nil {
				return err
			}
		}
	}
	return nil
}

// removeCapture deletes what a capture of ours has made in a directory of its
// own, whole or not, with what msb knows of it and with its mark.
func (b *Backend) removeCapture(ctx context.Context, dir string) error {
	tried := "remove artifact " + dir
	if !b.ours(dir) {
		return b.fail(tried, fmt.Errorf("it is not one in %s", b.artifactsDir()))
	}
	// If the removal is interrupted, Collect finds what is left by its mark. On
	// a disk that is full there is none, and nothing but that is lost.
	_ = os.WriteFile(unpublishedMark(dir), nil, 0o600)
	for _, path := range msb.SnapshotsIn(dir) {
		if err := b.forgetSnapshot(ctx, path); err != nil {
			return b.fail(tried, err)
		}
	}
	for _, left := range []string{dir, stagingOf(dir)} {
		if err := os.RemoveAll(left); err != nil {
			return b.fail(tried, err)
		}
	}
	if err := os.Remove(unpublishedMark(dir)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return b.fail(tried, err)
	}
	return nil
}

// removeSnapshot deletes one snapshot in one of the two places. What a capture of
// ours has made goes whole; else the snapshot alone.
func (b *Backend) removeSnapshot(ctx context.Context, path string) error {
	tried := "remove artifact " + path
	within := false
	for dir := path; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if b.ours(dir) {
			return b.removeCapture(ctx, dir)
		}
		parent := filepath.Dir(dir)
		within = within || parent == b.artifactsDir() || parent == b.homeSnapshotsDir()
	}
	if !within {
		return b.fail(tried, fmt.Errorf("it is neither in %s nor in %s", b.artifactsDir(), b.homeSnapshotsDir()))
	}
	if err := b.forgetSnapshot(ctx, path); err != nil {
		return b.fail(tried, err)
	}
	return b.fail(tried, os.RemoveAll(path))
}

// forgetSnapshot has msb remove a snapshot that it knows.
func (b *Backend) forgetSnapshot(ctx context.Context, path string) error {
	client, err := b.msb(ctx)
	if err != nil {
		return err
	}
	return client.ForgetSnapshot(ctx, path)
}

// Collect deletes what earlier captures under the name have left: artifacts that
// were never published, and older ones than keep, if keep is what the name
// stands for.
func (b *Backend) Collect(ctx context.Context, name, keep string) error {
	tried := "list what earlier captures of " + name + " left behind"
	all, unfinished, err := b.snapshots()
	if err != nil {
		return b.fail(tried, err)
	}
	used, err := b.usedArtifacts()
	if err != nil {
		return b.fail(tried, err)
	}
	current := slices.IndexFunc(all, func(s snapshot) bool { return s.manifest.Digest == keep && !s.unpublished })
	for _, s := range all {
		superseded := current >= 0 && s.manifest.CreatedAt.Before(all[current].manifest.CreatedAt)
		if s.capturedFor() != name || s.manifest.Digest == keep || used[s.manifest.Digest] || !s.unpublished && !superseded {
			continue
		}
		if err := b.removeSnapshot(ctx, s.path); err != nil {
			return err
		}
	}
	for _, path := range unfinished {
		if checkpoint := captured.FindStringSubmatch(filepath.Base(path)); checkpoint == nil || checkpoint[1] != name {
			continue
		}
		// A whole one of somebody else's that cannot be read bears no mark.
		if _, err := os.Lstat(unpublishedMark(path)); err != nil {
			continue
		}
		if err := b.removeCapture(ctx, path); err != nil {
			return err
		}
	}
	return b.collectMarks(ctx, name)
}

// stagingOf is where msb makes a snapshot before it is whole.
func stagingOf(path string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".staging")
}

// collectMarks removes the marks whose artifact is gone, or was never finished.
func (b *Backend) collectMarks(ctx context.Context, name string) error {
	entries, err := readDir(b.artifactsDir())
	if err != nil {
		return b.fail("list "+b.artifactsDir(), err)
	}
	for _, entry := range entries {
		artifact, isMark := strings.CutSuffix(strings.TrimPrefix(entry.Name(), "."), unpublishedSuffix)
		checkpoint := captured.FindStringSubmatch(artifact)
		if !isMark || checkpoint == nil || checkpoint[1] != name {
			continue
		}
		if _, err := os.Lstat(filepath.Join(b.artifactsDir(), artifact)); !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := b.removeCapture(ctx, filepath.Join(b.artifactsDir(), artifact)); err != nil {
			return err
		}
	}
	return nil
}

// capturedFor returns the name of the checkpoint that one of ours was captured
// for. Its label says so: the name of a directory may be somebody else's.
func (s *snapshot) capturedFor() string {
	if !captured.MatchString(filepath.Base(s.dir())) {
		return ""
	}
	return s.manifest.Labels[labelCheckpoint]
}

// usedArtifacts returns the artifacts that containers were made from.
func (b *Backend) usedArtifacts() (map[string]bool, error) {
	all, damaged, err := b.records.all()
	if err = errors.Join(err, damaged); err != nil {
		// What it was made from is not known: it may be anything.
		return nil, err
	}
	used := make(map[string]bool, len(all))
	for _, rec := range all {
		used[rec.ImageID] = true
	}
	return used, nil
}

// Artifact returns the artifact that ref stands for: a path, or the name or
// digest of one in msb's own place, which older libraries have written.
func (b *Backend) Artifact(ctx context.Context, ref string) (backend.Artifact, error) {
	all, err := b.ListArtifacts(ctx)
	if err != nil {
		return backend.Artifact{}, err
	}
	for _, a := range all {
		// A digest is a ref of older libraries, wherever the artifact is.
		if a.Ref == ref || a.ID == ref {
			a.Ref = ref
			return a, nil
		}
	}
	if filepath.IsAbs(ref) {
		// Another cache directory's, or another user's.
		s, err := readSnapshot(filepath.Clean(ref))
		if err == nil && !s.unpublished {
			artifact := s.artifact()
			artifact.Ref = ref
			return artifact, nil
		}
	}
	return backend.Artifact{}, &backend.Error{
		Kind: backend.ErrNotFound, Tried: "find artifact " + ref, Cause: errors.New("there is no whole snapshot"),
	}
}

// ListArtifacts returns an artifact for every ref that stands for one.
func (b *Backend) ListArtifacts(context.Context) ([]backend.Artifact, error) {
	all, _, err := b.snapshots()
	if err != nil {
		return nil, b.fail("list artifacts", err)
	}
	var artifacts []backend.Artifact
	for _, s := range all {
		if s.unpublished {
			continue
		}
		artifacts = append(artifacts, s.artifact())
		if s.ref != s.path {
			byDigest := s.artifact()
			byDigest.Ref = s.manifest.Digest
			artifacts = append(artifacts, byDigest)
		}
	}
	slices.SortFunc(artifacts, func(a, b backend.Artifact) int { return cmp.Compare(a.Ref, b.Ref) })
	return artifacts, nil
}
