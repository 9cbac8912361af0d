package faults

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rightsize/terraform-provider-rightsize/internal/faultpoint"
)

// scenario is something that Terraform does and that is interrupted.
type scenario struct {
	// before brings the stack to where the interrupted run begins; nil if that
	// is nothing at all.
	before func(s *stack)
	// config is what is applied, interrupted and again.
	config func(s *stack) string
	// docker says that only Docker does it.
	docker bool
	// ephemeral says that Terraform must know ephemeral resources.
	ephemeral bool
	// destroys says that a destroy is interrupted instead of the apply.
	destroys bool
	// kept says that a good checkpoint stands all the time.
	kept bool
	// check looks whether the configured state is reached.
	check func(s *stack)
	// points are where the run is interrupted, "point:n" being the nth time.
	points []string
}

func points(all ...faultpoint.Point) []string {
	var names []string
	for _, point := range all {
		names = append(names, string(point))
	}
	return names
}

var scenarios = map[string]scenario{
	"start": {
		config: func(s *stack) string { return s.webConfig("one", "v1") },
		check:  func(s *stack) { s.wantRows(s.name+"-web", "v1") },
		points: points(faultpoint.Recorded, faultpoint.Copied, faultpoint.Made, faultpoint.Furnished, faultpoint.Created, faultpoint.Expiring,
			faultpoint.Started, faultpoint.Ready, faultpoint.StepsDone, faultpoint.Answering),
	},
	"seed": {
		config: func(s *stack) string { return s.ordersConfig("v1") },
		check:  func(s *stack) { s.wantCheckpoint("v1") },
		points: points(faultpoint.Locked, faultpoint.Recorded, faultpoint.Copied, faultpoint.Made, faultpoint.Furnished, faultpoint.Created,
			faultpoint.Started, faultpoint.Ready, faultpoint.StepsDone, faultpoint.SeedStopped, faultpoint.CommitLocked, faultpoint.Committed,
			faultpoint.Captured, faultpoint.Expiring, faultpoint.Published, faultpoint.EntryWritten, faultpoint.EntryRenamed, faultpoint.Collected,
			faultpoint.SeedRemoved, faultpoint.Answering, faultpoint.Erased),
	},
	"capture again": {
		before: func(s *stack) { s.applied(s.ordersConfig("v1")) },
		config: func(s *stack) string { return s.ordersConfig("v2") },
		kept:   true,
		check:  func(s *stack) { s.wantCheckpoint("v2") },
		points: points(faultpoint.Locked, faultpoint.Recorded, faultpoint.StepsDone, faultpoint.SeedStopped, faultpoint.CommitLocked,
			faultpoint.Committed, faultpoint.Captured, faultpoint.Expiring, faultpoint.Published, faultpoint.EntryWritten, faultpoint.EntryRenamed,
			faultpoint.Dropped, faultpoint.Collected, faultpoint.SeedRemoved, faultpoint.Answering),
	},
	"capture with volumes": {
		docker: true,
		before: func(s *stack) {
			s.engine.docker(s.t, "run", "-d", "--name", s.name+"-theirs", s.image)
			s.engine.docker(s.t, "exec", s.name+"-theirs", "sh", "-c", "echo v1 > /srv/rows")
		},
		config: func(s *stack) string {
			return fmt.Sprintf("resource \"rightsize_checkpoint\" \"orders\" {\n  name = %q\n  container_id = %q\n  expires_after = \"1h\"\n}\n", s.name+"-orders", s.name+"-theirs")
		},
		check: func(s *stack) {
			s.wantCheckpoint("v1")
			s.wantRows(s.name+"-theirs", "v1") // it runs, and is not frozen
			s.engine.docker(s.t, "rm", "-f", "-v", s.name+"-theirs")
		},
		points: append(points(faultpoint.Recorded, faultpoint.Paused, faultpoint.Committed, faultpoint.HelperMade, faultpoint.VolumeCopied,
			faultpoint.Captured, faultpoint.Published), string(faultpoint.CommitLocked)+":2", string(faultpoint.Committed)+":2"),
	},
	"flatten": {
		docker: true,
		before: func(s *stack) { s.applied(s.ordersConfig("v1")) },
		config: func(s *stack) string {
			return strings.Replace(s.ordersConfig("v2"), "  seed = {", "  flatten = true\n  seed = {", 1)
		},
		kept:  true,
		check: func(s *stack) { s.wantCheckpoint("v2") },
		points: points(faultpoint.Imported, faultpoint.HelperMade, faultpoint.CommitLocked, faultpoint.Committed, faultpoint.Captured,
			faultpoint.Published),
	},
	"save and reset": {
		docker: true,
		before: func(s *stack) {
			s.applied(s.savingConfig("one"))
			s.engine.docker(s.t, "exec", s.name+"-web", "sh", "-c", "echo mine > /srv/rows")
		},
		config: func(s *stack) string { return s.savingConfig("two") },
		check: func(s *stack) {
			s.wantRows(s.name+"-web", "v1")
			// What a reset that was interrupted has left is not saved over it.
			s.wantCheckpoint("mine")
			s.engine.docker(s.t, "image", "rm", "rightsize/checkpoint:"+s.name+"-orders")
			if err := os.Remove(s.entryPath(s.name + "-orders")); err != nil {
				s.t.Error(err)
			}
		},
		points: points(faultpoint.Locked, faultpoint.Recorded, faultpoint.Committed, faultpoint.Captured, faultpoint.Published,
			faultpoint.EntryRenamed, faultpoint.ResetRemoved, faultpoint.Started, faultpoint.Answering),
	},
	"reset": {
		before: func(s *stack) { s.applied(s.webConfig("one", "v1")) },
		config: func(s *stack) string { return s.webConfig("two", "v1") },
		check:  func(s *stack) { s.wantRows(s.name+"-web", "v1") },
		points: points(faultpoint.Recorded, faultpoint.ResetRemoved, faultpoint.Copied, faultpoint.Made, faultpoint.Furnished, faultpoint.Created, faultpoint.Expiring,
			faultpoint.Started, faultpoint.Ready, faultpoint.StepsDone, faultpoint.Answering),
	},
	"destroy a container": {
		before:   func(s *stack) { s.applied(s.webConfig("one", "v1")) },
		config:   func(s *stack) string { return s.webConfig("one", "v1") },
		destroys: true,
		check:    func(s *stack) { s.wantRows(s.name+"-web", "v1") },
		points:   points(faultpoint.Stopped, faultpoint.Removed),
	},
	"destroy a checkpoint": {
		before:   func(s *stack) { s.applied(s.ordersConfig("v1")) },
		config:   func(s *stack) string { return s.ordersConfig("v1") },
		destroys: true,
		check:    func(s *stack) { s.wantCheckpoint("v1") },
		points:   points(faultpoint.Locked, faultpoint.ArtifactRemoved, faultpoint.EntryRemoved),
	},
	"ephemeral container": {
		config:    func(s *stack) string { return s.webConfig("one", "v1") + s.trialConfig("up") },
		ephemeral: true,
		check:     func(s *stack) { s.wantRows(s.name+"-web", "v1") },
		points:    points(faultpoint.Made, faultpoint.Ready, faultpoint.Borrowed, faultpoint.Returned),
	},
	"run a command": {
		config: func(s *stack) string { return s.commandConfig("v1") },
		check:  func(s *stack) { s.wantRows(s.name+"-web", "v1") },
		points: points(faultpoint.CommandRun),
	},
	"take a command back": {
		before:   func(s *stack) { s.applied(s.commandConfig("v1")) },
		config:   func(s *stack) string { return s.commandConfig("v1") },
		destroys: true,
		check:    func(s *stack) { s.wantRows(s.name+"-web", "v1") },
		points:   points(faultpoint.CommandRun),
	},
	"copy out": {
		config: func(s *stack) string { return s.copyConfig("v1") },
		check:  func(s *stack) { s.wantCopy("v1") },
		points: points(faultpoint.Unpacked, faultpoint.Placed),
	},
	"copy out again": {
		before: func(s *stack) { s.applied(s.copyConfig("v1")) },
		config: func(s *stack) string { return s.copyConfig("v2") },
		check:  func(s *stack) { s.wantCopy("v2") },
		points: points(faultpoint.Unpacked, faultpoint.Placed),
	},
	"make a network": {
		docker: true,
		config: func(s *stack) string { return s.networksConfig("one", "two") },
		check:  func(s *stack) { s.wantOnNetworks(s.name+"-one", s.name+"-two") },
		points: points(faultpoint.Recorded, faultpoint.NetworkMade, faultpoint.Answering),
	},
	"put a container on networks": {
		docker: true,
		before: func(s *stack) { s.applied(s.networksConfig()) },
		config: func(s *stack) string { return s.networksConfig("one", "two") },
		check:  func(s *stack) { s.wantOnNetworks(s.name+"-one", s.name+"-two") },
		points: append(points(faultpoint.Attached), string(faultpoint.Attached)+":2"),
	},
	"replace a network": {
		docker: true,
		before: func(s *stack) { s.applied(s.networksConfig("one", "two")) },
		config: func(s *stack) string {
			return strings.ReplaceAll(s.networksConfig("one", "two"), "internal = false", "internal = true")
		},
		check:  func(s *stack) { s.wantOnNetworks(s.name+"-one", s.name+"-two") },
		points: points(faultpoint.Detached, faultpoint.NetworkRemoved, faultpoint.NetworkMade, faultpoint.Attached),
	},
	"destroy a network": {
		docker:   true,
		before:   func(s *stack) { s.applied(s.networksConfig("one", "two")) },
		config:   func(s *stack) string { return s.networksConfig("one", "two") },
		destroys: true,
		check:    func(s *stack) { s.wantOnNetworks(s.name+"-one", s.name+"-two") },
		points:   points(faultpoint.Detached, faultpoint.NetworkRemoved),
	},
	"clear away": {
		before: func(s *stack) {
			s.write(s.webConfig("one", "v1"))
			s.applyKilledAt(string(faultpoint.Created))
		},
		config: func(s *stack) string { return s.webConfig("one", "v1") },
		check:  func(s *stack) { s.wantRows(s.name+"-web", "v1") },
		points: points(faultpoint.Swept),
	},
}

