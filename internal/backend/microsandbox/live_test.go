//go:build unix

package microsandbox_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/msbtest"
)

// newMachine07 returns a machine whose msb is 0.7.
func newMachine07(t *testing.T) *machine {
	t.Helper()
	m := newMachine(t)
	m.become(t, "0.7/misc/version")
	m.set(t, "all.log", "")
	return m
}

// become makes another msb of it that works in the same home.
func (m *machine) become(t *testing.T, version string) {
	t.Helper()
	m.set(t, "version", msbtest.Load(version).Stdout)
	m.Backend = m.open(t)
}

func (m *machine) capture07(t *testing.T, opts backend.CaptureOptions) backend.Artifact {
	t.Helper()
	opts.Name = "db"
	artifact, err := m.Capture(t.Context(), "web", opts)
	if err != nil {
		t.Fatal(err)
	}
	return artifact
}

// publish returns an artifact with its ref.
func (m *machine) publish(t *testing.T, artifact backend.Artifact) backend.Artifact {
	t.Helper()
	ref, err := m.Publish(t.Context(), "db", artifact)
	if err != nil {
		t.Fatal(err)
	}
	found, err := m.Artifact(t.Context(), ref)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func (m *machine) remove(t *testing.T) {
	t.Helper()
	if err := m.Remove(t.Context(), "web"); err != nil {
		t.Fatal(err)
	}
}

// captureTiming is the line in which msb says how long a sandbox stood still.
const captureTiming = `{"d":" disk-only checkpoint timing operation=\"capture_disk\" pause_us=385405 total_us=585369\n","e":null,"id":null,"s":"system","t":"2033-05-18T03:33:20Z"}` + "\n"

func TestCapabilities(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		machine func(*testing.T) *machine
		live    bool
	}{"0.6": {newMachine, false}, "0.7": {newMachine07, true}} {
		engine, err := test.machine(t).Engine(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := engine.Capabilities; got.CheckpointRestartsWorkload == test.live || got.CheckpointMemory != test.live || !got.Checkpoint {
			t.Errorf("msb %s has %+v", name, got)
		}
	}
}

// TestLiveCapture is about a container that does not notice its capture, and a
// copy that knows nothing of it but what the artifact tells.
func TestLiveCapture(t *testing.T) {
	t.Parallel()
	m := newMachine07(t)
	spec := shell(forever)
	spec.Env = map[string]string{"PASSWORD": "hunter2-hunter2"}
	m.run(t, spec)
	before := m.wantState(t, backend.StateRunning, backend.Exit{})
	m.set(t, "system.log", captureTiming)
	since := m.mark()
	artifact := m.capture07(t, backend.CaptureOptions{})
	wantCommands(t, since(), "inspect", "snapshot create", "logs")
	if after := m.wantState(t, backend.StateRunning, backend.Exit{}); !after.StartedAt.Equal(before.StartedAt) {
		t.Error("the process was started again")
	}
	if artifact.Pause != 385405*time.Microsecond || artifact.Memory != nil || artifact.SizeBytes <= 0 || artifact.Ref != "" {
		t.Errorf("the artifact is %+v", artifact)
	}
	published := m.publish(t, artifact)
	if filepath.Dir(filepath.Dir(filepath.Dir(published.Ref))) != filepath.Join(m.cache, "checkpoints") {
		t.Errorf("its ref is %s", published.Ref)
	}
	for _, call := range m.fake.Calls() {
		if strings.Contains(strings.Join(call.Args, " "), "hunter2") {
			t.Errorf("everybody on this host can read the environment: %q", call.Args)
		}
	}

	m.remove(t)
	copied := backend.Spec{Name: "web", From: &published}
	m.run(t, copied)
	if given := m.wantState(t, backend.StateRunning, backend.Exit{}).Given; len(given.Command) > 0 {
		t.Errorf("it was given %+v", given)
	}
	var out strings.Builder
	code, err := m.Exec(t.Context(), "web", backend.Exec{Command: []string{"/bin/sh", "-c", `echo "$PASSWORD"`}, Stdout: &out})
	if code != 0 || err != nil || out.String() != "hunter2-hunter2\n" {
		t.Errorf("a command in the copy has %q (%d, %v)", out.String(), code, err)
	}
	m.remove(t)
	if err := m.RemoveArtifact(t.Context(), artifact.ID); err != nil {
		t.Fatal(err)
	}
	if left := m.checkpoints(t); len(left) > 0 {
		t.Errorf("the artifact leaves %q", left)
	}
}

// TestCollect07 is about captures that were killed: a group that is not whole, and
// a whole one that nothing stands for.
func TestCollect07(t *testing.T) {
	t.Parallel()
	m := newMachine07(t)
	m.run(t, shell(forever))
	kept := m.publish(t, m.capture07(t, backend.CaptureOptions{}))
	m.capture07(t, backend.CaptureOptions{})
	half := filepath.Join(m.cache, "checkpoints", "rz-ckpt-db-0123456789ab")
	if err := os.MkdirAll(filepath.Join(half, ".capture-AbCdEf"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(m.cache, "checkpoints", ".rz-ckpt-db-0123456789ab.unpublished"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := m.Collect(t.Context(), "db", kept.ID); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{filepath.Base(filepath.Dir(filepath.Dir(kept.Ref)))}, m.checkpoints(t)); diff != "" {
		t.Errorf("what is left (-want +got):\n%s", diff)
	}
}

// TestLayersAreMerged is about a container that is captured again and again.
func TestLayersAreMerged(t *testing.T) {
	t.Parallel()
	m := newMachine07(t)
	m.run(t, shell(forever))
	merges := 0
	for range 20 {
		since := m.mark()
		m.capture07(t, backend.CaptureOptions{})
		if since()[1] == "modify" {
			merges++
		}
	}
	// What is left of one merge is a layer, and seven more may come.
	if merges != 2 {
		t.Errorf("the layers of 20 captures were merged %d times, want 2", merges)
	}
	m.set(t, "fail-modify", "error: io error: No space left on device (os error 28)\n")
	for range 8 {
		m.capture07(t, backend.CaptureOptions{}) // It is no reason to fail.
	}
}

func TestStartOfAPausedContainer(t *testing.T) {
	t.Parallel()
	m := newMachine07(t)
	spec := shell(forever)
	m.run(t, spec)
	m.set(t, "status", "Paused")
	m.wantState(t, backend.StatePaused, backend.Exit{})
	since := m.mark()
	if err := m.Start(t.Context(), "web", spec); err != nil {
		t.Fatal(err)
	}
	wantCommands(t, since(), "inspect", "resume")
	m.wantState(t, backend.StateRunning, backend.Exit{})

	m.set(t, "status", "Paused")
	since = m.mark()
	if err := m.Stop(t.Context(), "web", backend.DefaultStopTimeout); err != nil {
		t.Fatal(err)
	}
	wantCommands(t, since(), "inspect", "resume", "exec kill TERM", "stop")
	m.wantState(t, backend.StateExited, backend.Exit{Code: 7})
}

// TestCaptureOfWhatDoesNotStandStill is about a guest that is too busy to be frozen:
// msb gives up, and leaves it paused.
func TestCaptureOfWhatDoesNotStandStill(t *testing.T) {
	t.Parallel()
	const frozen = "error: runtime error: runtime control refused: attempt disk_1: workload freeze timed out; " +
		"workload recovery required: workload thaw timed out; VM paused\n"
	m := newMachine07(t)
	m.run(t, shell(forever))
	m.set(t, "fail-snapshot", frozen)
	m.set(t, "pauses-snapshot", "")
	since := m.mark()
	_, err := m.Capture(t.Context(), "web", backend.CaptureOptions{Name: "db"})
	wantError(t, err, nil, "", "take a snapshot of container web", "freeze timed out")
	wantCommands(t, since(), "inspect", "snapshot create", "inspect", "resume", "snapshot create", "inspect", "resume")
	m.wantState(t, backend.StateRunning, backend.Exit{})
	if left := m.checkpoints(t); len(left) > 0 {
		t.Errorf("it left %q", left)
	}
	m.set(t, "once-snapshot", "")
	m.capture07(t, backend.CaptureOptions{})
	m.wantState(t, backend.StateRunning, backend.Exit{})
}

// TestMemoryOfWhatDoesNotRun is about captures of memory in which nothing could
// go on. Nothing is left of them, and nothing was asked of msb.
func TestMemoryOfWhatDoesNotRun(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		machine func(*testing.T) *machine
		prepare func(*testing.T, *machine)
		kind    error
		say     string
	}{
		"msb 0.6":       {newMachine, func(t *testing.T, m *machine) { t.Helper(); m.run(t, shell(forever)) }, backend.ErrUnsupported, "msb 0.6 captures disks alone"},
		"never started": {newMachine07, func(t *testing.T, m *machine) { t.Helper(); m.create(t, shell(forever)) }, nil, "not running"},
		"stopped":       {newMachine07, func(t *testing.T, m *machine) { t.Helper(); m.run(t, shell(forever)); m.crash(t) }, nil, "not running"},
		"somebody else's": {newMachine07, func(t *testing.T, m *machine) {
			t.Helper()
			m.set(t, "share", "/elsewhere")
			m.set(t, "status", "Running")
		}, backend.ErrUncapturable, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := test.machine(t)
			test.prepare(t, m)
			since := m.mark()
			_, err := m.Capture(t.Context(), "web", backend.CaptureOptions{Name: "db", Memory: true})
			wantError(t, err, test.kind, "", test.say)
			for _, call := range since() {
				if call != "inspect" && call != "--version" {
					t.Errorf("msb was asked to %s", call)
				}
			}
			if left := m.checkpoints(t); len(left) > 0 {
				t.Errorf("it left %q", left)
			}
		})
	}
}

// captureRunning captures a container with its memory, in which a process of this
// host goes on that ends when the test wants it to.
func (m *machine) captureRunning(t *testing.T) (artifact backend.Artifact, process *exec.Cmd) {
	t.Helper()
	m.run(t, shell(forever))
	artifact = m.publish(t, m.capture07(t, backend.CaptureOptions{Memory: true}))
	m.remove(t)
	process = exec.CommandContext(t.Context(), "sleep", "600")
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = process.Process.Kill(); _ = process.Wait() })
	// The guest that goes on has the processes of the one that was captured.
	file := filepath.Join(artifact.Ref, "metadata.json")
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var metadata struct {
		Schema string            `json:"schema"`
		Labels map[string]string `json:"labels"`
	}
	var kept map[string]any
	err = errors.Join(json.Unmarshal(content, &metadata), json.Unmarshal([]byte(metadata.Labels["dev.rightsize.kept"]), &kept))
	if err != nil {
		t.Fatal(err)
	}
	run, _ := kept["run"].(map[string]any)
	run["pid"] = process.Process.Pid
	changed, err := json.Marshal(kept)
	if err != nil {
		t.Fatal(err)
	}
	metadata.Labels["dev.rightsize.kept"] = string(changed)
	if content, err = json.Marshal(metadata); err == nil {
		err = os.WriteFile(file, content, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return artifact, process
}

// TestCopyWithMemory follows a process that goes on in a copy to its end, and
// through another run of the copy.
func TestCopyWithMemory(t *testing.T) {
	t.Parallel()
	m := newMachine07(t)
	artifact, process := m.captureRunning(t)
	want := backend.Memory{MemoryMB: 512, CPUs: 1, Engine: "0.7"}
	if artifact.Memory == nil || *artifact.Memory != want {
		t.Errorf("its memory is %+v, want %+v", artifact.Memory, want)
	}
	spec := backend.Spec{Name: "web", From: &artifact, Limits: backend.Limits{MemoryMB: 512, CPUs: 0.5}}
	since := m.mark()
	c := m.create(t, spec)
	wantCommands(t, since(), "inspect", "restore", "modify")
	if c.State != backend.StateCreated {
		t.Errorf("it is %s before it was started", c.State)
	}
	if err := m.Start(t.Context(), "web", spec); err != nil {
		t.Fatal(err)
	}
	m.wantState(t, backend.StateRunning, backend.Exit{})

	// The script that has begun it goes on as well, and leaves its exit code.
	runs, err := filepath.Glob(filepath.Join(m.recordDir(t), "share", "*.pid"))
	if err != nil || len(runs) != 1 {
		t.Fatalf("there are %d runs (%v)", len(runs), err)
	}
	pid, err := os.ReadFile(runs[0])
	if err != nil || strings.TrimSpace(string(pid)) != strconv.Itoa(process.Process.Pid) {
		t.Errorf("its process is %s (%v)", pid, err)
	}
	if err := os.WriteFile(strings.TrimSuffix(runs[0], ".pid")+".exit", []byte("3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := process.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = process.Wait()
	exit, err := m.Wait(t.Context(), "web")
	if err != nil || exit.Code != 3 {
		t.Errorf("Wait() = %+v, %v, want code 3", exit, err)
	}
	m.wantState(t, backend.StateExited, backend.Exit{Code: 3})

	// From now on it is like any other one.
	if err := m.Start(t.Context(), "web", spec); err != nil {
		t.Fatal(err)
	}
	m.wantState(t, backend.StateRunning, backend.Exit{})
	if err := m.Stop(t.Context(), "web", backend.DefaultStopTimeout); err != nil {
		t.Fatal(err)
	}
	m.wantState(t, backend.StateExited, backend.Exit{Code: 7})
}

func TestCopyWithMemoryRefused(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change func(*backend.Spec)
		field  backend.Field
		say    string
	}{
		"another size":  {func(s *backend.Spec) { s.Limits.MemoryMB = 256 }, backend.FieldLimits, "captured with 512 MiB, not 256"},
		"another count": {func(s *backend.Spec) { s.Limits.CPUs = 1.5 }, backend.FieldLimits, "captured with 1 processors, not 2"},
		"a file":        {func(s *backend.Spec) { s.Files = []backend.File{{Path: "/a"}} }, backend.FieldFiles, "no file can be in place"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine07(t)
			artifact, _ := m.captureRunning(t)
			spec := backend.Spec{Name: "web", From: &artifact}
			test.change(&spec)
			since := m.mark()
			_, err := m.Create(t.Context(), spec)
			wantError(t, err, backend.ErrUnsupported, test.field, test.say)
			wantCommands(t, since())
		})
	}
}

// TestMemoryThatIsGone is about a copy whose VM has ended before it was started:
// another boot would not be the captured one.
func TestMemoryThatIsGone(t *testing.T) {
	t.Parallel()
	m := newMachine07(t)
	artifact, _ := m.captureRunning(t)
	spec := backend.Spec{Name: "web", From: &artifact}
	m.create(t, spec)
	m.crash(t)
	wantError(t, m.Start(t.Context(), "web", spec), nil, "", "the memory that it was restored with is gone")
}

// TestOtherLine is about artifacts of another line of msb.
func TestOtherLine(t *testing.T) {
	t.Parallel()
	m := newMachine07(t)
	m.run(t, shell(forever))
	newer := m.publish(t, m.capture07(t, backend.CaptureOptions{}))
	m.remove(t)

	m.become(t, "misc/version")
	_, err := m.Create(t.Context(), backend.Spec{Name: "web", From: &newer})
	wantError(t, err, backend.ErrUnsupported, "", "was captured by msb 0.7, and this one is 0.6")

	m.run(t, shell(forever))
	old := m.publish(t, m.capture07(t, backend.CaptureOptions{}))
	m.remove(t)
	m.become(t, "0.7/misc/version")
	m.run(t, backend.Spec{Name: "web", From: &old})
	m.wantState(t, backend.StateRunning, backend.Exit{})
}
