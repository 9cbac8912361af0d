package faults

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// nothingLeft checks that nothing is left of what the stack and its siblings
// made: no container, network, volume, image, tag, registry entry, lock or temporary
// file.
func (s *stack) nothingLeft() {
	s.t.Helper()
	for _, left := range s.kind.remains(s) {
		leftovers.Add(1)
		s.t.Errorf("%s is left", left)
	}
}

// containers returns the names of the stack's containers, those that seed
// included.
func (s *stack) containers() []string {
	s.t.Helper()
	return s.engine.lines(s.t, "ps", "-a", "--format", "{{.Names}}", "--filter", "name="+s.name)
}

// networks returns the names of the stack's networks.
func (s *stack) networks() []string {
	s.t.Helper()
	return s.engine.lines(s.t, "network", "ls", "--format", "{{.Name}}", "--filter", "name="+s.name)
}

// artifacts returns the ids of the images that were captured under one of the
// stack's names, with a tag or without.
func (s *stack) artifacts() []string {
	s.t.Helper()
	return s.labelled("dev.rightsize.checkpoint", func(value string) bool { return strings.HasPrefix(value, s.name) })
}

// copies returns the ids of the copies without volumes of the stack's image.
func (s *stack) copies() []string {
	s.t.Helper()
	source, err := s.engine.tryDocker("image", "inspect", "--format", "{{.Id}}", s.image)
	if err != nil {
		return nil
	}
	return s.labelled("dev.rightsize.base-of", func(value string) bool { return value == source })
}

// labelled returns the ids of the images whose label has a value that matches.
func (s *stack) labelled(label string, match func(value string) bool) []string {
	s.t.Helper()
	var ids []string
	for _, id := range s.imagesWith(label) {
		value, err := s.engine.tryDocker("image", "inspect", "--format", `{{index .Config.Labels "`+label+`"}}`, id)
		// An image of another test may be gone by now.
		if err == nil && match(value) {
			ids = append(ids, id)
		}
	}
	return ids
}

// imagesWith returns the ids of the images that have a label. A list fails on
// the containerd store if another test removes an image while it is made.
func (s *stack) imagesWith(label string) []string {
	s.t.Helper()
	args := []string{"images", "-q", "--no-trunc", "--filter", "label=" + label}
	for range 10 {
		if out, err := s.engine.tryDocker(args...); err == nil {
			return strings.Fields(out)
		}
	}
	return s.engine.lines(s.t, args...)
}

// volumes returns the volumes that were made of the stack's image. The engine
// does not record what a volume was made for, but it fills one from the image.
func (s *stack) volumes() []string {
	s.t.Helper()
	root := filepath.Join(s.engine.docker(s.t, "info", "--format", "{{.DockerRootDir}}"), "volumes")
	volumes, err := os.ReadDir(root)
	if err != nil {
		s.t.Fatalf("these tests look into the engine's volumes: %v", err)
	}
	var ours []string
	for _, v := range volumes {
		if _, err := os.Stat(filepath.Join(root, v.Name(), "_data", s.name)); err == nil {
			ours = append(ours, v.Name())
		}
	}
	return ours
}

// cached returns the files in the cache directory.
func (s *stack) cached() []string {
	s.t.Helper()
	var files []string
	err := filepath.WalkDir(s.cacheDir, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil && !d.IsDir() {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return files
}