// reducedPoints are those of the reduced form.
var reducedPoints = map[string][]string{
	"start":                points(faultpoint.Made),
	"seed":                 points(faultpoint.StepsDone, faultpoint.Expiring),
	"capture again":        points(faultpoint.Published, faultpoint.EntryWritten),
	"capture with volumes": points(faultpoint.VolumeCopied),
	"flatten":              points(faultpoint.Imported),
	"save and reset":       points(faultpoint.Captured, faultpoint.Started),
	"reset":                points(faultpoint.ResetRemoved),
	"ephemeral container":  points(faultpoint.Borrowed),
	"destroy a checkpoint": points(faultpoint.ArtifactRemoved),
	"copy out again":       points(faultpoint.Placed),
	"make a network":       points(faultpoint.NetworkMade),
	"replace a network":    points(faultpoint.Detached),
}

// eachInterruption runs a test for each step of each scenario, and for a sample
// of them on a second engine: what is interrupted is the provider.
func eachInterruption(t *testing.T, e engine, test func(t *testing.T, s *stack, sc scenario, point string)) {
	t.Helper()
	for name, sc := range scenarios {
		chosen := sc.points
		if reduced() || e != defaultEngine() {
			chosen = reducedPoints[name]
		}
		for _, point := range chosen {
			t.Run(name+"/"+point, func(t *testing.T) {
				t.Parallel()
				if sc.ephemeral {
					requireEphemeral(t)
				}
				s := newStack(t, e)
				if sc.before != nil {
					sc.before(s)
				}
				s.write(sc.config(s))
				test(t, s, sc, point)
			})
		}
	}
}

