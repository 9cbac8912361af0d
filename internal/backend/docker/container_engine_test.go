package docker

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/mount"
	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

func TestStartNamesTheCulprit(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, b *Backend) {
		tests := map[string]struct {
			change func(*backend.Spec)
			field  backend.Field
		}{
			"missing executable": {func(s *backend.Spec) { s.Command = []string{"/bin/missing"} }, backend.FieldCommand},
			"not executable":     {func(s *backend.Spec) { s.Command = []string{"/etc/passwd"} }, backend.FieldCommand},
			// The engine says it in words only.
			"missing user": {func(s *backend.Spec) { s.User = "nobody-of-that-name" }, ""},
		}
		for name, tt := range tests {
			t.Run(name, func(t *testing.T) {
				spec := sleeper()
				tt.change(&spec)
				c := create(t, b, spec)
				for range 2 {
					wantError(t, b.Start(t.Context(), c.ID, spec), nil, tt.field)
				}
			})
		}
	})
}

func TestStartNamesThePort(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, b *Backend) {
		tests := map[string]struct {
			protocol backend.Protocol
			take     func(t *testing.T) net.Addr
		}{
			"tcp of a program": {backend.TCP, func(t *testing.T) net.Addr {
				listener, err := net.Listen("tcp", "127.0.0.1:0")
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { listener.Close() })
				return listener.Addr()
			}},
			"udp of a program": {backend.UDP, func(t *testing.T) net.Addr {
				conn, err := net.ListenPacket("udp", "127.0.0.1:0")
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { conn.Close() })
				return conn.LocalAddr()
			}},
		}
		for name, tt := range tests {
			t.Run(name, func(t *testing.T) {
				spec := sleeper()
				spec.Ports = []backend.PortBinding{
					{Port: backend.Port{Number: 80, Protocol: tt.protocol}, Host: portOf(tt.take(t))},
				}
				c := create(t, b, spec)
				err := b.Start(t.Context(), c.ID, spec)
				wantError(t, err, backend.ErrPortTaken, backend.FieldPorts)
				if !saysPortTaken(err) {
					t.Errorf("the table of texts does not know what this engine says: %v", err)
				}
			})
		}
	})
}

func portOf(addr net.Addr) uint16 {
	switch addr := addr.(type) {
	case *net.TCPAddr:
		return uint16(addr.Port)
	case *net.UDPAddr:
		return uint16(addr.Port)
	}
	return 0
}

// TestStopResumesFirst would wait for the whole of the grace, which is longer
// than a test may take, if the process could not handle the signal.
func TestStopResumesFirst(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, b *Backend) {
		spec := sleeper()
		spec.Command = []string{"sh", "-c", "trap 'exit 7' TERM; while :; do sleep 1 & wait $!; done"}
		c := start(t, b, spec)
		if err := apiOf(t, b).ContainerPause(t.Context(), c.ID); err != nil {
			t.Fatal(err)
		}
		if err := b.Stop(t.Context(), c.ID, time.Hour); err != nil {
			t.Fatal(err)
		}
		exit, err := b.Wait(t.Context(), c.ID)
		if err != nil {
			t.Fatal(err)
		}
		if exit.Code != 7 {
			t.Errorf("the process ended with %d: it did not get to handle the signal", exit.Code)
		}
	})
}

func TestCreateLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, b *Backend) {
		file := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		socket := filepath.Join(t.TempDir(), "socket")
		listener, err := net.Listen("unix", socket)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { listener.Close() })

		good := backend.File{Path: "/good", Content: []byte("x")}
		tests := map[string]backend.File{
			"special file":        {Path: "/socket", Source: filepath.Dir(socket)},
			"below a file":        {Path: "/etc/passwd/file", Content: []byte("x")},
			"unknown owner":       {Path: "/file", Content: []byte("x"), Owner: "nobody-of-that-name"},
			"relative":            {Path: "file", Content: []byte("x")},
			"tree over a file":    {Path: "/etc/passwd", Source: filepath.Dir(file)},
			"unknown group":       {Path: "/file", Content: []byte("x"), Owner: "0:nobody-of-that-name"},
			"file in a good tree": {Path: "/tree", Source: filepath.Dir(socket)},
		}
		for name, bad := range tests {
			t.Run(name, func(t *testing.T) {
				spec := sleeper()
				spec.Files = []backend.File{good, bad}
				removeLater(t, b, spec.Name)
				_, err := b.Create(t.Context(), spec)
				wantError(t, err, nil, backend.FieldFiles)
				var failure *backend.Error
				if errors.As(err, &failure) && failure.Index != 1 {
					t.Errorf("the error names file %d, want 1: %v", failure.Index, err)
				}
				if _, err := b.Inspect(t.Context(), spec.Name); !errors.Is(err, backend.ErrNotFound) {
					t.Errorf("the container was left behind: %v", err)
				}
			})
		}

		t.Run("interrupted", func(t *testing.T) {
			spec := sleeper()
			// A file that never ends, for the interruption to find.
			spec.Files = []backend.File{{Path: "/endless", Source: endless(t)}}
			removeLater(t, b, spec.Name)
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			defer cancel()
			if _, err := b.Create(ctx, spec); err == nil {
				t.Fatal("the creation did not fail")
			}
			if _, err := b.Inspect(t.Context(), spec.Name); !errors.Is(err, backend.ErrNotFound) {
				t.Errorf("the container was left behind: %v", err)
			}
		})
	})
}

