package msbtest_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/msbtest"
)

// TestSamplesAreWhole would find a sample that somebody added by half, or with
// a path of the machine it was captured on.
func TestSamplesAreWhole(t *testing.T) {
	t.Parallel()
	samples := 0
	tree, err := filepath.Abs(filepath.Join("..", "..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	captured := filepath.ToSlash(tree) + "/"
	err = filepath.WalkDir("testdata", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if strings.Contains(string(data), captured) || strings.Contains(string(data), "/root/") {
			t.Errorf("%s names a path of the machine it was captured on", path)
		}
		name, isSample := strings.CutSuffix(path, ".argv")
		if !isSample {
			return nil
		}
		samples++
		sample := msbtest.Load(filepath.ToSlash(strings.TrimPrefix(name, "testdata"+string(filepath.Separator))))
		if !strings.HasPrefix(sample.CommandLine, "msb ") {
			t.Errorf("%s is no call of msb: %s", name, sample.CommandLine)
		}
		return nil
	})
	if err != nil || samples == 0 {
		t.Errorf("there are %d samples (%v)", samples, err)
	}
}
