package backendtest

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

var portCases = []testCase{
	{"published ports answer", portsAnswer},
	{"stop and start keep the host ports", portsStay},
	{"a port that another container has is taken", portOfContainer},
	{"a port that another program has is taken", portOfProgram},
}

const servedPort = 8080

// server returns the definition of a container that serves text at /index.html.
func (s *suite) server(t *testing.T, text string) backend.Spec {
	t.Helper()
	spec := s.spec(s.Serve(servedPort, "/www"))
	spec.Files = []backend.File{{Path: "/www/index.html", Content: []byte(text)}}
	spec.Ports = []backend.PortBinding{{Port: backend.Port{Number: servedPort, Protocol: backend.TCP}, Host: freePort(t)}}
	return spec
}

func portsAnswer(t *testing.T, s *suite) {
	one, two := s.start(t, s.server(t, "one")), s.start(t, s.server(t, "two"))
	s.wantServed(t, one, "one")
	s.wantServed(t, two, "two")
}

func portsStay(t *testing.T, s *suite) {
	spec := s.server(t, "served")
	before := s.start(t, spec)
	s.wantServed(t, before, "served")
	if err := s.Stop(s.context(t), before.ID, time.Second); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before.Ports, s.inspect(t, before.ID).Ports); diff != "" {
		t.Errorf("the ports of the stopped container (-running +stopped):\n%s", diff)
	}
	if err := s.Start(s.context(t), before.ID, spec); err != nil {
		t.Fatal(err)
	}
	after := s.inspect(t, before.ID)
	if diff := cmp.Diff(before.Ports, after.Ports); diff != "" {
		t.Errorf("the ports changed (-before +after):\n%s", diff)
	}
	s.wantServed(t, after, "served")
}

func portOfContainer(t *testing.T, s *suite) {
	first := s.start(t, s.server(t, "first"))
	spec := s.server(t, "second")
	spec.Ports[0].Host = first.Ports[0].Host
	startOnTakenPort(t, s, spec, func() {
		s.remove(t, first.ID)
	})
}

func portOfProgram(t *testing.T, s *suite) {
	if !s.engine.Local {
		t.Skip("the engine's host is another one, where this test can take no port")
	}
	spec := s.server(t, "second")
	taken, err := listen(t, spec.Ports[0].Host)
	if err != nil {
		t.Fatal(err)
	}
	startOnTakenPort(t, s, spec, func() { taken.Close() })
}

// startOnTakenPort checks that a container cannot be made or started on a port
// until it is freed.
func startOnTakenPort(t *testing.T, s *suite, spec backend.Spec, free func()) {
	t.Helper()
	s.removeLater(t, spec.Name)
	c, err := s.Create(s.context(t), spec)
	created := err == nil
	if created {
		err = s.Start(s.context(t), c.ID, spec)
	}
	wantKind(t, err, backend.ErrPortTaken)
	wantField(t, err, backend.FieldPorts)

	free()
	if !created {
		c = s.create(t, spec)
	}
	if err := s.Start(s.context(t), c.ID, spec); err != nil {
		t.Fatalf("start on the port that is free again: %v", err)
	}
	s.wantServed(t, s.inspect(t, c.ID), "second")
}

// wantServed requests the container's page until its server is up.
func (s *suite) wantServed(t *testing.T, c backend.Container, want string) {
	t.Helper()
	if len(c.Ports) != 1 {
		t.Fatalf("the container has ports %v, want one", c.Ports)
	}
	ctx := s.context(t)
	url := fmt.Sprintf("http://%s/index.html", hostPort(c.Host, c.Ports[0].Host))
	for pause := 5 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		got, err := get(ctx, url)
		if err == nil {
			if got != want {
				t.Errorf("%s answers %q, want %q", url, got, want)
			}
			return
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			t.Fatalf("%s does not answer: %v", url, err)
		}
	}
}

func get(ctx context.Context, url string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	// A connection that is kept would be to a process that is gone.
	req.Close = true
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return "", fmt.Errorf("status %s", resp.Status)
	}
	body, err := io.ReadAll(resp.Body)
	return string(body), err
}

func hostPort(host string, port uint16) string {
	return net.JoinHostPort(host, strconv.Itoa(int(port)))
}

// listen takes a port of this host.
func listen(t *testing.T, port uint16) (net.Listener, error) {
	t.Helper()
	var config net.ListenConfig
	return config.Listen(t.Context(), "tcp", hostPort("127.0.0.1", port))
}

var chosenPorts sync.Map

// freePort returns a port of this host that nobody uses. It lies below the range
// from which the kernel takes the ports of outgoing connections, so that it
// stays free while a container is stopped.
func freePort(t *testing.T) uint16 {
	t.Helper()
	for range 1000 {
		port := uint16(20000 + rand.IntN(12000))
		if _, chosen := chosenPorts.LoadOrStore(port, true); chosen {
			continue
		}
		listener, err := listen(t, port)
		if err != nil {
			continue
		}
		listener.Close()
		return port
	}
	t.Fatal("no port of this host is free")
	panic("unreachable")
}