// endless returns a file whose content takes longer to copy than a test waits:
// a hole of a tebibyte.
func endless(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "endless")
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := file.Truncate(1 << 40); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestFilesKeepWhatIsThere(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, b *Backend) {
		origin := start(t, b, sleeper())
		shell(t, b, origin.ID, `mkdir -p /own/sub /real && chmod 1777 /own && chmod 700 /own/sub && chown 5:6 /own/sub && ln -s /real /link &&
			echo "app:x:1000:1001::/:/bin/sh" >>/etc/passwd && echo "staff:x:50:" >>/etc/group`)
		_, artifact := capture(t, b, origin.ID)

		tree := t.TempDir()
		if err := os.MkdirAll(filepath.Join(tree, "sub", "new"), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(tree, "sub", "file"), []byte("x"), 0o640); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink("sub/file", filepath.Join(tree, "symlink")); err != nil {
			t.Fatal(err)
		}
		setuid := fs.FileMode(0o755) | fs.ModeSetuid
		spec := sleeper()
		spec.Image, spec.From = "", &artifact
		spec.Files = []backend.File{
			{Path: "/own", Source: tree, Owner: "app:staff"},
			{Path: "/link/below/file", Content: []byte("x"), Owner: "app"},
			{Path: "/link/below/group", Content: []byte("x"), Owner: "app:"},
			{Path: "/setuid", Content: []byte("x"), Mode: &setuid},
			{Path: "/made/by/name", Content: []byte("x"), Owner: "7:8"},
		}
		c := start(t, b, spec)
		got := shell(t, b, c.ID, `stat -c '%n %a %u:%g' /own /own/sub /own/sub/new /own/sub/file /real/below /real/below/file \
			/real/below/group /setuid /made /made/by /made/by/name; stat -c '%N %u:%g' /own/symlink; readlink /link`)
		want := `/own 1777 0:0
/own/sub 700 5:6
/own/sub/new 750 1000:50
/own/sub/file 640 1000:50
/real/below 755 0:0
/real/below/file 644 1000:0
/real/below/group 644 1000:1001
/setuid 4755 0:0
/made 755 0:0
/made/by 755 0:0
/made/by/name 644 7:8
'/own/symlink' -> 'sub/file' 1000:50
/real
`
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("files (-want +got):\n%s", diff)
		}
	})
}

func TestInspectForeign(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, b *Backend) {
		id := foreign(t, b, container.Config{
			Image:      busybox,
			Env:        []string{"MINE=1"},
			Cmd:        []string{"sleep", "1000"},
			WorkingDir: "/tmp",
			Labels:     map[string]string{"org.example.mine": "1", labelRunID: "12345678"},
		}, container.HostConfig{Resources: container.Resources{Memory: 64 << 20}})
		c, err := b.Inspect(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		want := backend.Given{
			Image:      busybox,
			Env:        map[string]string{"MINE": "1"},
			Command:    []string{"sleep", "1000"},
			WorkingDir: "/tmp",
			Labels:     map[string]string{"org.example.mine": "1"},
			Limits:     backend.Limits{MemoryMB: 64},
		}
		if diff := cmp.Diff(want, c.Given); diff != "" {
			t.Errorf("given (-want +got):\n%s", diff)
		}
		if c.Managed {
			t.Error("the container is said to be ours")
		}
	})
}

// TestInspectInheritedSpec is about a container that a rightsize library made
// from a checkpoint that it captured itself of one of ours, labels and all.
func TestInspectInheritedSpec(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, b *Backend) {
		spec := sleeper()
		spec.Env = map[string]string{"SEED": "1"}
		origin := create(t, b, spec)
		if !origin.Managed {
			t.Error("the container is not said to be ours")
		}
		committed, err := apiOf(t, b).ContainerCommit(t.Context(), origin.ID, container.CommitOptions{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { b.dropImage(context.Background(), committed.ID) })

		id := foreign(t, b, container.Config{Image: committed.ID, Env: []string{"MINE=1"}}, container.HostConfig{})
		c, err := b.Inspect(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(backend.Given{Image: committed.ID, Env: map[string]string{"MINE": "1"}}, c.Given); diff != "" {
			t.Errorf("given (-want +got):\n%s", diff)
		}
		if c.Managed || c.ImageID != committed.ID {
			t.Errorf("managed: %t, image %s, want false and %s", c.Managed, c.ImageID, committed.ID)
		}
	})
}

