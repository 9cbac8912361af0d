package msb_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/msb"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/msbtest"
)

// newClient07 returns a client of a fake msb 0.7.
func newClient07(t *testing.T) (*msb.Client, *msbtest.Fake) {
	t.Helper()
	client, fake := newClient(t)
	client, err := client.Speak(msb.Version{Minor: 7, Patch: 2})
	if err != nil {
		t.Fatal(err)
	}
	return client, fake
}

func TestSpeak(t *testing.T) {
	t.Parallel()
	client, _ := newClient(t)
	for version, want := range map[msb.Version]msb.Features{
		{Minor: 6, Patch: 8}:  {MemoryTmp: true, Line: "0.6"},
		{Minor: 6, Patch: 18}: {MemoryTmp: true, Line: "0.6"},
		{Minor: 7}:            {Live: true, Memory: true, Line: "0.7"},
		{Minor: 7, Patch: 2}:  {Live: true, Memory: true, Line: "0.7"},
	} {
		speaking, err := client.Speak(version)
		if err != nil {
			t.Errorf("Speak(%s) = %v", version, err)
			continue
		}
		if diff := cmp.Diff(want, speaking.Features()); diff != "" {
			t.Errorf("features of %s (-want +got):\n%s", version, diff)
		}
	}
	for _, version := range []msb.Version{{Minor: 5, Patch: 9}, {Minor: 8}, {Major: 1, Minor: 7}} {
		if _, err := client.Speak(version); !errors.Is(err, msb.ErrUsage) {
			t.Errorf("Speak(%s) = %v, want ErrUsage", version, err)
		}
	}
}

func TestRestore07(t *testing.T) {
	t.Parallel()
	boot := msb.Boot{
		Name: "r", Snapshot: "/srv/g/snap_1", MemoryMB: 256, CPUs: 2,
		Env: map[string]string{"A": "secret"}, WorkingDir: "/work", User: "app", Idle: []string{"/bin/sh"},
		Ports:  []backend.PortBinding{{Port: backend.Port{Number: 80, Protocol: backend.TCP}, Host: 18080}},
		Mounts: []msb.Mount{{Host: "/srv/run", Guest: "/.rightsize"}},
		Labels: map[string]string{"b": "2", "a": "1=x"},
	}
	memory, bare, closed := boot, msb.Boot{Name: "r", Snapshot: "/srv/g/snap_1"}, msb.Boot{Name: "r", Snapshot: "/srv/s", NoNetwork: true}
	memory.Memory = true
	const label = "modify --next-start --format=json --label=a=1=x --label=b=2 r"
	tests := map[string]struct {
		boot msb.Boot
		want []string
	}{
		"with everything": {boot, []string{
			inspectLine, "restore --name=r --memory=256M --cpus=2 --port=127.0.0.1:18080:80 --volume=/srv/run:/.rightsize /srv/g/snap_1", label,
		}},
		"with memory": {memory, []string{
			inspectLine, "restore --name=r --external-mount-policy=relaxed --port=127.0.0.1:18080:80 --volume=/srv/run:/.rightsize /srv/g/snap_1", label,
		}},
		"with nothing":      {bare, []string{inspectLine, "restore --name=r /srv/g/snap_1"}},
		"without a network": {closed, []string{inspectLine, "restore --name=r --no-net /srv/s"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, fake := newClient07(t)
			refuseInspect(fake)
			fake.Handle("restore").Sample("0.7/restore/disk-ok")
			fake.Handle("modify").Sample("0.7/sandbox/modify-next-start-after-restore")
			if err := client.Restore(t.Context(), test.boot); err != nil {
				t.Fatal(err)
			}
			wantLines(t, fake, test.want...)
		})
	}
}

