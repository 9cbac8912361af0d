package checkpoint_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/checkpoint"
)

// variants are entries under one name that differ in every field and in size,
// so that a mixture of two could not pass for either.
func variants() []checkpoint.Entry {
	small, large := contract(), contract()
	large.Ref = "rightsize/checkpoint:" + strings.Repeat("b", 64<<10)
	large.Backend = "microsandbox"
	large.Spec.Env = map[string]string{"B": strings.Repeat("2", 64<<10)}
	large.Spec.Command = []string{"sh"}
	return []checkpoint.Entry{small, large}
}

func writeVariants(registry *checkpoint.Registry) error {
	const rounds = 25
	for range rounds {
		for _, entry := range variants() {
			if err := registry.Put(entry); err != nil {
				return err
			}
		}
	}
	return nil
}

func TestReadersSeeWholeEntriesWhileOthersWrite(t *testing.T) {
	t.Parallel()

	const processes, goroutines, readers = 2, 2, 2
	cache := t.TempDir()
	registry := checkpoint.Open(cache)
	put(t, registry, variants()[0])

	var writers sync.WaitGroup
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for range processes {
		cmd := exec.CommandContext(t.Context(), exe)
		cmd.Env = append(os.Environ(), writerEnv+"="+cache)
		writers.Go(func() {
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("writing process: %v\n%s", err, out)
			}
		})
	}
	for range goroutines {
		writers.Go(func() {
			if err := writeVariants(registry); err != nil {
				t.Error(err)
			}
		})
	}

	written := make(chan struct{})
	var reading sync.WaitGroup
	for range readers {
		reading.Go(func() {
			for reads := 1; ; reads++ {
				if err := readVariant(registry); err != nil {
					t.Errorf("read %d: %v", reads, err)
					return
				}
				select {
				case <-written:
					return
				default:
				}
			}
		})
	}
	writers.Wait()
	close(written)
	reading.Wait()

	requireFiles(t, registry.Dir(), "seeded-db.json")
}

// readVariant fails unless the registry holds exactly one of the variants.
func readVariant(registry *checkpoint.Registry) error {
	got, err := registry.Get("seeded-db")
	if err != nil {
		return err
	}
	known := false
	for _, want := range variants() {
		known = known || cmp.Equal(want, got)
	}
	if !known {
		return fmt.Errorf("read a mixture: ref %.40s, backend %s", got.Ref, got.Backend)
	}
	entries, corrupt, err := registry.List()
	if err != nil || len(entries) != 1 || len(corrupt) != 0 {
		return fmt.Errorf("listed %d entries, corrupt %v, error %v", len(entries), corrupt, err)
	}
	return nil
}
