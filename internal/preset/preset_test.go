package preset_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rightsize/terraform-provider-rightsize/internal/preset"
)

// initialising is an environment with which every image initialises its data on
// a server of its own, if it does that at all.
var initialising = map[string]string{"MONGO_INITDB_ROOT_USERNAME": "root", "MONGO_INITDB_ROOT_PASSWORD": "x"}

// TestReadyLine reads what servers log: testdata/<name>/boot.log is from the first
// boot of an image, again.log from a start on data that is there, both up to the
// line that counts. Nothing before that line may pass for it.
func TestReadyLine(t *testing.T) {
	t.Parallel()
	for _, p := range preset.All() {
		if p.Ready.Line == "" {
			continue
		}
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			boot, err := os.ReadFile(filepath.Join("testdata", p.Name, "boot.log"))
			if err != nil {
				t.Fatal(err)
			}
			expectReadyAtTheEnd(t, p, true, string(boot))
			again, err := os.ReadFile(filepath.Join("testdata", p.Name, "again.log"))
			if os.IsNotExist(err) {
				again = boot // The server logs the same.
			} else if err != nil {
				t.Fatal(err)
			}
			expectReadyAtTheEnd(t, p, false, string(again))
		})
	}
}

// An image that finds data in place where its first boot puts it, such as one that
// a seeded container was committed to, is ready as well.
func TestReadyLineOfAnImageWithData(t *testing.T) {
	t.Parallel()
	p, _ := preset.ByName("postgres")
	again, err := os.ReadFile(filepath.Join("testdata", p.Name, "again.log"))
	if err != nil {
		t.Fatal(err)
	}
	expectReadyAtTheEnd(t, p, true, string(again))
}

func expectReadyAtTheEnd(t *testing.T, p preset.Preset, boot bool, log string) {
	t.Helper()
	line, times := p.Ready.Lines(boot, initialising)
	pattern := regexp.MustCompile(line)
	lines := strings.Split(strings.TrimRight(log, "\n"), "\n")
	seen := 0
	for i, text := range lines {
		if !pattern.MatchString(text) {
			continue
		}
		if seen++; seen == times && i < len(lines)-1 {
			t.Errorf("boot %t: ready at line %d of %d already: %s", boot, i+1, len(lines), text)
		}
	}
	if seen != times {
		t.Errorf("boot %t: %d of %d lines match %q", boot, seen, times, line)
	}
}

// Without an account to make, the image of MongoDB starts one server only.
func TestReadyLineDependsOnTheEnvironment(t *testing.T) {
	t.Parallel()
	p, _ := preset.ByName("mongodb")
	for name, tc := range map[string]struct {
		env  map[string]string
		want int
	}{
		"nothing to initialise":     {nil, 1},
		"a user without a password": {map[string]string{"MONGO_INITDB_ROOT_USERNAME": "root"}, 1},
		"an account":                {initialising, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, got := p.Ready.Lines(true, tc.env); got != tc.want {
				t.Errorf("waits for %d lines, want %d", got, tc.want)
			}
		})
	}
}

// TestTableIsComplete fails for a row that a reader of the table could not use.
func TestTableIsComplete(t *testing.T) {
	t.Parallel()
	want := []string{
		"postgres", "mysql", "mariadb", "redis", "valkey", "mongodb", "rabbitmq", "kafka", "redpanda", "minio", "elasticsearch",
	}
	if got := preset.Names(); !slices.Equal(got, want) {
		t.Errorf("the presets are %v, want %v", got, want)
	}
	for _, p := range preset.All() {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			if p.Port == 0 || len(p.Images) == 0 {
				t.Errorf("port %d, images %v", p.Port, p.Images)
			}
			if (p.Ready.Line == "") == (p.Ready.Path == "") {
				t.Errorf("one of line %q and path %q must be set", p.Ready.Line, p.Ready.Path)
			}
			if found, ok := preset.ByName(p.Name); !ok || found.Name != p.Name {
				t.Errorf("found %+v", found)
			}
		})
	}
	if p, ok := preset.ByName("oracle"); ok {
		t.Errorf("found %+v", p)
	}
}
