package faults

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rightsize/terraform-provider-rightsize/internal/faultpoint"
)

// notOnMicrosandbox are steps that this backend does not have: its images declare
// no volumes, and it commits nothing. msb 0.7 stops nothing for a capture, either.
func notOnMicrosandbox() []string {
	missing := points(faultpoint.Copied, faultpoint.CommitLocked)
	if capturesLive() {
		missing = append(missing, points(faultpoint.Halted)...)
	}
	return missing
}

// capturesLive says whether the msb on the PATH captures what runs, and memory.
func capturesLive() bool {
	version := tryMSB("--version")
	return strings.HasPrefix(version, "msb ") && !strings.HasPrefix(version, "msb 0.6.")
}

// microVMScenarios are what is interrupted on microsandbox.
func microVMScenarios() map[string]scenario {
	all := map[string]scenario{
		"capture what runs": {
			before: func(s *stack) { s.applied(s.webConfig("one", "v1")) },
			config: func(s *stack) string { return s.webConfig("one", "v1") + s.captureConfig() },
			check: func(s *stack) {
				s.wantCheckpoint("v1")
				s.wantRows(s.name+"-web", "v1") // it is back
			},
			points: points(faultpoint.Recorded, faultpoint.Halted, faultpoint.Committed, faultpoint.Captured, faultpoint.Published),
		},
	}
	for name, sc := range scenarios {
		if !sc.docker {
			all[name] = sc
		}
	}
	if capturesLive() {
		all["warm seed"] = scenario{
			config: func(s *stack) string {
				return strings.Replace(s.ordersConfig("v1"), "  seed = {", "  seed = {\n    warm = true", 1)
			},
			check:  func(s *stack) { s.wantCheckpoint("v1") },
			points: points(faultpoint.Ready, faultpoint.StepsDone, faultpoint.Committed, faultpoint.Captured, faultpoint.Published, faultpoint.SeedRemoved),
		}
	}
	missing := notOnMicrosandbox()
	for name, sc := range all {
		sc.points = slices.DeleteFunc(slices.Clone(sc.points), func(point string) bool { return slices.Contains(missing, point) })
		all[name] = sc
	}
	return all
}

// reducedMicroVMPoints are those of the reduced form: a boot takes ten seconds
// where VMs are emulated.
var reducedMicroVMPoints = map[string][]string{
	"seed":              points(faultpoint.Made),
	"capture what runs": points(faultpoint.Halted, faultpoint.Captured),
	"warm seed":         points(faultpoint.Committed),
	"reset":             points(faultpoint.ResetRemoved),
}

// captureConfig is a checkpoint of webConfig's container.
func (s *stack) captureConfig() string {
	return fmt.Sprintf("resource \"rightsize_checkpoint\" \"orders\" {\n  name          = %q\n  expires_after = \"1h\"\n  container_id  = rightsize_container.web.container_id\n}\n", s.name+"-orders")
}

// onEachStep runs a test for each step of each scenario on microsandbox.
func onEachStep(t *testing.T, test func(s *stack, sc scenario, point string)) {
	t.Helper()
	if engine := os.Getenv("RIGHTSIZE_TEST_ENGINE"); engine != "microsandbox" {
		t.Skipf("RIGHTSIZE_TEST_ENGINE is %q, not microsandbox", engine)
	}
	for name, sc := range microVMScenarios() {
		chosen := sc.points
		if reduced() {
			chosen = slices.DeleteFunc(slices.Clone(chosen), func(point string) bool { return !slices.Contains(reducedMicroVMPoints[name], point) })
		}
		for _, point := range chosen {
			t.Run(name+"/"+point, func(t *testing.T) {
				t.Parallel()
				s := &stack{
					t: t, kind: onMicrosandbox{}, name: uniqueName(), image: busyboxImage, cli: cliConfig,
					cacheDir: filepath.Join(t.TempDir(), "cache"), dir: t.TempDir(),
				}
				t.Cleanup(func() { s.kind.sweep(s) })
				if sc.ephemeral {
					requireEphemeral(t)
				}
				if sc.before != nil {
					sc.before(s)
				}
				s.write(sc.config(s))
				test(s, sc, point)
			})
		}
	}
}

// A provider that is killed costs one more apply on microsandbox too.
func TestKillOnMicrosandbox(t *testing.T) {
	onEachStep(t, func(s *stack, sc scenario, point string) {
		if sc.destroys {
			s.killedAt(point, (*stack).destroy)
		} else {
			s.applyKilledAt(point)
		}
		sc.converges(s)
	})
}

// So does an interrupt.
func TestInterruptOnMicrosandbox(t *testing.T) {
	onEachStep(t, func(s *stack, sc scenario, point string) {
		command := []string{"apply", "-auto-approve", "-no-color", "-input=false"}
		if sc.destroys {
			command[0] = "destroy"
		}
		s.interruptedAt(point, command)
		sc.converges(s)
	})
}

// onMicrosandbox is the backend microsandbox, with the msb on the PATH.
type onMicrosandbox struct{}

func (onMicrosandbox) provider(*stack) string { return `backend = "microsandbox"` }

func (onMicrosandbox) rows(_ *stack, container string) string {
	return tryMSB("exec", container, "--", "cat", "/srv/rows")
}

func (onMicrosandbox) restoredRows(s *stack) string {
	data, err := os.ReadFile(s.entryPath(s.name + "-orders"))
	if err != nil {
		return err.Error()
	}
	var entry struct{ Ref string }
	if err := json.Unmarshal(data, &entry); err != nil {
		return err.Error()
	}
	copied := s.name + "-library"
	defer tryMSB("rm", "-f", copied)
	if capturesLive() {
		out := tryMSB("restore", "--name", copied, entry.Ref)
		if strings.Contains(out, "requires destination bindings") {
			// Of one with memory its disk is as good.
			out = tryMSB("restore", "--name", copied, "--disk-only", entry.Ref)
		}
		if out != "" {
			return out
		}
		return tryMSB("exec", copied, "--", "cat", "/srv/rows")
	}
	// The command is run by exec: what a VM begins with is given up if the host
	// is slow.
	if out := tryMSB("run", "-d", "--pull", "never", "--name", copied, "--from-snapshot", entry.Ref, "--", "sleep", "600"); out != copied {
		return out
	}
	return tryMSB("exec", copied, "--", "cat", "/srv/rows")
}

func (onMicrosandbox) remains(s *stack) []string {
	var left []string
	for _, name := range strings.Fields(tryMSB("ls", "-q")) {
		if strings.Contains(name, s.name) {
			left = append(left, "sandbox "+name)
		}
	}
	for _, path := range s.cached() {
		left = append(left, "file "+path)
	}
	return left
}

func (k onMicrosandbox) sweep(s *stack) {
	for _, left := range k.remains(s) {
		if name, ok := strings.CutPrefix(left, "sandbox "); ok {
			tryMSB("rm", "-f", name)
		}
	}
}

// What waits for a boot takes long where VMs are emulated.
func (onMicrosandbox) patience() time.Duration { return 2 * time.Minute }

func (onMicrosandbox) limit() time.Duration { return 15 * time.Minute }

// tryMSB runs msb, as a user beside Terraform would, and returns what it prints,
// or what is wrong.
func tryMSB(args ...string) string {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, "msb", args...).Output()
	if err == nil {
		return strings.TrimSpace(string(out))
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return fmt.Sprintf("msb %s: %v: %s", args[0], err, exit.Stderr)
	}
	return err.Error()
}
