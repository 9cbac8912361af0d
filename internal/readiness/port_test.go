package readiness_test

import (
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/readiness"
)

func TestPort(t *testing.T) {
	t.Parallel()

	tests := map[string]struct {
		serve func(int, net.Conn) // nil: nobody listens
		seen  string              // what a deadline reports; "" is met
	}{
		"service that waits for the client": {serve: silent},
		"service that greets":               {serve: talking},
		"nobody":                            {seen: "connection refused"},
		"proxy without a service":           {serve: absent, seen: "connection accepted and closed at once"},
		"proxy that resets":                 {serve: resetting, seen: "connection reset by peer"},
	}

	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			addr := refused
			if test.serve != nil {
				addr = listen(t, test.serve)
			}
			target := &fakeTarget{ports: map[string]string{"5432": addr}}
			// The shortest deadline there is: room for one good probe.
			plan := readiness.Plan{
				Strategies: []readiness.Strategy{
					readiness.Port{Port: "5432"}, readiness.Port{Port: "5432/tcp"}, readiness.Ports{"53/udp", "5432"},
				},
				Timeout: time.Nanosecond,
			}
			err := plan.Wait(t.Context(), target)
			if test.seen == "" {
				if err != nil {
					t.Errorf("got error %v, want the port to answer", err)
				}
				return
			}
			want := []string{"port 5432: " + test.seen, "port 5432/tcp: " + test.seen, "port 5432: " + test.seen}
			if diff := cmp.Diff(want, timedOut(t, err).Pending); diff != "" {
				t.Errorf("unexpected pending strategies (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPortWaitsUntilTheServiceBehindTheProxyListens(t *testing.T) {
	t.Parallel()
	var connections atomic.Int64
	target := &fakeTarget{ports: map[string]string{"80": listen(t, absentUntil(5, &connections))}}
	if err := (readiness.Plan{Strategies: []readiness.Strategy{readiness.Port{Port: "80"}}}).Wait(t.Context(), target); err != nil {
		t.Fatal(err)
	}
	if got := connections.Load(); got != 5 {
		t.Errorf("ready at connection %d, want 5: the first four were closed by the proxy", got)
	}
}

func TestPorts(t *testing.T) {
	t.Parallel()

	tests := map[string]struct {
		ports readiness.Ports
		want  []string // pending; nil is met
	}{
		"none":     {},
		"only udp": {ports: readiness.Ports{"53/udp"}},
		"all":      {ports: readiness.Ports{"1", "2", "53/udp"}},
		"two of four": {
			ports: readiness.Ports{"1", "3", "2", "4"},
			want:  []string{"ports 1, 3, 2, 4: 3 connection refused, 4 connection accepted and closed at once"},
		},
	}

	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			target := &fakeTarget{ports: map[string]string{
				"1": listen(t, silent), "2": listen(t, talking), "3": refused, "4": listen(t, absent),
			}}
			err := readiness.Plan{Strategies: []readiness.Strategy{test.ports}, Timeout: time.Nanosecond}.Wait(t.Context(), target)
			if test.want == nil {
				if err != nil {
					t.Errorf("got error %v, want every port to answer", err)
				}
				return
			}
			if diff := cmp.Diff(test.want, timedOut(t, err).Pending); diff != "" {
				t.Errorf("unexpected pending strategies (-want +got):\n%s", diff)
			}
		})
	}
}

func TestUnpublishedPortFailsForGood(t *testing.T) {
	t.Parallel()

	tests := map[string]readiness.Strategy{
		"port":  readiness.Port{Port: "80"},
		"ports": readiness.Ports{"5432", "80"},
		"http":  readiness.HTTP{Port: "80/tcp", Path: "/"},
	}

	for name, strategy := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// The other port would keep the wait going for an hour.
			target := &fakeTarget{ports: map[string]string{"5432": refused}}
			err := readiness.Plan{Strategies: []readiness.Strategy{strategy}, Timeout: time.Hour}.Wait(t.Context(), target)
			if want := "port 80 of the container is not published"; err == nil || err.Error() != want {
				t.Errorf("got error %v, want %s", err, want)
			}
		})
	}
}

func TestPortEndsWithTheProcess(t *testing.T) {
	t.Parallel()
	// The second connection shows that the first probe has been evaluated.
	died := make(chan struct{})
	addr := listen(t, func(n int, _ net.Conn) {
		if n == 2 {
			close(died)
		}
	})
	target := &fakeTarget{ports: map[string]string{"80": addr}, wait: exitsWhen(died, readiness.Exit{})}
	plan := readiness.Plan{Strategies: []readiness.Strategy{readiness.Port{Port: "80"}, readiness.Completed{}}, Timeout: time.Hour}
	err := plan.Wait(t.Context(), target)
	want := &readiness.ExitedError{Pending: []string{"port 80: connection accepted and closed at once"}}
	if diff := cmp.Diff(error(want), err); diff != "" {
		t.Errorf("unexpected error (-want +got):\n%s", diff)
	}
}
