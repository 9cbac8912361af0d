package install

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/msb"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/preflight"
)

// migration07 is in the database of a home from the first call of msb 0.7 on that
// is more than a question for its version. It is the name of a change of the
// tables, which 0.6 has not, and after which 0.6 cannot use the home (0.7.2).
const migration07 = "m20260829_000001_split_snapshot_identity"

// migrations is the name of the table of those names, which every line has.
const migrations = "seaql_migrations"

// settling is how long an msb may take to make the database of a new home, which
// looks like that of an older line until it is whole.
const settling = time.Second

// databases are the files of msb's database: what was written last is in the
// second one until SQLite moves it.
var databases = []string{"msb.db", "msb.db-wal"}

// homeLine returns the line of msb that has used a home, 0.6 or 0.7; empty if none
// has. It reads what the database has in it as text.
func homeLine(home string) (string, error) {
	for _, sign := range []struct{ text, line string }{{migration07, "0.7"}, {migrations, "0.6"}} {
		for _, name := range databases {
			found, err := holds(filepath.Join(home, "db", name), sign.text)
			if err != nil {
				return "", err
			}
			if found {
				return sign.line, nil
			}
		}
	}
	return "", nil
}

// holds says whether a text is somewhere in a file. In one that is not there it
// is not.
func holds(path, text string) (bool, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if !info.Mode().IsRegular() {
		return false, fmt.Errorf("%s is not a regular file", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer file.Close()
	buffer := make([]byte, 1<<16)
	kept := 0 // of the part before, in which the text may begin
	for {
		n, err := file.Read(buffer[kept:])
		if bytes.Contains(buffer[:kept+n], []byte(text)) {
			return true, nil
		}
		if errors.Is(err, io.EOF) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		end := kept + n
		kept = min(end, len(text)-1)
		copy(buffer, buffer[end-kept:end])
	}
}

// fits returns why an msb of this version must not touch the home; nil if it may.
func (f *Finder) fits(ctx context.Context, path string, version msb.Version) *preflight.Unmet {
	if f.config.Home == "" {
		return nil
	}
	own := fmt.Sprintf("%d.%d", version.Major, version.Minor)
	line, err := homeLine(f.config.Home)
	if err == nil && line == "0.6" && line != own {
		select {
		case <-time.After(settling):
		case <-ctx.Done():
		}
		line, err = homeLine(f.config.Home)
	}
	if err != nil {
		return &preflight.Unmet{
			Precondition: preflight.Home,
			Missing:      fmt.Sprintf("which msb has used the home %s cannot be told: %v", f.config.Home, err),
			Remedy:       fmt.Sprintf("Make it readable, or set the provider's microsandbox.home, or %s, to another directory.", HomeEnv),
			Cause:        err,
		}
	}
	if line == "" || line == own {
		return nil
	}
	unmet := &preflight.Unmet{
		Precondition: preflight.Home,
		Missing:      fmt.Sprintf("the home %s belongs to msb %s, and %s is %s", f.config.Home, line, path, version),
		Remedy:       fmt.Sprintf("Give msb %s a home of its own with the provider's microsandbox.home or %s, or use an msb %s.", own, HomeEnv, line),
		Cause:        fmt.Errorf("msb %s has used it", line),
	}
	if line == "0.6" {
		unmet.Missing += ", one call of which makes it unusable for " + line
		unmet.Remedy += fmt.Sprintf(" If nothing needs %s there any more, run %q once: checkpoints are kept.", line, path+" ls")
	}
	return unmet
}
