package faults

import (
	"fmt"
	"strings"
	"testing"
)

// creationFaults are the faults of an apply that makes everything.
func creationFaults() []fault {
	faults := []fault{
		{createContainer, 2, lose},
		{startContainer, 2, lose},
		{commit, 1, lose},
	}
	if reduced() {
		return faults
	}
	return append(faults,
		fault{createContainer, 1, lose},
		fault{createContainer, 2, cut},
		fault{createContainer, 2, fail},
		fault{startContainer, 2, fail},
		fault{startExec, 1, restart},
		fault{startExec, 1, lose},
		fault{commit, 1, fail},
		fault{tagImage, 1, lose},
		fault{tagImage, 1, fail},
		fault{readLogs, 2, cut},
		fault{loadImage, 1, cut},
	)
}

// TestFaultsWhileCreating injects a fault into an apply that has no state yet to
// fall back to.
func TestFaultsWhileCreating(t *testing.T) {
	onEachEngine(t, func(t *testing.T, e engine) {
		for _, f := range creationFaults() {
			t.Run(caseName(f), func(t *testing.T) {
				t.Parallel()
				s := newSeededStack(t, e)
				s.setVersion(1)
				s.during(t, f, s.apply)
				s.mustApply()
				s.checkVersion(t, 1)
				s.mustDestroy()
				s.nothingLeft()
			})
		}
	})
}

// removalFaults are the faults of a destroy.
func removalFaults() []fault {
	faults := []fault{
		{deleteContainer, 1, lose},
		{deleteImage, 1, lose},
	}
	if reduced() {
		return faults
	}
	for _, kind := range []faultKind{refuse, cut, fail, restart} {
		faults = append(faults,
			fault{deleteContainer, 1, kind},
			fault{deleteImage, 1, kind},
			fault{listImages, 1, kind},
			fault{inspectContainer, 1, kind})
	}
	return faults
}

// TestFaultsWhileDestroying injects a fault into a destroy; the next one
// finishes it.
func TestFaultsWhileDestroying(t *testing.T) {
	requireEngine(t)
	for _, f := range removalFaults() {
		t.Run(caseName(f), func(t *testing.T) {
			t.Parallel()
			s := newSeededStack(t, defaultEngine())
			s.setVersion(1)
			s.mustApply()
			if r := s.during(t, f, s.destroy); r.code != 0 {
				s.mustDestroy()
			}
			s.nothingLeft()
		})
	}
}

func caseName(f fault) string {
	return strings.ReplaceAll(fmt.Sprintf("%s_%d_%s", f.call.name, f.nth, f.kind), " ", "_")
}
