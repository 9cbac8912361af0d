package msb_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/msb"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/msbtest"
)

var (
	fromImage    = msb.Boot{Name: "r", Image: "app:1", Labels: map[string]string{"owner": "me"}}
	fromSnapshot = msb.Boot{Name: "r", Snapshot: "/srv/s1", Labels: map[string]string{"owner": "me"}, Idle: []string{"/bin/sh"}}

	inspect     = []string{"inspect", "--format=json", "r"}
	create      = []string{"create", "--pull=never", "--name=r", "--label=owner=me", "app:1"}
	createLine  = "create --pull=never --name=r --label=owner=me app:1"
	run         = []string{"run", "--detach", "--pull=never", "--from-snapshot=/srv/s1", "--name=r", "--label=owner=me", "--entrypoint=/bin/sh", "--"}
	runLine     = "run --detach --pull=never --from-snapshot=/srv/s1 --name=r --label=owner=me --entrypoint=/bin/sh --"
	inspectLine = "inspect --format=json r"
)

const (
	ours   = `{"name":"r","status":"Stopped","config":{"labels":{"owner":"me","of":"image"}}}`
	theirs = `{"name":"r","status":"Running","config":{"labels":{"owner":"you"}}}`
)

func wantLines(t *testing.T, fake *msbtest.Fake, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, fake.Lines()); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

func TestCreateLeavesNothing(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		sample string
		want   error
	}{
		"the VM does not come up":    {"sandbox/run-detached-build-vm-failed", msb.ErrBoot},
		"the image is not there":     {"sandbox/run-missing-image-pull-never", msb.ErrImageNotCached},
		"the working directory":      {"sandbox/run-detached-missing-workdir", msb.ErrWorkdir},
		"a mount":                    {"sandbox/run-detached-mount-source-missing", msb.ErrBoot},
		"the path of the home":       {"sandbox/create-socket-path-too-long", msb.ErrSocketPath},
		"the host has no CA bundle":  {"misc/no-ca-bundle-panic", msb.ErrNoCertificates},
		"the version is another one": {"misc/usage-error-unknown-flag", msb.ErrUsage},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, fake := newClient(t)
			fake.Expect(inspect...).Sample("sandbox/inspect-missing")
			fake.Expect(create...).Sample(test.sample)
			fake.Expect(inspect...).Stdout(ours)
			fake.Expect("remove", "--force", "r").Sample("sandbox/rm-ok")
			if err := client.Create(t.Context(), fromImage); !errors.Is(err, test.want) {
				t.Errorf("Create() = %v, want %v", err, test.want)
			}
			wantLines(t, fake, inspectLine, createLine, inspectLine, "remove --force r")
		})
	}
}

// TestCreateClearsTheDirectoryItLeft is about a boot that fails before msb has
// recorded it: the directory alone makes the name unusable for ever.
func TestCreateClearsTheDirectoryItLeft(t *testing.T) {
	t.Parallel()
	client, fake := newClient(t)
	dir := filepath.Join(fake.Home(), "sandboxes", "r")
	refuseInspect(fake)
	fake.Handle("create").Mkdir(filepath.Join(dir, "logs")).Sample("sandbox/create-root-disk-too-small")
	fake.Handle("remove").Sample("sandbox/rm-force-missing")
	if err := client.Create(t.Context(), fromImage); !errors.Is(err, msb.ErrInvalid) {
		t.Errorf("Create() = %v, want ErrInvalid", err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the directory is still there (%v)", err)
	}
}

// TestBootSparesOthers is about a sandbox of the same name that somebody else
// has: whatever happens, it is neither used nor removed.
func TestBootSparesOthers(t *testing.T) {
	t.Parallel()
	tests := map[string]func(*testing.T, *msb.Client, *msbtest.Fake) error{
		"create, seen before": func(t *testing.T, c *msb.Client, f *msbtest.Fake) error {
			f.Expect(inspect...).Stdout(theirs)
			return c.Create(t.Context(), fromImage)
		},
		"restore, seen before": func(t *testing.T, c *msb.Client, f *msbtest.Fake) error {
			f.Expect(inspect...).Stdout(theirs)
			return c.Restore(t.Context(), fromSnapshot)
		},
		"create, in the meantime": func(t *testing.T, c *msb.Client, f *msbtest.Fake) error {
			f.Expect(inspect...).Sample("sandbox/inspect-missing")
			f.Expect(create...).Sample("sandbox/create-existing-name")
			return c.Create(t.Context(), fromImage)
		},
		"restore, in the meantime, which is no error to msb": func(t *testing.T, c *msb.Client, f *msbtest.Fake) error {
			f.Expect(inspect...).Sample("sandbox/inspect-missing")
			f.Expect(run...).Stdout("r\n").Stderr(strings.ReplaceAll(msbtest.Load("sandbox/run-detached-existing-name").Stderr, "w1", "r"))
			return c.Restore(t.Context(), fromSnapshot)
		},
		"create, in the meantime, and failed otherwise": func(t *testing.T, c *msb.Client, f *msbtest.Fake) error {
			f.Expect(inspect...).Sample("sandbox/inspect-missing")
			f.Expect(create...).Sample("sandbox/run-detached-boot-failed")
			f.Expect(inspect...).Stdout(theirs)
			if err := c.Create(t.Context(), fromImage); !errors.Is(err, msb.ErrBoot) {
				t.Errorf("Create() = %v, want ErrBoot", err)
			}
			return msb.ErrExists
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, fake := newClient(t)
			if err := test(t, client, fake); !errors.Is(err, msb.ErrExists) {
				t.Errorf("the error is %v, want ErrExists", err)
			}
		})
	}
}

