package fake_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/fake"
)

func TestProgramsEnd(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		program fake.Program
		want    backend.Exit
		log     string
	}{
		"job":   {fake.Job(backend.Exit{Code: 3}, "one", "two"), backend.Exit{Code: 3}, "one\ntwo\n"},
		"crash": {fake.Crash("help"), backend.Exit{Code: 137, OOMKilled: true}, "help\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBackend(t, fake.WithImage("app:1", fake.Image{Program: tc.program}))
			running(t, b, "web")
			exit, err := b.Wait(t.Context(), "web")
			if err != nil || exit != tc.want {
				t.Errorf("the process ended with %+v (%v), want %+v", exit, err, tc.want)
			}
			if got := logs(t, b, "web"); got != tc.log {
				t.Errorf("the log is %q, want %q", got, tc.log)
			}
		})
	}
}

// A line without an end is in the log when the process has ended.
func TestPartialLine(t *testing.T) {
	t.Parallel()
	b := newBackend(t, fake.WithImage("app:1", fake.Image{
		Program: func(_ context.Context, p *fake.Process) backend.Exit {
			_, _ = io.WriteString(p.Stdout, "one\ntw")
			_, _ = io.WriteString(p.Stdout, "o")
			return backend.Exit{}
		},
	}))
	running(t, b, "web")
	if _, err := b.Wait(t.Context(), "web"); err != nil {
		t.Fatal(err)
	}
	if got := logs(t, b, "web"); got != "one\ntwo" {
		t.Errorf("the log is %q", got)
	}
}

// As behind Docker's proxy, a published port accepts connections before
// anything listens, and drops them.
func TestPortWithoutListener(t *testing.T) {
	t.Parallel()
	b := newBackend(t)
	port := freePort(t)
	spec := backend.Spec{Name: "web", Image: "app:1", Ports: []backend.PortBinding{
		{Port: backend.Port{Number: 80, Protocol: backend.TCP}, Host: port},
	}}
	if _, err := b.Create(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(int(port)))
	if conn, err := dial(t, address); err == nil {
		conn.Close()
		t.Fatal("the port is open before the start")
	}
	if err := b.Start(t.Context(), "web", spec); err != nil {
		t.Fatal(err)
	}
	conn, err := dial(t, address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if n, err := conn.Read(make([]byte, 1)); n != 0 || err == nil {
		t.Errorf("somebody answered with %d bytes (%v)", n, err)
	}
}

func TestCloseEndsEverything(t *testing.T) {
	t.Parallel()
	ended := make(chan struct{})
	b := fake.New(fake.WithImage("app:1", fake.Image{
		Program: func(ctx context.Context, _ *fake.Process) backend.Exit {
			<-ctx.Done()
			close(ended)
			return backend.Exit{}
		},
	}))
	running(t, b, "web")
	b.Close()
	select {
	case <-ended:
	default:
		t.Error("the program goes on")
	}
	if _, err := b.List(t.Context()); !errors.Is(err, backend.ErrUnavailable) {
		t.Errorf("the error is %v", err)
	}
	b.Close()
}

func TestPulls(t *testing.T) {
	t.Parallel()
	b := newBackend(t, fake.WithRemoteImage("remote:1", fake.Image{Program: fake.Idle}))
	for _, step := range []struct {
		image  string
		policy backend.PullPolicy
		kind   error
		pulls  int
	}{
		{"app:1", backend.PullMissing, nil, 0},
		{"app:1", backend.PullAlways, nil, 1},
		{"remote:1", backend.PullNever, backend.ErrNotFound, 0},
		{"remote:1", backend.PullMissing, nil, 1},
		{"remote:1", backend.PullMissing, nil, 1},
		{"remote:1", backend.PullNever, nil, 1},
		{"other:1", backend.PullMissing, backend.ErrImageUnavailable, 0},
	} {
		_, err := b.Create(t.Context(), backend.Spec{Name: "web", Image: step.image, PullPolicy: step.policy})
		if !errors.Is(err, step.kind) {
			t.Errorf("%s, %s: the error is %v, want %v", step.image, step.policy, err, step.kind)
		}
		if got := b.Pulls(step.image); got != step.pulls {
			t.Errorf("%s, %s: %d pulls, want %d", step.image, step.policy, got, step.pulls)
		}
		if err := b.Remove(t.Context(), "web"); err != nil {
			t.Fatal(err)
		}
	}
}

// Ids do not change from one run of a test to the next.
func TestDigestsAreStable(t *testing.T) {
	t.Parallel()
	ids := func() []string {
		b := newBackend(t)
		running(t, b, "web")
		a, _ := published(t, b, "web", "data")
		c, _ := published(t, b, "web", "data")
		return []string{b.Containers()[0].ID, a.ID, c.ID}
	}
	first := ids()
	if diff := cmp.Diff(first, ids()); diff != "" {
		t.Errorf("two runs (-first +second):\n%s", diff)
	}
	if first[1] == first[2] {
		t.Error("two captures are one artifact")
	}
	if len(first[1]) != len("sha256:")+64 {
		t.Errorf("%q is no digest", first[1])
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	b := newBackend(t, fake.WithImage("app:1", fake.Image{Program: fake.Idle, Files: map[string]string{"/etc/app/conf": "image"}}))
	running(t, b, "one")
	running(t, b, "two")
	if err := b.Files("one").WriteFile("/etc/app/conf", []byte("changed")); err != nil {
		t.Fatal(err)
	}
	b.Files("two").Remove("/etc/app")
	got, err := b.Files("one").ReadFile("/etc/app/conf")
	if err != nil || !bytes.Equal(got, []byte("changed")) {
		t.Errorf("the file holds %q (%v)", got, err)
	}
	if diff := cmp.Diff([]string{"/", "/etc", "/etc/group", "/etc/passwd"}, b.Files("two").Paths()); diff != "" {
		t.Errorf("the other container's files (-want +got):\n%s", diff)
	}
}

func logs(t *testing.T, b *fake.Backend, name string) string {
	t.Helper()
	stream, err := b.Logs(t.Context(), name, backend.LogOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	text, err := io.ReadAll(stream)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func dial(t *testing.T, address string) (net.Conn, error) {
	t.Helper()
	var dialer net.Dialer
	return dialer.DialContext(t.Context(), "tcp", address)
}

func freePort(t *testing.T) uint16 {
	t.Helper()
	var config net.ListenConfig
	listener, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return uint16(listener.Addr().(*net.TCPAddr).Port)
}
