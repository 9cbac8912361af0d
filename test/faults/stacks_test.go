package faults

import (
	"fmt"
	"slices"
	"strings"
)

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
  exec          = [{ command = ["sh", "-c", "mkdir -p /srv && cp /etc/rows /srv/rows"] }]
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
    exec     = [{ command = ["sh", "-c", "mkdir -p /srv && cp /etc/rows /srv/rows"] }]
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
