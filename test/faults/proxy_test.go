package faults

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The calls that the provider makes of an engine.
var (
	listContainers   = engineCall("list containers", "GET", `^/containers/json$`)
	createContainer  = engineCall("create container", "POST", `^/containers/create$`)
	putFiles         = engineCall("put files", "PUT", `^/containers/[^/]+/archive$`)
	inspectContainer = engineCall("inspect container", "GET", `^/containers/[^/]+/json$`)
	startContainer   = engineCall("start container", "POST", `^/containers/[^/]+/start$`)
	readLogs         = engineCall("read logs", "GET", `^/containers/[^/]+/logs$`)
	waitContainer    = engineCall("wait for container", "POST", `^/containers/[^/]+/wait$`)
	stopContainer    = engineCall("stop container", "POST", `^/containers/[^/]+/stop$`)
	deleteContainer  = engineCall("delete container", "DELETE", `^/containers/[^/]+$`)
	createExec       = engineCall("create exec", "POST", `^/containers/[^/]+/exec$`)
	startExec        = engineCall("start exec", "POST", `^/exec/[^/]+/start$`)
	inspectExec      = engineCall("inspect exec", "GET", `^/exec/[^/]+/json$`)
	commit           = engineCall("commit", "POST", `^/commit$`)
	tagImage         = engineCall("tag image", "POST", `^/images/.+/tag$`)
	inspectImage     = engineCall("inspect image", "GET", `^/images/.+/json$`)
	listImages       = engineCall("list images", "GET", `^/images/json$`)
	loadImage        = engineCall("load image", "POST", `^/images/load$`)
	deleteImage      = engineCall("delete image", "DELETE", `^/images/.+$`)
	describeEngine   = engineCall("describe engine", "GET", `^/info$`)
	greetEngine      = engineCall("greet engine", "HEAD", `^/_ping$`)
)

func engineCall(name, method, path string) call {
	return call{name: name, method: method, path: regexp.MustCompile(path)}
}

// madeOnce are the calls that are not made again when their answer is lost: they
// run a command, stream, or are the first contact with an engine that may not be
// there at all. Of the description of an engine, the client (28.5) does not tell
// a broken connection from a bad answer.
var madeOnce = []string{putFiles.name, readLogs.name, waitContainer.name, startExec.name, greetEngine.name, describeEngine.name}

// isRetried says that Terraform must not notice the fault.
func (f fault) isRetried() bool {
	broken := f.kind == refuse || f.kind == cut || f.kind == lose
	return f.kind == delay || broken && !slices.Contains(madeOnce, f.call.name)
}

// seededStack is a checkpoint whose data is its version, and a copy of it.
type seededStack struct {
	*stack
	proxy *engineProxy
}

func newSeededStack(t *testing.T, e engine) *seededStack {
	t.Helper()
	s := &seededStack{stack: newStack(t, e)}
	s.proxy, s.host = newProxy(t, e)
	return s
}

// setVersion writes the configuration for a version of the data.
func (s *seededStack) setVersion(version int) {
	s.write(fmt.Sprintf(`
resource "rightsize_checkpoint" "it" {
  name     = %[1]q
  triggers = { version = "%[3]d" }
  seed = {
    image       = %[2]q
    pull_policy = "never"
    files       = [{ path = "/srv/version", content = "%[3]d" }]
    wait_for    = { log = { pattern = "^up$" }, timeout = "20s" }
    exec        = [{ command = ["sh", "-c", "cat > /srv/stdin && cp /srv/version /srv/data"], stdin = "input", timeout = "20s" }]
  }
  timeouts = { create = "30s", update = "30s" }
}

resource "rightsize_container" "copy" {
  name            = "%[1]s-copy"
  from_checkpoint = rightsize_checkpoint.it.id
  wait_for        = { log = { pattern = "^up$" }, timeout = "20s" }
  timeouts        = { create = "30s", update = "30s" }
}
`, s.name, s.image, version))
}

// during runs Terraform while the fault happens.
func (s *seededStack) during(t *testing.T, f fault, run func(...string) result) result {
	t.Helper()
	s.proxy.arm(f)
	r := run()
	s.proxy.awaitUp()
	if !s.proxy.disarm() {
		t.Fatalf("there was no such call:\n%s", r.output)
	}
	if r.code != 0 && f.isRetried() {
		t.Errorf("the call was not made again:\n%s", r.output)
	}
	if r.code != 0 && !strings.Contains(r.output, "Error: Unable to ") {
		t.Errorf("the failure has no diagnostic of the provider's:\n%s", r.output)
	}
	return r
}

