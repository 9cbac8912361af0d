package faults

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rightsize/terraform-provider-rightsize/internal/faultpoint"
)

// expired applies a container and a checkpoint, and lets both expire.
func (s *stack) expired() {
	s.t.Helper()
	config := s.webConfig("one", "v1") + s.ordersConfig("v1")
	s.applied(config)
	// Counted from when they were made, which took longer.
	s.applied(strings.ReplaceAll(config, `"1h"`, `"1ms"`))
}

// pruneCommand prepares the provider's own command, with a fault in its
// environment if one is given.
func (s *stack) pruneCommand(ctx context.Context, env ...string) (cmd *exec.Cmd, output *bytes.Buffer) {
	s.t.Helper()
	if _, err := faultsCLI(); err != nil {
		s.t.Fatal(err)
	}
	output = new(bytes.Buffer)
	cmd = exec.CommandContext(ctx, filepath.Join(workDir, "faults", "terraform-provider-rightsize"), "-prune")
	cmd.Env = append(os.Environ(), "RIGHTSIZE_CACHE_DIR="+s.cacheDir, "RIGHTSIZE_BACKEND=docker", "DOCKER_HOST="+s.host)
	cmd.Env = append(cmd.Env, env...)
	cmd.Stdout, cmd.Stderr = output, output
	return cmd, output
}

func (s *stack) prune(env ...string) result {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), s.kind.limit())
	defer cancel()
	cmd, output := s.pruneCommand(ctx, env...)
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		s.t.Fatal(err)
	}
	return result{output: output.String(), code: cmd.ProcessState.ExitCode()}
}

// A clean-up that is killed, at whichever step, costs one more clean-up.
func TestKilledPrune(t *testing.T) {
	onEachEngine(t, func(t *testing.T, e engine) {
		chosen := points(faultpoint.Stopped, faultpoint.Removed, faultpoint.ArtifactRemoved, faultpoint.EntryRemoved)
		if reduced() || e != defaultEngine() {
			chosen = points(faultpoint.ArtifactRemoved)
		}
		for _, point := range chosen {
			t.Run(point, func(t *testing.T) {
				t.Parallel()
				s := newStack(t, e)
				s.expired()
				killed := s.prune("RIGHTSIZE_FAULT_KILL=" + point)
				if killed.code != -1 {
					t.Fatalf("it was not killed, but ended with %d:\n%s", killed.code, killed.output)
				}
				stepsKilled.Add(1)
				if r := s.prune(); r.code != 0 {
					t.Fatalf("the next one failed with %d:\n%s", r.code, r.output)
				}
				// A copy of an image goes with the next container that runs from it.
				if left := slices.Concat(s.containers(), s.artifacts(), s.cached()); len(left) > 0 {
					t.Errorf("after the next one there is %v", left)
				}
				s.mustApply()
				s.wantCheckpoint("v1")
				s.mustDestroy()
				s.nothingLeft()
			})
		}
	})
}

// An interrupt ends a clean-up at its step, and it says what it has left.
func TestInterruptedPrune(t *testing.T) {
	onEachEngine(t, func(t *testing.T, e engine) {
		t.Parallel()
		s := newStack(t, e)
		s.expired()
		reached := filepath.Join(t.TempDir(), "reached")
		ctx, cancel := context.WithTimeout(context.Background(), s.kind.limit())
		defer cancel()
		cmd, output := s.pruneCommand(ctx, "RIGHTSIZE_FAULT_HANG="+string(faultpoint.Stopped), "RIGHTSIZE_FAULT_REACHED="+reached)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_ = cmd.Wait() // How it ended is in its state.
		}()
		isReached := func() bool {
			_, err := os.Stat(reached)
			return err == nil
		}
		if !await(isReached, ended) {
			t.Fatalf("the step is not reached:\n%s", output)
		}
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		<-ended
		stepsInterrupted.Add(1)
		if code := cmd.ProcessState.ExitCode(); code != 130 || !strings.Contains(output.String(), "Interrupted") {
			t.Errorf("it ended with %d:\n%s", code, output)
		}
		if r := s.prune(); r.code != 0 {
			t.Fatalf("the next one failed with %d:\n%s", r.code, r.output)
		}
		s.nothingLeft()
	})
}

// wantExpiring fails if a checkpoint can be found that was asked to expire in an
// hour and is not recorded to.
func (s *stack) wantExpiring() {
	s.t.Helper()
	var entry struct{ CreatedISO time.Time }
	data, err := os.ReadFile(s.entryPath(s.name + "-orders"))
	if errors.Is(err, os.ErrNotExist) {
		return
	}
	if err == nil {
		err = json.Unmarshal(data, &entry)
	}
	files, globErr := filepath.Glob(filepath.Join(s.cacheDir, "lifetimes", "checkpoint-*.json"))
	if err := errors.Join(err, globErr); err != nil {
		s.t.Fatal(err)
	}
	for _, file := range files {
		var record struct {
			Name      string
			ExpiresAt time.Time `json:"expires_at"`
		}
		data, err := os.ReadFile(file)
		if err == nil {
			err = json.Unmarshal(data, &record)
		}
		if err != nil {
			s.t.Fatal(err)
		}
		if record.Name == s.name+"-orders" && record.ExpiresAt.Equal(entry.CreatedISO.Truncate(time.Second).Add(time.Hour)) {
			return
		}
	}
	s.t.Errorf("the checkpoint of %s never expires: the lifetimes are %v", entry.CreatedISO, files)
}