func TestBootRefusesAnOrphan(t *testing.T) {
	t.Parallel()
	client, fake := newClient(t)
	dir := filepath.Join(fake.Home(), "sandboxes", "r")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	refuseInspect(fake)
	if err := client.Create(t.Context(), fromImage); !errors.Is(err, msb.ErrOrphaned) {
		t.Errorf("Create() = %v, want ErrOrphaned", err)
	}
	if _, err := os.Stat(dir); err != nil {
		t.Errorf("Create has removed what may belong to somebody else: %v", err)
	}
}

// TestCancelledCreate is about a user who interrupts a boot: msb is told to end,
// and the VM that it may have started is removed all the same.
func TestCancelledCreate(t *testing.T) {
	t.Parallel()
	client, fake := newClient(t)
	fake.Expect(inspect...).Sample("sandbox/inspect-missing")
	fake.Expect(create...).Hang()
	fake.Expect(inspect...).Stdout(ours)
	fake.Expect("remove", "--force", "r").Sample("sandbox/rm-ok")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		fake.WaitForCall("create")
		cancel()
	}()
	if err := client.Create(ctx, fromImage); !errors.Is(err, context.Canceled) {
		t.Errorf("Create() = %v, want context.Canceled", err)
	}
	wantLines(t, fake, inspectLine, createLine, inspectLine, "remove --force r")
}

func TestCleanUpThatFailsIsReported(t *testing.T) {
	t.Parallel()
	client, fake := newClient(t)
	fake.Expect(inspect...).Sample("sandbox/inspect-missing")
	fake.Expect(create...).Sample("sandbox/run-detached-boot-failed")
	fake.Expect(inspect...).Stdout(ours)
	fake.Expect("remove", "--force", "r").Sample("misc/schema-newer-than-binary")
	err := client.Create(t.Context(), fromImage)
	if !errors.Is(err, msb.ErrBoot) || !errors.Is(err, msb.ErrSchemaNewer) {
		t.Errorf("Create() = %v, want both failures", err)
	}
}

// TestCreateAgain is about a VM that ends by itself before its guest answers.
func TestCreateAgain(t *testing.T) {
	t.Parallel()
	client, fake := newClient(t)
	fake.Expect(inspect...).Sample("sandbox/inspect-missing")
	fake.Expect(create...).Sample("from-snapshot/idle-too-late")
	fake.Expect("start", "r").Sample("sandbox/start-ok")
	if err := client.Create(t.Context(), fromImage); err != nil {
		t.Fatal(err)
	}
}