// A step that no scenario interrupts would be one of which nothing is known.
func TestEveryStepIsInterrupted(t *testing.T) {
	t.Parallel()
	for _, point := range faultpoint.All() {
		found := false
		for _, all := range []map[string]scenario{scenarios, microVMScenarios()} {
			for _, sc := range all {
				found = found || slices.Contains(sc.points, string(point))
			}
		}
		if !found {
			t.Errorf("no scenario is interrupted at %q", point)
		}
	}
}

// converges applies what was interrupted, looks whether that reaches the
// configured state, destroys it and looks for left-overs.
func (sc scenario) converges(s *stack) {
	s.t.Helper()
	if !sc.destroys {
		s.wantExpiring()
	}
	if sc.kept {
		s.wantSomeCheckpoint()
	}
	s.mustApply()
	sc.check(s)
	s.mustDestroy()
	s.nothingLeft()
}

// webConfig is a container that is filled by a file and a step.
func (s *stack) webConfig(trigger, rows string) string {
	return fmt.Sprintf(`
resource "rightsize_container" "web" {
  name          = %q
  image         = %q
  command       = ["sh", "-c", %q]
  reset_trigger = %q
  expires_after = "1h"
  exposed_ports = ["8080"]
  wait_for      = { log = { pattern = "up" } }
  files         = [{ path = "/etc/rows", content = %q }]
  exec          = [{ command = ["cp", "/etc/rows", "/srv/rows"] }]
}
`, s.name+"-web", s.image, workload, trigger, rows)
}

// trialConfig is a container that lives only for a run, a plan's included, and is
// ready when its log has the line. The copy of its image, which goes with it,
// tells whether it is left.
func (s *stack) trialConfig(line string) string {
	return fmt.Sprintf(`
ephemeral "rightsize_container" "trial" {
  image    = %q
  command  = ["sh", "-c", %q]
  wait_for = { log = { pattern = %q } }
}

resource "terraform_data" "trial" {
  provisioner "local-exec" {
    command     = "true"
    environment = { TRIAL = ephemeral.rightsize_container.trial.container_id }
  }
}
`, s.image, workload, line)
}