func TestRestore07Fails(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		sample string
		want   error
		// cleaned says that what it may have left is removed.
		cleaned bool
	}{
		"the name is taken":             {"0.7/restore/name-exists", msb.ErrExists, false},
		"there is no snapshot":          {"0.7/restore/missing-path", msb.ErrSnapshotNotFound, true},
		"its memory was another one":    {"0.7/restore/full-other-memory", msb.ErrInvalid, true},
		"its mounts were others":        {"0.7/restore/full-missing-mount", msb.ErrInvalid, true},
		"its image is gone":             {"0.7/restore/base-image-missing-offline", msb.ErrIntegrity, true},
		"it needs what it does not get": {"0.7/restore/bad-port", msb.ErrInvalid, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, fake := newClient07(t)
			refuseInspect(fake)
			fake.Handle("restore").Sample(test.sample)
			fake.Handle("remove").Sample("sandbox/rm-force-missing")
			if err := client.Restore(t.Context(), msb.Boot{Name: "r", Snapshot: "/srv/s"}); !errors.Is(err, test.want) {
				t.Errorf("Restore() = %v, want %v", err, test.want)
			}
			lines := fake.Lines()
			if cleaned := lines[len(lines)-1] == "remove --force r"; cleaned != test.cleaned {
				t.Errorf("it was removed: %t, want %t", cleaned, test.cleaned)
			}
		})
	}
}

// TestRestore07WithoutLabels is about a sandbox that is up when it turns out that
// it cannot be labelled: by what it mounts it is known, and removed.
func TestRestore07WithoutLabels(t *testing.T) {
	t.Parallel()
	boot := msb.Boot{
		Name: "r", Snapshot: "/srv/s", Labels: map[string]string{"a": "1"}, Mounts: []msb.Mount{{Host: "/srv/run", Guest: "/.rightsize"}},
	}
	for name, mounted := range map[string]string{"ours": "/srv/run", "somebody else's": "/srv/other"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, fake := newClient07(t)
			fake.Expect(inspect...).Sample("sandbox/inspect-missing")
			fake.Handle("restore").Sample("0.7/restore/disk-ok")
			fake.Handle("modify").Sample("0.7/sandbox/modify-running-refused")
			fake.Expect(inspect...).Stdout(`{"name":"r","status":"Running","config":{"labels":{"a":"1"},"mounts":[{"type":"Bind","host":"` + mounted + `","guest":"/.rightsize"}]}}`)
			fake.Handle("remove").Sample("sandbox/rm-ok")
			if err := client.Restore(t.Context(), boot); !errors.Is(err, msb.ErrNotStopped) {
				t.Errorf("Restore() = %v, want ErrNotStopped", err)
			}
			lines := fake.Lines()
			if removed := lines[len(lines)-1] == "remove --force r"; removed != (mounted == "/srv/run") {
				t.Errorf("it was removed: %t", removed)
			}
		})
	}
}

// TestRestore07EndsByItself is about a VM that goes down before its guest has
// answered. Its disk is there, and is started; its memory is not, so that it is
// restored again.
func TestRestore07EndsByItself(t *testing.T) {
	t.Parallel()
	const restore, memory = "restore --name=r /srv/s", "restore --name=r --external-mount-policy=relaxed /srv/s"
	tests := map[string]struct {
		memory bool
		want   []string
		err    error
	}{
		"disk":   {false, []string{inspectLine, restore, "start r"}, nil},
		"memory": {true, []string{inspectLine, memory, "remove --force r", memory, "remove --force r", memory, inspectLine, "remove --force r"}, msb.ErrBoot},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, fake := newClient07(t)
			refuseInspect(fake)
			fake.Handle("restore").Sample("0.7/sandbox/boot-failed-flake")
			fake.Handle("start")
			fake.Handle("remove").Sample("sandbox/rm-ok")
			err := client.Restore(t.Context(), msb.Boot{Name: "r", Snapshot: "/srv/s", Memory: test.memory})
			if !errors.Is(err, test.err) {
				t.Errorf("Restore() = %v, want %v", err, test.err)
			}
			wantLines(t, fake, test.want...)
		})
	}
}

