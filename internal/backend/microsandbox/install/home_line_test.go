package install_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/install"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/preflight"
)

// What the databases of homes have in them that 0.6.18 and 0.7.2 have used.
const (
	applied06 = "CREATE TABLE seaql_migrations\x00m20260818_000001_sandbox_network_slot\x00m20260824_000001_mount_owner_config"
	applied07 = applied06 + "\x00m20260829_000001_split_snapshot_identity\x00m20260910_000001_snapshot_groups"
)

// homeOf is a home with these files of a database.
func homeOf(t *testing.T, files map[string]string) string {
	t.Helper()
	home := t.TempDir()
	if err := os.Mkdir(filepath.Join(home, "db"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(home, "db", name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return home
}

// tells is a script that answers like an msb of a version, and notes in a file
// that it was asked for more than that.
func tells(version, touched string) string {
	return "#!/bin/sh\n[ \"$1\" = --version ] && echo msb " + version + " && exit\n: >" + touched + "\n"
}

func TestHomeOfAnotherLine(t *testing.T) {
	t.Parallel()
	pages := strings.Repeat("SQLite format 3\x00", 1<<13)
	// Across the border of two reads.
	across := strings.Repeat("x", 1<<16-20) + applied07
	tests := map[string]struct {
		files   map[string]string
		version string
		says    string
	}{
		"a new home":             {nil, "0.7.2", ""},
		"a new home of 0.6":      {nil, "0.6.18", ""},
		"0.6 in its own":         {map[string]string{"msb.db": pages + applied06}, "0.6.18", ""},
		"0.7 in its own":         {map[string]string{"msb.db": pages + applied07}, "0.7.2", ""},
		"0.7 in one of 0.6":      {map[string]string{"msb.db": pages + applied06, "msb.db-wal": ""}, "0.7.2", "belongs to msb 0.6"},
		"0.6 in one of 0.7":      {map[string]string{"msb.db": pages + applied07}, "0.6.18", "belongs to msb 0.7"},
		"written a moment ago":   {map[string]string{"msb.db": pages + applied06, "msb.db-wal": pages + applied07}, "0.6.18", "belongs to msb 0.7"},
		"across two reads":       {map[string]string{"msb.db": across}, "0.6.18", "belongs to msb 0.7"},
		"a database that is new": {map[string]string{"msb.db": ""}, "0.7.2", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			touched := filepath.Join(t.TempDir(), "touched")
			c := offline(t)
			c.Home = homeOf(t, test.files)
			c.Path = program(t, tells(test.version, touched))
			_, err := install.NewFinder(c).Find(t.Context())
			if test.says == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			unmet := expectUnmet(t, err, preflight.Home, test.says, "home of its own")
			if strings.Contains(unmet.Remedy, "ls\" once") != (test.version == "0.7.2") {
				t.Errorf("the remedy is %q", unmet.Remedy)
			}
			if _, err := os.Stat(touched); err == nil {
				t.Error("it was used nevertheless")
			}
		})
	}
}

func TestHomeThatCannotBeTold(t *testing.T) {
	t.Parallel()
	c := offline(t)
	c.Home = homeOf(t, nil)
	if err := os.Mkdir(filepath.Join(c.Home, "db", "msb.db"), 0o700); err != nil {
		t.Fatal(err)
	}
	c.Path = program(t, script(release))
	_, err := install.NewFinder(c).Find(t.Context())
	_ = expectUnmet(t, err, preflight.Home, "msb.db is not a regular file", "Make it readable")
}
