package faults

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// commandConfig is a container that a command fills; what takes that back does
// it no harm.
func (s *stack) commandConfig(rows string) string {
	return s.webConfig("one", "of the container") + fmt.Sprintf(`
resource "rightsize_exec" "rows" {
  container_id = rightsize_container.web.container_id
  command      = ["sh", "-c", "echo %s > /srv/rows"]
  on_destroy   = { command = ["touch", "/srv/taken-back"] }
}
`, rows)
}

// copyConfig is a container whose files are copied to this host.
func (s *stack) copyConfig(rows string) string {
	return s.webConfig("one", rows) + fmt.Sprintf(`
resource "rightsize_file_copy" "srv" {
  container_id = rightsize_container.web.container_id
  path         = "/srv"
  destination  = %q
}
`, s.copyPath())
}

func (s *stack) copyPath() string { return filepath.Join(s.dir, "out", "srv") }

// wantCopy looks at a copy, and that there is nothing beside it.
func (s *stack) wantCopy(want string) {
	s.t.Helper()
	if rows, err := os.ReadFile(filepath.Join(s.copyPath(), "rows")); err != nil || strings.TrimSpace(string(rows)) != want {
		s.t.Errorf("the copy holds %q (%v), want %q", rows, err, want)
	}
	if beside, err := os.ReadDir(filepath.Dir(s.copyPath())); err != nil || len(beside) != 1 {
		s.t.Errorf("the directory of the copy holds %v (%v)", beside, err)
	}
}