// requireEphemeral skips a test where Terraform is older than ephemeral
// resources.
func requireEphemeral(t *testing.T) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), terraformPath, "version").Output()
	if err != nil {
		t.Fatal(err)
	}
	var name string
	var major, minor int
	if _, err := fmt.Sscanf(string(out), "%s v%d.%d", &name, &major, &minor); err != nil {
		t.Fatalf("%q is no version: %v", out, err)
	}
	if since := map[string]int{"Terraform": 10, "OpenTofu": 11}[name]; major == 1 && minor < since {
		t.Skipf("%s 1.%d knows no ephemeral resources, which come with 1.%d", name, minor, since)
	}
}

// savingConfig is webConfig for a container that is saved before it is reset.
func (s *stack) savingConfig(trigger string) string {
	return strings.Replace(s.webConfig(trigger, "v1"), "  exposed_ports",
		fmt.Sprintf("  save_before_reset = %q\n  exposed_ports", s.name+"-orders"), 1)
}

// ordersConfig is a checkpoint that is seeded by a file and a step.
func (s *stack) ordersConfig(rows string) string {
	return fmt.Sprintf(`
resource "rightsize_checkpoint" "orders" {
  name          = %q
  expires_after = "1h"
  seed = {
    image    = %q
    command  = ["sh", "-c", %q]
    wait_for = { log = { pattern = "up" } }
    files    = [{ path = "/etc/rows", content = %q }]
    exec     = [{ command = ["cp", "/etc/rows", "/srv/rows"] }]
  }
}
`, s.name+"-orders", s.image, workload, rows)
}

// networksConfig is two networks, and a container that is on some of them.
func (s *stack) networksConfig(on ...string) string {
	var networks string
	for _, name := range on {
		networks += fmt.Sprintf("{ name = rightsize_network.%s.id, aliases = [\"web\"] },", name)
	}
	return fmt.Sprintf(`
resource "rightsize_network" "one" {
  name     = "%[1]s-one"
  internal = false
}

resource "rightsize_network" "two" {
  name = "%[1]s-two"
}

resource "rightsize_container" "web" {
  name     = "%[1]s-web"
  image    = %[2]q
  wait_for = { log = { pattern = "up" } }
  networks = [%[3]s]
}
`, s.name, s.image, networks)
}

// wantOnNetworks looks which networks the container is on.
func (s *stack) wantOnNetworks(want ...string) {
	s.t.Helper()
	got := strings.Fields(s.engine.docker(s.t, "inspect", "--format", "{{range $name, $_ := .NetworkSettings.Networks}}{{$name}} {{end}}", s.name+"-web"))
	if slices.Sort(got); !slices.Equal(want, got) {
		s.t.Errorf("the container is on networks %q, want %q", got, want)
	}
}

func (s *stack) applied(config string) {
	s.t.Helper()
	s.write(config)
	s.mustApply()
}

// faultsCLI builds the provider whose steps can be interrupted.
var faultsCLI = sync.OnceValues(func() (string, error) { return buildProvider("faults", "faults") })

// faulty returns the stack with the provider whose steps can be interrupted,
// and the file that is there as soon as the step is reached.
func (s *stack) faulty(env, point string) (*stack, string) {
	s.t.Helper()
	cli, err := faultsCLI()
	if err != nil {
		s.t.Fatal(err)
	}
	other := *s
	reached := filepath.Join(s.t.TempDir(), "reached")
	other.cli = cli
	other.env = append(slices.Clone(s.env), env+"="+point, "RIGHTSIZE_FAULT_REACHED="+reached)
	return &other, reached
}

// wantRows looks into a container that must be running.
func (s *stack) wantRows(container, want string) {
	s.t.Helper()
	if got := s.kind.rows(s, container); got != want {
		s.t.Errorf("container %s holds %q, want %q", container, got, want)
	}
}

// wantCheckpoint restores the checkpoint as a library would: from the ref that
// its entry has.
func (s *stack) wantCheckpoint(want string) {
	s.t.Helper()
	if got := s.kind.restoredRows(s); got != want {
		checkpointsLost.Add(1)
		s.t.Errorf("the checkpoint holds %q, want %q", got, want)
	}
}

// wantSomeCheckpoint restores the checkpoint while a capture was interrupted: it
// is the previous one or the new one, and whole.
func (s *stack) wantSomeCheckpoint() {
	s.t.Helper()
	if got := s.kind.restoredRows(s); got != "v1" && got != "v2" {
		checkpointsLost.Add(1)
		s.t.Errorf("the checkpoint holds %q after the interruption", got)
	}
}
