package backendtest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

var networkCases = []testCase{
	{"inspect and list return the network that was made", networkMade},
	{"a name of a network is given once", networkNameTaken},
	{"a network that is missing is not found, and removed without an error", networkMissing},
	{"a removed network lets go of the containers made here", networkRemoved},
	{"a network is kept while somebody else's container is on it", networkInUse},
	{"a network that is made anew takes containers of its name", networkMadeAnew},
}

// network makes a network that the end of the case removes.
func (s *suite) network(t *testing.T, spec backend.NetworkSpec) backend.Network {
	t.Helper()
	t.Cleanup(func() {
		if _, err := s.RemoveNetwork(context.Background(), spec.Name); err != nil {
			t.Errorf("clean up: %v", err)
		}
	})
	n, err := s.CreateNetwork(s.context(t), spec)
	if err != nil {
		t.Fatalf("create network: %v", err)
	}
	return n
}

func networkMade(t *testing.T, s *suite) {
	for _, internal := range []bool{false, true} {
		spec := backend.NetworkSpec{
			Name: s.name(), Internal: internal, Owner: "token-of-an-operation",
			Labels: map[string]string{"org.example.purpose": "contract", "org.example.empty": ""},
		}
		made := s.network(t, spec)
		want := backend.Network{ID: made.ID, Name: spec.Name, Internal: internal, Labels: spec.Labels, Managed: true, Owner: spec.Owner}
		if made.ID == "" || made.ID == spec.Name {
			t.Errorf("the network's id is %q", made.ID)
		}
		if diff := cmp.Diff(want, made); diff != "" {
			t.Errorf("create (-want +got):\n%s", diff)
		}
		for _, id := range []string{made.ID, made.Name} {
			found, err := s.InspectNetwork(s.context(t), id)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, found); diff != "" {
				t.Errorf("inspect (-want +got):\n%s", diff)
			}
		}
		listed, err := s.ListNetworks(s.context(t))
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(listed, func(n backend.Network) bool { return n.ID == made.ID })
		if at < 0 {
			t.Fatalf("list: network %s is missing", made.Name)
		}
		if diff := cmp.Diff(want, listed[at]); diff != "" {
			t.Errorf("list (-want +got):\n%s", diff)
		}
	}
	plain := s.network(t, backend.NetworkSpec{Name: s.name()})
	if plain.Labels != nil || plain.Owner != "" {
		t.Errorf("a network that was given nothing has labels %v and owner %q", plain.Labels, plain.Owner)
	}
}

func networkNameTaken(t *testing.T, s *suite) {
	first := s.network(t, backend.NetworkSpec{Name: s.name(), Owner: "first"})
	_, err := s.CreateNetwork(s.context(t), backend.NetworkSpec{Name: first.Name, Owner: "second"})
	wantKind(t, err, backend.ErrNameTaken)
	wantField(t, err, backend.FieldName)
	found, err := s.InspectNetwork(s.context(t), first.Name)
	if err != nil || found.ID != first.ID {
		t.Errorf("the first network is %+v now: %v", found, err)
	}
}

func networkMissing(t *testing.T, s *suite) {
	name := s.name()
	_, err := s.InspectNetwork(s.context(t), name)
	wantKind(t, err, backend.ErrNotFound)
	if _, err := s.RemoveNetwork(s.context(t), name); err != nil {
		t.Errorf("remove: %v", err)
	}
	spec := s.spec(s.Relay())
	spec.Networks = []backend.Attachment{{Network: name}}
	s.removeLater(t, spec.Name)
	_, err = s.Create(s.context(t), spec)
	wantKind(t, err, backend.ErrNotFound)
	wantField(t, err, backend.FieldNetworks)
	_, err = s.Inspect(s.context(t), spec.Name)
	wantKind(t, err, backend.ErrNotFound)

	n := s.network(t, backend.NetworkSpec{Name: s.name()})
	c := s.create(t, s.onNetwork(s.spec(s.Relay()), n))
	err = s.Attach(s.context(t), c.ID, []backend.Attachment{{Network: name}})
	wantKind(t, err, backend.ErrNotFound)
	wantField(t, err, backend.FieldNetworks)
	s.wantNetworks(t, c.ID, backend.Attachment{Network: n.Name})
	err = s.Attach(s.context(t), name, nil)
	wantKind(t, err, backend.ErrNotFound)
}

