package msb_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/msb"
)

func TestProgramIsMissing(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "msb")
	_, err := msb.New(msb.Config{Path: path}).Version(t.Context())
	if !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), path) {
		t.Errorf("Version() = %v, want os.ErrNotExist with the path", err)
	}
}

func TestProcessGroup(t *testing.T) {
	t.Parallel()
	client, fake := newClient(t)
	fake.Expect("--version").Sample("misc/version")
	if _, err := client.Version(t.Context()); err != nil {
		t.Fatal(err)
	}
	call := onlyCall(t, fake)
	if !call.Group || call.Session {
		t.Errorf("it has a process group of its own: %t, a session: %t; want only the group", call.Group, call.Session)
	}
	if call.Dir != "/" {
		t.Errorf("it runs in %s, which a VM would keep busy", call.Dir)
	}
}

func TestCancelledBefore(t *testing.T) {
	t.Parallel()
	client, _ := newClient(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := client.List(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("List() = %v, want context.Canceled", err)
	}
}

// TestInterrupted ends msb, and what msb has started and not detached, however
// little they want to. That it returns at all is what is tested.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ stubborn, straggler bool }{
		"msb ends by itself":                   {},
		"msb ignores it":                       {stubborn: true},
		"a child holds its streams":            {straggler: true},
		"msb ignores it and a child holds too": {stubborn: true, straggler: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, fake := newClient(t)
			reply := fake.Handle("ps").Stdout("[]").Hang()
			if test.stubborn {
				reply.Stubborn()
			}
			if test.straggler {
				reply.Straggler(filepath.Join(t.TempDir(), "held"))
			}
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				fake.WaitForCall("ps")
				cancel()
			}()
			if _, err := client.List(ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("List() = %v, want context.Canceled", err)
			}
		})
	}
}

func TestDeadline(t *testing.T) {
	t.Parallel()
	client, fake := newClient(t)
	fake.Handle("ps").Hang()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := client.List(ctx)
	if !errors.Is(err, context.DeadlineExceeded) || !strings.HasPrefix(err.Error(), "msb ps: ") {
		t.Errorf("List() = %v, want context.DeadlineExceeded with the command", err)
	}
}

// TestLeftRunning is about an msb that succeeds and leaves a process that holds
// its streams: its answer counts.
func TestLeftRunning(t *testing.T) {
	t.Parallel()
	client, fake := newClient(t)
	fake.Handle("ps").Stdout("[]").Straggler(filepath.Join(t.TempDir(), "held"))
	if got, err := client.List(t.Context()); err != nil || len(got) != 0 {
		t.Errorf("List() = %v, %v", got, err)
	}
}

// TestKilled is about a program that somebody else ends.
func TestKilled(t *testing.T) {
	t.Parallel()
	client, fake := newClient(t)
	fake.Handle("start").Exit(128 + 15)
	err := client.Start(t.Context(), "web")
	var failure *msb.Error
	if !errors.As(err, &failure) || failure.Exit != 143 || !strings.Contains(err.Error(), "terminated") {
		t.Errorf("Start() = %v, want an error that names the signal", err)
	}
}

// TestSettle is about the moment in which an msb that is ended leaves its state
// locked: a call that was only just begun is left to itself.
func TestSettle(t *testing.T) {
	t.Parallel()
	client, fake := newClient(t)
	msb.WithPatience(client, time.Hour, time.Hour)
	release := filepath.Join(t.TempDir(), "release")
	fake.Handle("ps").Stdout("[]").WaitFor(release)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := client.List(ctx)
		ended <- err
	}()
	fake.WaitForCall("ps")
	cancel()
	select {
	case err := <-ended:
		t.Fatalf("msb was ended at once (%v)", err)
	case <-time.After(100 * time.Millisecond):
	}
	if err := os.WriteFile(release, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("List() = %v, want context.Canceled", err)
	}
}

// TestLogsNeedNotSettle is about streams that are closed as soon as the line
// they were opened for has come.
func TestLogsNeedNotSettle(t *testing.T) {
	t.Parallel()
	client, fake := newClient(t)
	msb.WithPatience(client, time.Hour, time.Hour)
	fake.Handle("logs").Stdout(oneRow).Hang()
	ctx, cancel := context.WithCancel(t.Context())
	stream, err := client.Logs(ctx, "web", msb.LogOptions{Follow: true})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	fake.WaitForCall("logs")
	cancel()
	for err == nil {
		_, err = stream.Next()
	}
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Next() = %v, want context.Canceled", err)
	}
}