// TestRestoreGivenUp is about a VM that msb says is up and gives up in the same
// moment: its idle command never begins.
func TestRestoreGivenUp(t *testing.T) {
	t.Parallel()
	const stopped = `{"name":"r","status":"Stopped","config":{"labels":{"owner":"me"}}}`
	client, fake := newClient(t)
	fake.Expect(inspect...).Sample("sandbox/inspect-missing")
	fake.Expect(run...).Sample("from-snapshot/run-ok")
	fake.Expect(inspect...).Stdout(stopped)
	// It comes upon the end of that VM, and then not.
	fake.Expect("start", "r").Sample("from-snapshot/idle-too-late")
	fake.Expect("start", "r").Sample("sandbox/start-ok")
	boot := fromSnapshot
	boot.IdleRuns = func() bool { return false }
	if err := client.Restore(t.Context(), boot); err != nil {
		t.Fatal(err)
	}
	want := []string{inspectLine, runLine, inspectLine, "start r", "start r"}
	if diff := cmp.Diff(want, fake.Lines()); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

// TestRestoreIdle is about a VM whose idle command has begun when it is asked
// for: msb is not asked again.
func TestRestoreIdle(t *testing.T) {
	t.Parallel()
	client, fake := newClient(t)
	fake.Expect(inspect...).Sample("sandbox/inspect-missing")
	fake.Expect(run...).Sample("from-snapshot/run-ok")
	asked := 0
	boot := fromSnapshot
	boot.IdleRuns = func() bool { asked++; return asked > 3 }
	if err := client.Restore(t.Context(), boot); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{inspectLine, runLine}, fake.Lines()); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

func TestRestore(t *testing.T) {
	t.Parallel()
	const stopped = `{"name":"r","status":"Stopped","config":{"labels":{"owner":"me"}}}`
	const removed = "remove --force r"
	tests := map[string]struct {
		prepare func(*msbtest.Fake)
		want    error
		calls   []string
	}{
		"at once": {
			func(f *msbtest.Fake) { f.Expect(run...).Sample("from-snapshot/run-ok") },
			nil, []string{inspectLine, runLine},
		},
		"the idle command was not reached in time": {
			func(f *msbtest.Fake) {
				f.Expect(run...).Sample("from-snapshot/idle-too-late")
				f.Expect("start", "r").Sample("sandbox/start-ok")
			},
			nil, []string{inspectLine, runLine, "start r"},
		},
		"and start fails too": {
			func(f *msbtest.Fake) {
				f.Expect(run...).Sample("from-snapshot/idle-too-late")
				f.Expect("start", "r").Sample("sandbox/start-boot-failed")
				f.Expect(inspect...).Stdout(stopped)
				f.Expect("remove", "--force", "r")
			},
			msb.ErrBoot, []string{inspectLine, runLine, "start r", inspectLine, removed},
		},
		"the VM crashed": {
			func(f *msbtest.Fake) {
				f.Expect(run...).Sample("sandbox/run-detached-boot-failed")
				f.Expect(inspect...).Stdout(stopped)
				f.Expect("remove", "--force", "r")
			},
			msb.ErrBoot, []string{inspectLine, runLine, inspectLine, removed},
		},
		"another failure of the boot": {
			func(f *msbtest.Fake) {
				f.Expect(run...).Sample("sandbox/run-detached-build-vm-failed")
				f.Expect(inspect...).Stdout(stopped)
				f.Expect("remove", "--force", "r")
			},
			msb.ErrBoot, []string{inspectLine, runLine, inspectLine, removed},
		},
		"no such snapshot": {
			func(f *msbtest.Fake) {
				f.Expect(run...).Sample("from-snapshot/missing")
				f.Expect(inspect...).Sample("sandbox/inspect-missing")
				f.Expect("remove", "--force", "r").Sample("sandbox/rm-force-missing")
			},
			msb.ErrSnapshotNotFound, []string{inspectLine, runLine, inspectLine, removed},
		},
		"its image is gone": {
			func(f *msbtest.Fake) {
				f.Expect(run...).Sample("from-snapshot/base-image-missing-pull-never")
				f.Expect(inspect...).Sample("sandbox/inspect-missing")
				f.Expect("remove", "--force", "r").Sample("sandbox/rm-force-missing")
			},
			msb.ErrIntegrity, []string{inspectLine, runLine, inspectLine, removed},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, fake := newClient(t)
			fake.Expect(inspect...).Sample("sandbox/inspect-missing")
			test.prepare(fake)
			if err := client.Restore(t.Context(), fromSnapshot); !errors.Is(err, test.want) {
				t.Errorf("Restore() = %v, want %v", err, test.want)
			}
			wantLines(t, fake, test.calls...)
		})
	}
}

// TestBootOfAGuestThatDoesNotAnswer is about a VM that hangs: it is ended, and
// booted once more from the disk that it has.
func TestBootOfAGuestThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	const hangs = "error: runtime error: timed out waiting for agent relay: deadline has elapsed\n"
	client, fake := newClient(t)
	refuseInspect(fake)
	fake.Handle("create").Stderr(hangs).Exit(1)
	fake.Handle("stop")
	fake.Handle("start").Sample("sandbox/start-ok")
	if err := client.Create(t.Context(), fromImage); err != nil {
		t.Fatal(err)
	}
	wantLines(t, fake, inspectLine, createLine, "stop --force r", "start r")

	client, fake = newClient(t)
	fake.Handle("start").Stderr(hangs).Exit(1)
	fake.Handle("stop")
	if err := client.Start(t.Context(), "r"); !errors.Is(err, msb.ErrBoot) {
		t.Errorf("Start() = %v, want ErrBoot", err)
	}
	wantLines(t, fake, "start r", "stop --force r", "start r", "stop --force r", "start r")
}

// TestBootOnABusyHost is about a boot that has not even begun: it is tried again.
func TestBootOnABusyHost(t *testing.T) {
	t.Parallel()
	// It fails the first time only.
	once := filepath.Join(t.TempDir(), "once")
	late := `[ -e "` + once + `" ] && rm "` + once + `" && exit; : >"` + once + `"; echo "error: runtime error: runtime version probe timed out" >&2; exit 1`
	client, fake := newClient(t)
	refuseInspect(fake)
	fake.Handle("remove").Sample("sandbox/rm-force-missing")
	fake.Handle("create").Shell(late)
	fake.Handle("start").Shell(late)
	if err := client.Create(t.Context(), fromImage); err != nil {
		t.Fatal(err)
	}
	if err := client.Start(t.Context(), "r"); err != nil {
		t.Error(err)
	}
	wantLines(t, fake, inspectLine, createLine, inspectLine, "remove --force r", createLine, "start r", "start r")
}