func networkRemoved(t *testing.T, s *suite) {
	n := s.network(t, backend.NetworkSpec{Name: s.name()})
	running := s.start(t, s.onNetwork(s.spec(s.Relay()), n, "one", "two"))
	s.create(t, s.onNetwork(s.spec(s.Relay()), n))
	detached, err := s.RemoveNetwork(s.context(t), n.ID)
	if err != nil {
		t.Fatal(err)
	}
	want := []backend.Detached{{Container: running.ID, Attachment: backend.Attachment{Network: n.Name, Aliases: []string{"one", "two"}}}}
	if diff := cmp.Diff(want, detached); diff != "" {
		t.Errorf("taken off the network (-want +got):\n%s", diff)
	}
	if state := s.inspect(t, running.ID).State; state != backend.StateRunning {
		t.Errorf("the container is %s afterwards", state)
	}
	s.wantNetworks(t, running.ID)
	_, err = s.InspectNetwork(s.context(t), n.ID)
	wantKind(t, err, backend.ErrNotFound)
	if again, err := s.RemoveNetwork(s.context(t), n.ID); err != nil || len(again) > 0 {
		t.Errorf("a second removal takes off %v: %v", again, err)
	}
}

func networkInUse(t *testing.T, s *suite) {
	n := s.network(t, backend.NetworkSpec{Name: s.name()})
	own := s.start(t, s.onNetwork(s.spec(s.Relay()), n))
	foreign := s.name()
	s.removeLater(t, foreign)
	s.harness.JoinForeign(t, foreign, n.Name)
	_, err := s.RemoveNetwork(s.context(t), n.ID)
	wantKind(t, err, backend.ErrConflict)
	if err == nil || !strings.Contains(err.Error(), foreign) || strings.Contains(err.Error(), own.Name) {
		t.Errorf("the error %v does not name container %s alone", err, foreign)
	}
	s.wantNetworks(t, own.ID, backend.Attachment{Network: n.Name})
	s.remove(t, foreign)
	if _, err := s.RemoveNetwork(s.context(t), n.ID); err != nil {
		t.Error(err)
	}
}

// An engine knows networks by their ids, and a container that does not run keeps
// one that is gone.
func networkMadeAnew(t *testing.T, s *suite) {
	n := s.network(t, backend.NetworkSpec{Name: s.name()})
	spec := s.onNetwork(s.server(t, "served"), n, "server")
	server := s.start(t, spec)
	s.stop(t, server.ID)
	if _, err := s.RemoveNetwork(s.context(t), n.ID); err != nil {
		t.Fatal(err)
	}
	n = s.network(t, backend.NetworkSpec{Name: n.Name})
	if err := s.Attach(s.context(t), server.ID, spec.Networks); err != nil {
		t.Fatal(err)
	}
	if err := s.Start(s.context(t), server.ID, spec); err != nil {
		t.Fatal(err)
	}
	s.wantServed(t, s.inspect(t, server.ID), "served")
	s.wantFetched(t, s.relay(t, s.onNetwork(s.spec(s.Relay()), n)), "server", "served")
}

func networksAreUnsupported(t *testing.T, s *suite) {
	spec := s.spec(s.Relay())
	spec.Networks = []backend.Attachment{{Network: s.name()}}
	if _, ok := s.createIf(t, spec, backend.FieldNetworks); ok {
		t.Error("a container was put on a network")
	}
	_, created := s.CreateNetwork(s.context(t), backend.NetworkSpec{Name: s.name()})
	_, removed := s.RemoveNetwork(s.context(t), s.name())
	_, inspected := s.InspectNetwork(s.context(t), s.name())
	_, listed := s.ListNetworks(s.context(t))
	attached := s.Attach(s.context(t), s.create(t, s.spec(s.Relay())).ID, spec.Networks)
	for _, err := range []error{created, removed, inspected, listed, attached} {
		wantKind(t, err, backend.ErrUnsupported)
		if failure, ok := errors.AsType[*backend.Error](err); !ok || failure.Remedy == "" {
			t.Errorf("the error %v says not what to do", err)
		}
	}
}