func TestSnapshot07(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		snapshot msb.Snapshot
		want     string
	}{
		"a disk": {
			msb.Snapshot{Integrity: true, Labels: map[string]string{"k": "v"}},
			"snapshot create --from-sandbox=web --group=ck --dest-dir=@DIR@/ck --integrity --label=k=v checkpoint",
		},
		"memory": {
			msb.Snapshot{Memory: true},
			"snapshot create --from-sandbox=web --group=ck --dest-dir=@DIR@/ck --full --guest-flush=required checkpoint",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, fake := newClient07(t)
			dir := t.TempDir()
			fake.Handle("snapshot", "create").Sample("0.7/snapshot/create-dest-dir")
			test.snapshot.Name, test.snapshot.Sandbox, test.snapshot.Dir = "ck", "web", dir
			identity, path, err := client.Snapshot(t.Context(), test.snapshot)
			if err != nil {
				t.Fatal(err)
			}
			if identity != "snap_eca59662261eadb276deae1ea38d128a" || path != "/srv/snaps/gd/"+identity {
				t.Errorf("Snapshot() = %q, %q", identity, path)
			}
			if got := fake.Lines(); len(got) != 1 || got[0] != replaceDir(test.want, dir) {
				t.Errorf("calls: %q, want %q", got, test.want)
			}
		})
	}
}

func TestSnapshot07Fails(t *testing.T) {
	t.Parallel()
	for sample, want := range map[string]error{
		"create-full-stopped":           msb.ErrNotRunning,
		"create-starting":               msb.ErrStillRunning,
		"create-tmpfs-root":             msb.ErrUncapturable,
		"create-missing-sandbox":        msb.ErrNotFound,
		"create-flush-required-stopped": msb.ErrInvalid,
		"create-name-exists":            msb.ErrSnapshotExists,
	} {
		t.Run(sample, func(t *testing.T) {
			t.Parallel()
			client, fake := newClient07(t)
			fake.Handle("snapshot", "create").Sample("0.7/snapshot/" + sample)
			if _, _, err := client.Snapshot(t.Context(), msb.Snapshot{Name: "s", Sandbox: "w", Dir: t.TempDir()}); !errors.Is(err, want) {
				t.Errorf("Snapshot() = %v, want %v", err, want)
			}
		})
	}
}

// TestCancelledSnapshot07 is about a capture that msb has published although it
// was told to end.
func TestCancelledSnapshot07(t *testing.T) {
	t.Parallel()
	client, fake := newClient07(t)
	dir := t.TempDir()
	made := filepath.Join(dir, "s", "s", "snap_8fc882629f0e8027db7b7a0475053618")
	fake.Handle("snapshot", "create").Mkdir(made).Hang()
	fake.Handle("snapshot", "remove").Sample("0.7/snapshot/remove-force")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		fake.WaitForFile(made)
		_ = os.WriteFile(filepath.Join(made, "snapshot.json"), []byte(msbtest.File("0.7/files/snapshot.json")), 0o600)
		cancel()
	}()
	if _, _, err := client.Snapshot(ctx, msb.Snapshot{Name: "s", Sandbox: "w", Dir: dir}); !errors.Is(err, context.Canceled) {
		t.Errorf("Snapshot() = %v, want context.Canceled", err)
	}
	wantLines(t, fake,
		"snapshot create --from-sandbox=w --group=s --dest-dir="+dir+"/s checkpoint", "snapshot remove --force "+made)
	if left := names(t, dir); len(left) > 0 {
		t.Errorf("it left %q", left)
	}
}

