package backendtest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

var attachCases = []testCase{
	{"containers on a network reach each other by alias and by name", reachedByAlias},
	{"a container is put on networks and taken off while it runs", attachedInPlace},
	{"a container is on two networks", twoNetworks},
	{"stop and start keep the networks", networksStay},
	{"a copy of a checkpoint is on the networks that it is given", copyOnNetwork},
}

// onNetwork completes a definition with one network.
func (s *suite) onNetwork(spec backend.Spec, n backend.Network, aliases ...string) backend.Spec {
	spec.Networks = append(spec.Networks, backend.Attachment{Network: n.Name, Aliases: aliases})
	return spec
}

// wantNetworks checks which networks a container is on, as each call tells it.
func (s *suite) wantNetworks(t *testing.T, id string, want ...backend.Attachment) {
	t.Helper()
	want = backend.SortedAttachments(want)
	var names []string
	for _, a := range want {
		names = append(names, a.Network)
	}
	c := s.inspect(t, id)
	if diff := cmp.Diff(want, c.Given.Networks); diff != "" {
		t.Errorf("inspect: the networks of container %s (-want +got):\n%s", c.Name, diff)
	}
	if diff := cmp.Diff(names, c.Networks); diff != "" {
		t.Errorf("inspect: the names of the networks of container %s (-want +got):\n%s", c.Name, diff)
	}
	summaries, err := s.List(s.context(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, listed := range summaries {
		if listed.ID != c.ID {
			continue
		}
		if diff := cmp.Diff(names, listed.Networks); diff != "" {
			t.Errorf("list: the networks of container %s (-want +got):\n%s", c.Name, diff)
		}
	}
}

// wantFetched requests a page from inside a container until the server there is
// up.
func (s *suite) wantFetched(t *testing.T, from backend.Container, host, want string) {
	t.Helper()
	ctx := s.context(t)
	for pause := 5 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		code, got, stderr := s.run(t, from.ID, backend.Exec{Command: s.Fetch(host, servedPort, "/index.html")})
		if code == 0 {
			if got != want {
				t.Errorf("%s answers container %s with %q, want %q", host, from.Name, got, want)
			}
			return
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			t.Fatalf("%s does not answer container %s: %s", host, from.Name, stderr)
		}
	}
}

// wantUnreachable checks that a server that is up is not reached by a name.
func (s *suite) wantUnreachable(t *testing.T, from backend.Container, host string) {
	t.Helper()
	if code, got, _ := s.run(t, from.ID, backend.Exec{Command: s.Fetch(host, servedPort, "/index.html")}); code == 0 {
		t.Errorf("%s answers container %s with %q", host, from.Name, got)
	}
}

func reachedByAlias(t *testing.T, s *suite) {
	n := s.network(t, backend.NetworkSpec{Name: s.name()})
	server := s.start(t, s.onNetwork(s.server(t, "served"), n, "web", "www"))
	client := s.relay(t, s.onNetwork(s.spec(s.Relay()), n))
	for _, host := range []string{"web", "www", server.Name} {
		s.wantFetched(t, client, host, "served")
	}
	s.wantServed(t, server, "served") // its port is published all the same
	s.wantNetworks(t, server.ID, backend.Attachment{Network: n.Name, Aliases: []string{"web", "www"}})
	s.wantNetworks(t, client.ID, backend.Attachment{Network: n.Name})

	stranger := s.relay(t, s.spec(s.Relay()))
	s.wantUnreachable(t, stranger, "web")
	s.wantUnreachable(t, stranger, server.Name)
	s.wantNetworks(t, stranger.ID)
}

func attachedInPlace(t *testing.T, s *suite) {
	one, two := s.network(t, backend.NetworkSpec{Name: s.name()}), s.network(t, backend.NetworkSpec{Name: s.name()})
	server := s.start(t, s.server(t, "served"))
	client := s.relay(t, s.onNetwork(s.spec(s.Relay()), one))
	s.wantServed(t, server, "served")
	s.wantUnreachable(t, client, server.Name)
	for _, want := range [][]backend.Attachment{
		{{Network: one.Name, Aliases: []string{"web"}}},
		{{Network: one.Name, Aliases: []string{"web"}}}, // nothing to do
		{{Network: two.Name}, {Network: one.Name, Aliases: []string{"www", "web"}}},
		{{Network: two.Name}},
		nil,
	} {
		if err := s.Attach(s.context(t), server.ID, want); err != nil {
			t.Fatal(err)
		}
		s.wantNetworks(t, server.ID, want...)
		onOne := false
		for _, a := range want {
			onOne = onOne || a.Network == one.Name
			for _, alias := range a.Aliases {
				s.wantFetched(t, client, alias, "served")
			}
		}
		if !onOne {
			s.wantUnreachable(t, client, "web")
			s.wantUnreachable(t, client, server.Name)
		}
		after := s.inspect(t, server.ID)
		if after.State != backend.StateRunning || !after.StartedAt.Equal(server.StartedAt) {
			t.Errorf("the container is %s, since %s", after.State, after.StartedAt)
		}
		s.wantServed(t, after, "served")
	}
}

func twoNetworks(t *testing.T, s *suite) {
	one, two := s.network(t, backend.NetworkSpec{Name: s.name()}), s.network(t, backend.NetworkSpec{Name: s.name(), Internal: true})
	server := s.start(t, s.onNetwork(s.onNetwork(s.server(t, "served"), two, "of-two"), one, "of-one"))
	s.wantNetworks(t, server.ID,
		backend.Attachment{Network: one.Name, Aliases: []string{"of-one"}}, backend.Attachment{Network: two.Name, Aliases: []string{"of-two"}})
	s.wantServed(t, server, "served")
	onOne, onTwo := s.relay(t, s.onNetwork(s.spec(s.Relay()), one)), s.relay(t, s.onNetwork(s.spec(s.Relay()), two))
	s.wantFetched(t, onOne, "of-one", "served")
	s.wantFetched(t, onTwo, "of-two", "served")
	s.wantUnreachable(t, onOne, onTwo.Name)
}

func networksStay(t *testing.T, s *suite) {
	n := s.network(t, backend.NetworkSpec{Name: s.name()})
	spec := s.onNetwork(s.server(t, "served"), n, "web")
	server := s.start(t, spec)
	client := s.relay(t, s.onNetwork(s.spec(s.Relay()), n))
	s.stop(t, server.ID)
	s.wantNetworks(t, server.ID, spec.Networks...)
	if err := s.Start(s.context(t), server.ID, spec); err != nil {
		t.Fatal(err)
	}
	s.wantNetworks(t, server.ID, spec.Networks...)
	s.wantFetched(t, client, "web", "served")
	s.wantServed(t, s.inspect(t, server.ID), "served")
}

func copyOnNetwork(t *testing.T, s *suite) {
	if !s.engine.Capabilities.Checkpoint {
		return
	}
	n := s.network(t, backend.NetworkSpec{Name: s.name()})
	seeded := s.start(t, s.onNetwork(s.server(t, "captured"), n, "seed"))
	client := s.relay(t, s.onNetwork(s.spec(s.Relay()), n))
	s.wantFetched(t, client, "seed", "captured")
	artifact := s.capture(t, seeded.ID, s.name())
	s.wantNetworks(t, seeded.ID, backend.Attachment{Network: n.Name, Aliases: []string{"seed"}})

	alone := s.create(t, s.restored(artifact, nil))
	s.wantNetworks(t, alone.ID)
	spec := s.onNetwork(s.restored(artifact, s.Serve(servedPort, "/www")), n, "copy")
	spec.Ports = s.server(t, "").Ports
	copied := s.start(t, spec)
	s.wantFetched(t, client, "copy", "captured")
	s.wantFetched(t, client, copied.Name, "captured")
	s.wantServed(t, copied, "captured")
}
