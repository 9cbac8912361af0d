//go:build unix

package msb_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestInterruptEndsTheGroup is about what msb has started and not detached: a
// pipe that it holds open comes to its end.
func TestInterruptEndsTheGroup(t *testing.T) {
	t.Parallel()
	for name, stubborn := range map[string]bool{"msb ends by itself": false, "msb ignores it": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "held")
			if err := syscall.Mkfifo(path, 0o600); err != nil {
				t.Fatal(err)
			}
			pipe, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer pipe.Close()
			client, fake := newClient(t)
			reply := fake.Handle("ps").Straggler(path).Hang()
			if stubborn {
				reply.Stubborn()
			}
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				fake.WaitForFile(path + ".started")
				cancel()
			}()
			if _, err := client.List(ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("List() = %v, want context.Canceled", err)
			}
			// Only a process that lives on makes this wait.
			if err := pipe.SetReadDeadline(time.Now().Add(5 * time.Second)); err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadAll(pipe); err != nil {
				t.Errorf("what msb has started is still there: %v", err)
			}
		})
	}
}
