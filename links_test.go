package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	linked   = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading  = regexp.MustCompile(`(?m)^#+ (.+)$`)
	anchored = regexp.MustCompile(`<a id="([^"]+)">`)
	fenced   = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
	unlinked = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// Whoever reads the docs in the repository, where they are before there is a
// registry, can follow each link: to a file by its name, and to a heading that is
// in it.
func TestLinks(t *testing.T) {
	t.Parallel()
	const repository = "https://github.com/rightsize/terraform-provider-rightsize/tree/main/"
	count := 0
	for file, text := range pages(t) {
		for _, match := range linked.FindAllStringSubmatch(text, -1) {
			target, dir := match[1], filepath.Dir(file)
			if in, ok := strings.CutPrefix(target, repository); ok {
				target, dir = in, "."
			}
			if strings.Contains(target, "://") {
				continue
			}
			count++
			name, anchor, _ := strings.Cut(target, "#")
			to := file
			if name != "" {
				to = filepath.Join(dir, name)
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s: nothing is at %s", file, match[1])
			} else if anchor != "" && !anchors(t, to)[anchor] {
				t.Errorf("%s: no heading is at %s", file, match[1])
			}
		}
	}
	if count < 50 {
		t.Errorf("only %d links were found", count)
	}
}

// Each whole stack is in the table of them.
func TestExamplesAreListed(t *testing.T) {
	t.Parallel()
	table := read(t, filepath.Join("examples", "README.md"))
	stacks, err := filepath.Glob(filepath.Join("examples", "*", "README.md"))
	if err != nil || len(stacks) == 0 {
		t.Fatalf("stacks: %v, %v", stacks, err)
	}
	for _, stack := range stacks {
		if name := filepath.Base(filepath.Dir(stack)); !strings.Contains(table, "["+name+"]("+name+")") {
			t.Errorf("examples/README.md does not lead to %s", name)
		}
	}
}

// pages returns the pages that people read, by their paths.
func pages(t *testing.T) map[string]string {
	t.Helper()
	found := make(map[string]string)
	for _, root := range []string{"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "DESIGN.md", "docs", "examples"} {
		err := filepath.WalkDir(root, func(file string, _ fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(file) != ".md" {
				return err
			}
			found[file] = read(t, file)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return found
}

// anchors returns what a link to a part of the page may name.
func anchors(t *testing.T, file string) map[string]bool {
	t.Helper()
	found, text := make(map[string]bool), read(t, file)
	for _, match := range heading.FindAllStringSubmatch(text, -1) {
		found[strings.ReplaceAll(unlinked.ReplaceAllString(strings.ToLower(match[1]), ""), " ", "-")] = true
	}
	for _, match := range anchored.FindAllStringSubmatch(text, -1) {
		found[match[1]] = true
	}
	return found
}

// read returns a page without its code.
func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return fenced.ReplaceAllString(string(text), "")
}