// checkVersion checks that the configured state is reached: one checkpoint, one
// copy, and both have the data of this version.
func (s *seededStack) checkVersion(t *testing.T, version int) {
	t.Helper()
	want := strconv.Itoa(version)
	if got := s.restored(t); got != want {
		t.Errorf("the checkpoint holds version %q, want %s", got, want)
	}
	if got := s.engine.docker(t, "exec", s.name+"-copy", "cat", "/srv/data"); got != want {
		t.Errorf("the copy holds version %q, want %s", got, want)
	}
	if got := s.containers(); !slices.Equal(got, []string{s.name + "-copy"}) {
		t.Errorf("the containers are %v", got)
	}
}

// checkSurvived checks after a failed capture that a good checkpoint stands: the
// one before or the new one.
func (s *seededStack) checkSurvived(t *testing.T, version int) {
	t.Helper()
	if got := s.restored(t); got != strconv.Itoa(version-1) && got != strconv.Itoa(version) {
		checkpointsLost.Add(1)
		t.Errorf("the checkpoint holds version %q, want %d or %d", got, version-1, version)
	}
}

// recaptureFaults are the faults of an apply that captures again and resets the
// copy. With reduced, only the first of each line is tried.
func recaptureFaults() []fault {
	var faults []fault
	add := func(c call, nth int, kinds ...faultKind) {
		if reduced() {
			kinds = kinds[:1]
		}
		for _, kind := range kinds {
			faults = append(faults, fault{c, nth, kind})
		}
	}
	add(commit, 1, lose, refuse, cut, fail, delay, stall)
	add(tagImage, 1, lose, refuse, cut, fail, delay)
	add(createContainer, 1, lose, refuse, cut, fail, delay)
	add(startExec, 1, restart, lose, refuse, cut, fail, stall)
	add(deleteImage, 1, lose, refuse, cut, fail)
	add(deleteContainer, 1, lose, refuse, cut, fail)
	if reduced() {
		return faults
	}
	add(createContainer, 2, lose, fail)
	add(deleteContainer, 2, lose, fail)
	add(deleteImage, 2, lose, fail)
	add(loadImage, 1, lose, refuse, cut, fail)
	add(putFiles, 1, lose, refuse, cut, fail)
	add(startContainer, 1, lose, refuse, cut, fail)
	add(startContainer, 2, lose, fail)
	add(readLogs, 1, lose, refuse, cut, fail)
	add(waitContainer, 1, refuse, fail)
	add(createExec, 1, lose, refuse, cut, fail)
	add(inspectExec, 1, lose, refuse, cut, fail)
	add(stopContainer, 1, lose, refuse, cut, fail)
	add(inspectContainer, 2, refuse, fail)
	add(inspectContainer, 5, cut, fail)
	add(inspectContainer, 9, cut, fail)
	add(inspectImage, 1, refuse, fail)
	add(inspectImage, 3, cut, fail)
	add(inspectImage, 6, cut, fail)
	add(listImages, 1, cut, fail)
	add(listImages, 2, refuse, fail)
	add(listContainers, 1, refuse, cut, fail)
	add(describeEngine, 1, refuse, cut, fail)
	add(greetEngine, 1, refuse, fail)
	return faults
}

// TestFaultsWhileCapturingAgain injects a fault into each call of an apply that
// replaces a checkpoint and resets what runs from it.
func TestFaultsWhileCapturingAgain(t *testing.T) {
	requireEngine(t)
	byCall := map[string][]fault{}
	for _, f := range recaptureFaults() {
		byCall[f.call.name] = append(byCall[f.call.name], f)
	}
	for name, faults := range byCall {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			s := newSeededStack(t, defaultEngine())
			version := 1
			s.setVersion(version)
			s.mustApply()
			for _, f := range faults {
				ok := t.Run(fmt.Sprintf("%d_%s", f.nth, f.kind), func(t *testing.T) {
					version++
					s := &seededStack{stack: s.in(t), proxy: s.proxy}
					s.setVersion(version)
					if r := s.during(t, f, s.apply); r.code != 0 {
						s.checkSurvived(t, version)
					}
					s.mustApply()
					s.checkVersion(t, version)
				})
				if !ok {
					return
				}
			}
			s.mustDestroy()
			s.nothingLeft()
		})
	}
}