func TestUpdateLimits(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, b *Backend) {
		spec := sleeper()
		spec.Limits = backend.Limits{MemoryMB: 64, CPUs: 0.5}
		c := start(t, b, spec)
		for _, limits := range []backend.Limits{{MemoryMB: 256, CPUs: 1}, {MemoryMB: 32, CPUs: 0.25}, {CPUs: 0.5}, {}, {MemoryMB: 64, CPUs: 0.5}} {
			if err := b.Update(t.Context(), c.ID, limits); err != nil {
				t.Fatalf("%+v: %v", limits, err)
			}
			after, err := b.Inspect(t.Context(), c.ID)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(limits, after.Given.Limits); diff != "" {
				t.Errorf("limits (-want +got):\n%s", diff)
			}
		}
		wantError(t, b.Update(t.Context(), c.ID, backend.Limits{CPUs: 1 << 20}), nil, backend.FieldLimits)
	})
}

func TestExecInterrupted(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, b *Backend) {
		c := start(t, b, sleeper())
		ctx, cancel := context.WithCancel(t.Context())
		r, w := io.Pipe()
		go func() {
			// The command runs once it has written.
			_, _ = r.Read(make([]byte, 1))
			cancel()
			_, _ = io.Copy(io.Discard, r)
		}()
		stdin, never := io.Pipe()
		defer never.Close()
		_, err := b.Exec(ctx, c.ID, backend.Exec{Command: []string{"sh", "-c", "echo ready; cat"}, Stdin: stdin, Stdout: w})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("the error is %v, want %v", err, context.Canceled)
		}
	})
}

func TestWaitHealthy(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, b *Backend) {
		t.Run("becomes healthy", func(t *testing.T) {
			spec := backend.Spec{Name: testName(), Image: healthy}
			c := start(t, b, spec)
			for range 2 {
				if err := b.WaitHealthy(t.Context(), c.ID); err != nil {
					t.Fatal(err)
				}
			}
			shell(t, b, c.ID, "test -e /tmp/healthy")
		})
		t.Run("dies", func(t *testing.T) {
			c := start(t, b, backend.Spec{Name: testName(), Image: healthy, Command: []string{"sh", "-c", "sleep 1; exit 9"}})
			err := b.WaitHealthy(t.Context(), c.ID)
			if err == nil || !strings.Contains(err.Error(), "exit code 9") {
				t.Errorf("the error is %v, want one that says exit code 9", err)
			}
		})
		t.Run("is removed", func(t *testing.T) {
			c := start(t, b, backend.Spec{Name: testName(), Image: healthy, Command: sleeper().Command})
			failed := make(chan error, 1)
			go func() { failed <- b.WaitHealthy(t.Context(), c.ID) }()
			if err := b.Remove(t.Context(), c.ID); err != nil {
				t.Fatal(err)
			}
			if err := <-failed; err == nil {
				t.Error("a removed container is healthy")
			}
		})
		t.Run("has no check", func(t *testing.T) {
			wantError(t, b.WaitHealthy(t.Context(), start(t, b, sleeper()).ID), backend.ErrUnsupported, "")
		})
		t.Run("is interrupted", func(t *testing.T) {
			c := start(t, b, backend.Spec{Name: testName(), Image: healthy, Command: sleeper().Command})
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			if err := b.WaitHealthy(ctx, c.ID); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("the error is %v, want %v", err, context.DeadlineExceeded)
			}
		})
	})
}

func TestLogsSince(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, b *Backend) {
		spec := sleeper()
		spec.Command = []string{"sh", "-c", "echo run; sleep 1"}
		c := start(t, b, spec)
		var ended time.Time
		for range 2 {
			if _, err := b.Wait(t.Context(), c.ID); err != nil {
				t.Fatal(err)
			}
			before, err := b.Inspect(t.Context(), c.ID)
			if err != nil {
				t.Fatal(err)
			}
			ended = before.EndedAt
			if err := b.Start(t.Context(), c.ID, spec); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := b.Wait(t.Context(), c.ID); err != nil {
			t.Fatal(err)
		}
		if got := logText(t, b, c.ID, backend.LogOptions{}); got != "run\nrun\nrun\n" {
			t.Errorf("the whole log is %q", got)
		}
		// The runs are within one second of each other.
		if got := logText(t, b, c.ID, backend.LogOptions{Since: ended}); got != "run\n" {
			t.Errorf("the log since the last end is %q", got)
		}
	})
}

func TestLogsOfTerminal(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, b *Backend) {
		id := startForeign(t, b, container.Config{
			Image: busybox, Tty: true, Cmd: []string{"sh", "-c", "echo out; echo err >&2"},
		}, container.HostConfig{Mounts: []mount.Mount{}})
		if _, err := b.Wait(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		if got := logText(t, b, id, backend.LogOptions{}); got != "out\r\nerr\r\n" {
			t.Errorf("the log is %q", got)
		}
	})
}
