package docker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"

	cerrdefs "github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

func TestKindOf(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		err  error
		want error
	}{
		"not found":      {cerrdefs.ErrNotFound, backend.ErrNotFound},
		"conflict":       {cerrdefs.ErrConflict, backend.ErrConflict},
		"exists":         {cerrdefs.ErrAlreadyExists, backend.ErrConflict},
		"unavailable":    {cerrdefs.ErrUnavailable, backend.ErrUnavailable},
		"unimplemented":  {cerrdefs.ErrNotImplemented, backend.ErrUnsupported},
		"refused":        {&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, backend.ErrUnavailable},
		"cut off":        {io.ErrUnexpectedEOF, backend.ErrUnavailable},
		"cancelled":      {context.Canceled, nil},
		"timed out":      {fmt.Errorf("read: %w", context.DeadlineExceeded), nil},
		"anything else":  {errors.New("device busy"), nil},
		"internal":       {cerrdefs.ErrInternal, nil},
		"stream, coded":  {&streamError{Code: http.StatusNotFound, Message: "x"}, backend.ErrNotFound},
		"stream, silent": {&streamError{Message: "not found"}, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := kindOf(test.err); !errors.Is(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func TestFail(t *testing.T) {
	t.Parallel()
	b := fakeEngine(t, map[string]http.HandlerFunc{
		"POST /containers/x/start": func(w http.ResponseWriter, _ *http.Request) {
			reply(w, http.StatusConflict, map[string]string{"message": "it is being removed"})
		},
	})
	api, err := b.api(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	err = b.fail("start container x", api.ContainerStart(t.Context(), "x", container.StartOptions{}))
	if !errors.Is(err, backend.ErrConflict) {
		t.Errorf("got %v, want ErrConflict", err)
	}
	want := "start container x on " + b.cfg.Host + ": Error response from daemon: it is being removed"
	if err.Error() != want {
		t.Errorf("got  %q\nwant %q", err, want)
	}
	if again := b.fail("do more", err); again != err {
		t.Errorf("an error that says it all was wrapped again: %v", again)
	}
	if err := b.fail("do nothing", nil); err != nil {
		t.Errorf("no error became %v", err)
	}
	if err := b.fail("wait", context.Canceled); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the interruption", err)
	}
}

// The texts are those of engines whose disk was full: 20.10 with overlay2, 26.1
// with the containerd store.
func TestFailOnFullDisk(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"Error processing tar file(exit status 1): write /srv/data: no space left on device",
		"failed to apply diff: write /var/lib/containerd/snapshots/13/fs/srv/data: no space left on device: unknown",
	} {
		b := fakeEngine(t, map[string]http.HandlerFunc{
			"POST /containers/x/start": func(w http.ResponseWriter, _ *http.Request) {
				reply(w, http.StatusInternalServerError, map[string]string{"message": text})
			},
		})
		api, err := b.api(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		err = b.fail("start container x", api.ContainerStart(t.Context(), "x", container.StartOptions{}))
		failure, ok := errors.AsType[*backend.Error](err)
		if !ok || !strings.Contains(failure.Error(), text) || !strings.Contains(failure.Remedy, "disk is full") {
			t.Errorf("got %#v, want one that says what to do about the disk", err)
		}
	}
}
