package faults

import (
	"fmt"
	"os"
	"strings"
	"time"
)

// kind is a backend as the tests see it beside Terraform.
type kind interface {
	// provider returns arguments of the provider block.
	provider(s *stack) string
	// rows returns what /srv/rows of a running container holds, or what keeps it
	// from being read.
	rows(s *stack, container string) string
	// restoredRows returns what it holds in a copy of the stack's checkpoint,
	// which is made from the entry as a library would do it.
	restoredRows(s *stack) string
	// remains describes everything that there is of the stack's.
	remains(s *stack) []string
	// sweep removes everything of the stack's, so that a test that failed costs
	// the next ones nothing.
	sweep(s *stack)
	// patience is how long a user who pressed Ctrl-C once waits at most.
	patience() time.Duration
	// limit is far beyond what any run of Terraform takes: one that hangs is a
	// failure.
	limit() time.Duration
}

// onDocker is the backend docker, on the stack's engine.
type onDocker struct{}

func (onDocker) provider(s *stack) string {
	return fmt.Sprintf("backend = \"docker\"\n  docker  = { host = %q }", s.host)
}

func (onDocker) rows(s *stack, container string) string {
	rows, err := s.engine.tryDocker("exec", container, "cat", "/srv/rows")
	if err != nil {
		return err.Error()
	}
	return rows
}

func (onDocker) restoredRows(s *stack) string {
	entry, err := os.ReadFile(s.entryPath(s.name + "-orders"))
	if err != nil {
		return err.Error()
	}
	ref := "rightsize/checkpoint:" + s.name + "-orders"
	if !strings.Contains(string(entry), `"ref":"`+ref+`"`) {
		return string(entry)
	}
	rows, err := s.engine.tryDocker("run", "--rm", "--entrypoint", "cat", ref, "/srv/rows")
	if err != nil {
		return err.Error()
	}
	return rows
}

func (onDocker) remains(s *stack) []string {
	var left []string
	add := func(what string, ids []string) {
		for _, id := range ids {
			left = append(left, what+" "+id)
		}
	}
	add("container", s.containers())
	add("network", s.networks())
	add("tag", s.engine.lines(s.t, "images", "--format", "{{.Repository}}:{{.Tag}}", "--filter", "reference=rightsize/checkpoint:"+s.name+"*"))
	add("artifact", s.artifacts())
	add("copy of the image", s.copies())
	add("volume", s.volumes())
	add("file", s.cached())
	return left
}

func (onDocker) sweep(s *stack) {
	force := func(args []string, ids []string) {
		if len(ids) > 0 {
			_, _ = s.engine.tryDocker(append(args, ids...)...)
		}
	}
	force([]string{"rm", "-f", "-v"}, s.containers())
	force([]string{"network", "rm"}, s.networks())
	force([]string{"rmi", "-f"}, s.artifacts())
	force([]string{"rmi", "-f"}, s.copies())
	force([]string{"rmi", "-f"}, []string{s.image})
	force([]string{"volume", "rm", "-f"}, s.volumes())
}

func (onDocker) patience() time.Duration { return 10 * time.Second }

func (onDocker) limit() time.Duration { return 3 * time.Minute }
