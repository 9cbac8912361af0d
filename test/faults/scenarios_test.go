package faults

import (
	"fmt"
	"os"
	"strings"

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
	// stores says that it is about what an image store does.
	stores bool
	// lasting says that nobody asked for the checkpoint to expire.
	lasting bool
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
		stores: true,
		before: func(s *stack) { s.applied(s.ordersConfig("v1")) },
		config: func(s *stack) string { return s.ordersConfig("v2") },
		kept:   true,
		check:  func(s *stack) { s.wantCheckpoint("v2") },
		points: points(faultpoint.Locked, faultpoint.Recorded, faultpoint.StepsDone, faultpoint.SeedStopped, faultpoint.CommitLocked,
			faultpoint.Committed, faultpoint.Captured, faultpoint.Expiring, faultpoint.Published, faultpoint.EntryWritten, faultpoint.EntryRenamed,
			faultpoint.Dropped, faultpoint.Collected, faultpoint.SeedRemoved, faultpoint.Answering),
	},
	"capture with volumes": {
		stores: true,
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
		stores: true,
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
		docker:  true,
		lasting: true,
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
		stores:   true,
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
	"capture again":        points(faultpoint.EntryWritten),
	"capture with volumes": points(faultpoint.VolumeCopied),
	"flatten":              points(faultpoint.Imported),
	"save and reset":       points(faultpoint.Captured),
	"reset":                points(faultpoint.ResetRemoved),
	"ephemeral container":  points(faultpoint.Borrowed),
	"destroy a checkpoint": points(faultpoint.ArtifactRemoved),
	"copy out again":       points(faultpoint.Placed),
	"make a network":       points(faultpoint.NetworkMade),
	"replace a network":    points(faultpoint.Detached),
}