func TestForgetSnapshot07(t *testing.T) {
	t.Parallel()
	for sample, want := range map[string]error{
		"snapshot/remove-force":          nil,
		"snapshot/remove-missing":        nil,
		"snapshot/inspect-missing-layer": nil,
		"snapshot/remove-head-refused":   msb.ErrInvalid,
	} {
		t.Run(sample, func(t *testing.T) {
			t.Parallel()
			client, fake := newClient07(t)
			path := filepath.Join(t.TempDir(), "snap_1")
			writeFile(t, filepath.Join(path, "snapshot.json"), msbtest.File("0.7/files/snapshot.json"))
			fake.Expect("snapshot", "remove", "--force", path).Sample("0.7/" + sample)
			if err := client.ForgetSnapshot(t.Context(), path); !errors.Is(err, want) {
				t.Errorf("ForgetSnapshot() = %v, want %v", err, want)
			}
		})
	}
	client, _ := newClient07(t)
	if err := client.ForgetSnapshot(t.Context(), t.TempDir()); err != nil {
		t.Errorf("of a directory without a snapshot: %v", err)
	}
	if err := client.ForgetSnapshot(t.Context(), "g:checkpoint"); !errors.Is(err, msb.ErrInvalid) {
		t.Errorf("of a name: %v", err)
	}
}

// TestStop07 is about a guest that does not go down: msb 0.7 gives up, and leaves
// the VM as it is.
func TestStop07(t *testing.T) {
	t.Parallel()
	client, fake := newClient07(t)
	fake.Expect("stop", "--timeout=1", "ig").Sample("0.7/stop/timeout-1-term-ignoring")
	fake.Expect("stop", "--force", "ig").Sample("0.7/stop/no-timeout")
	if err := client.Stop(t.Context(), "ig", time.Second); err != nil {
		t.Fatal(err)
	}
	wantLines(t, fake, "stop --timeout=1 ig", "stop --force ig")
}

func TestResume(t *testing.T) {
	t.Parallel()
	for _, sample := range []string{"resume-ok", "resume-running"} {
		client, fake := newClient07(t)
		fake.Expect("resume", "w").Sample("0.7/pause/" + sample)
		if err := client.Resume(t.Context(), "w"); err != nil {
			t.Errorf("%s: %v", sample, err)
		}
	}
}

func TestCompact(t *testing.T) {
	t.Parallel()
	client, fake := newClient07(t)
	fake.Expect("modify", "--compact", "a").Sample("0.7/sandbox/modify-compact")
	if err := client.Compact(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
}

func isDiskCapture(r msb.LogRecord) bool { return strings.Contains(r.Text, "capture_disk") }

// TestCapturePause reads the source's log, in which there is much else.
func TestCapturePause(t *testing.T) {
	t.Parallel()
	timing := func(text string) msb.LogRecord { return msb.LogRecord{Source: "system", Text: text} }
	const full = `INFO microsandbox_checkpoint_timing: checkpoint capture timing operation="capture" source_already_paused=false ` +
		`freeze_us=100706 pause_barrier_us=1766 paused_capture_us=1913370 vm_pause_window_us=1932401 workload_unavailable_us=2083415`
	client, fake := newClient07(t)
	fake.Handle("logs").Sample("0.7/logs/capture-timing-in-source-system-log")
	stream, err := client.Logs(t.Context(), "web", msb.LogOptions{Source: msb.SystemLog})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	var disk []msb.LogRecord
	for {
		record, err := stream.Next()
		if err != nil {
			break
		}
		disk = append(disk, record)
	}
	for name, test := range map[string]struct {
		records []msb.LogRecord
		want    time.Duration
	}{
		"of a disk":    {disk[:slices.IndexFunc(disk, isDiskCapture)+1], 385405 * time.Microsecond},
		"of a log":     {disk, 1716925 * time.Microsecond},
		"of memory":    {[]msb.LogRecord{timing(full)}, 2083415 * time.Microsecond},
		"of the last":  {[]msb.LogRecord{timing(full), timing(` timing operation="capture_disk" pause_us=7 total_us=9`)}, 7 * time.Microsecond},
		"of no number": {[]msb.LogRecord{timing(` timing operation="capture_disk" pause_us=99999999999999999999 total_us=9`)}, 0},
		"of none":      {[]msb.LogRecord{timing(` timing operation="root_journal_admission" total_us=109`)}, 0},
	} {
		if got := msb.CapturePause(test.records); got != test.want {
			t.Errorf("the pause %s = %s, want %s", name, got, test.want)
		}
	}
}
