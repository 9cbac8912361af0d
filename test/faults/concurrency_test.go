package faults

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestManyCheckpointsOfOneImage captures from one image at once, which the
// containerd store by itself does not stand.
func TestManyCheckpointsOfOneImage(t *testing.T) {
	onEachEngine(t, func(t *testing.T, e engine) {
		t.Parallel()
		many := 20
		if reduced() {
			many = 6
		}
		s := newStack(t, e)
		s.write(fmt.Sprintf(`
resource "rightsize_checkpoint" "it" {
  for_each = toset([for i in range(%d) : tostring(i)])
  name     = "%s-${each.key}"
  seed = {
    image       = %q
    pull_policy = "never"
    exec        = [{ command = ["sh", "-c", "echo $DATA > /srv/data"], env = { DATA = each.key } }]
  }
}
`, many, s.name, s.image))
		if r := s.apply("-parallelism=20"); r.code != 0 {
			t.Fatalf("apply failed:\n%s", r.output)
		}
		s.mustPlanNothing()
		for i := range many {
			want := fmt.Sprint(i)
			if got := s.restoredAs(t, s.name+"-"+want); got != want {
				t.Errorf("checkpoint %d holds %q", i, got)
			}
		}
		if got := len(s.artifacts()); got != many {
			t.Errorf("there are %d artifacts, want %d", got, many)
		}
		if r := s.destroy("-parallelism=20"); r.code != 0 {
			t.Fatalf("destroy failed:\n%s", r.output)
		}
		s.nothingLeft()
	})
}

// TestProcessesCaptureOneName lets several Terraforms capture the same name at
// once. Whoever reads meanwhile finds a whole entry, and behind it an artifact.
func TestProcessesCaptureOneName(t *testing.T) {
	onEachEngine(t, func(t *testing.T, e engine) {
		t.Parallel()
		if reduced() && e != defaultEngine() {
			return
		}
		s := newStack(t, e)
		writers := make([]*stack, 8)
		for i := range writers {
			writers[i] = s.sibling()
			writers[i].write(fmt.Sprintf(`
resource "rightsize_checkpoint" "it" {
  name = %q
  seed = {
    image       = %q
    pull_policy = "never"
    exec        = [{ command = ["sh", "-c", "echo %d > /srv/data"] }]
  }
}
output "artifact" { value = rightsize_checkpoint.it.artifact_id }
`, s.name, s.image, i))
		}

		ctx, stop := context.WithCancel(t.Context())
		var readers sync.WaitGroup
		readers.Go(func() { s.pollEntry(ctx, t) })
		readers.Go(func() { s.pollArtifact(ctx, t) })
		together(writers, func(w *stack) {
			if r := w.apply(); r.code != 0 {
				t.Errorf("a writer failed:\n%s", r.output)
			}
		})
		stop()
		readers.Wait()
		if t.Failed() {
			return
		}

		registered := s.artifactID(t, s.registered(t))
		winner := -1
		for i, w := range writers {
			if w.output("artifact") == registered {
				winner = i
			}
		}
		if winner < 0 {
			t.Fatalf("the registered artifact %s is nobody's", registered)
		}
		if got := s.restored(t); got != fmt.Sprint(winner) {
			t.Errorf("the checkpoint of writer %d holds %q", winner, got)
		}
		if got := s.artifacts(); len(got) != 1 {
			t.Errorf("the artifacts are %v", got)
		}

		losers := append(append([]*stack(nil), writers[:winner]...), writers[winner+1:]...)
		together(losers, func(w *stack) {
			if r := w.destroy(); r.code != 0 {
				t.Errorf("a destroy failed:\n%s", r.output)
			}
		})
		if got := s.restored(t); got != fmt.Sprint(winner) {
			checkpointsLost.Add(1)
			t.Errorf("after the others were destroyed, the checkpoint of writer %d holds %q", winner, got)
		}
		writers[winner].mustDestroy()
		s.nothingLeft()
	})
}

func together(stacks []*stack, do func(*stack)) {
	var wg sync.WaitGroup
	for _, s := range stacks {
		wg.Go(func() { do(s) })
	}
	wg.Wait()
}

// pollEntry reads the registry entry as fast as it can. From its first
// appearance on it is there, whole, at every instant.
func (s *stack) pollEntry(ctx context.Context, t *testing.T) {
	seen, reads := 0, 0
	var latest time.Time
	for ctx.Err() == nil {
		data, err := os.ReadFile(s.entryPath(s.name))
		if errors.Is(err, fs.ErrNotExist) && reads == 0 {
			time.Sleep(time.Millisecond)
			continue
		}
		reads++
		var entry struct {
			Name, Ref  string
			CreatedIso time.Time
		}
		if err == nil {
			err = json.Unmarshal(data, &entry)
		}
		if err != nil || entry.Name != s.name || entry.Ref == "" {
			checkpointsLost.Add(1)
			t.Errorf("read %d of the entry found %q, %v", reads, data, err)
			return
		}
		if entry.CreatedIso.After(latest) {
			latest = entry.CreatedIso
			seen++
		}
		time.Sleep(100 * time.Microsecond)
	}
	if seen < 8 {
		t.Errorf("%d reads saw %d of 8 captures", reads, seen)
	}
}

// pollArtifact asks the engine for what the entry names. The containerd store
// itself has nothing behind a tag for the moment in which it moves, so that it
// is asked again there.
func (s *stack) pollArtifact(ctx context.Context, t *testing.T) {
	for ctx.Err() == nil {
		ref := s.registered(t)
		if ref == "" {
			time.Sleep(time.Millisecond)
			continue
		}
		_, err := s.engine.tryDocker("image", "inspect", ref)
		if err != nil && s.engine != defaultEngine() {
			_, err = s.engine.tryDocker("image", "inspect", ref)
		}
		if err != nil {
			checkpointsLost.Add(1)
			t.Errorf("the entry names %s, which is not there: %v", ref, err)
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// artifactID is the id of the image behind a ref.
func (s *stack) artifactID(t *testing.T, ref string) string {
	t.Helper()
	return strings.TrimSpace(s.engine.docker(t, "image", "inspect", "--format", "{{.Id}}", ref))
}
