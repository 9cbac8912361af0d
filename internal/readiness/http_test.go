package readiness_test

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/readiness"
)

// serveHTTP returns the address of a server that lives as long as the test.
func serveHTTP(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.Listener.Addr().String()
}

func TestHTTP(t *testing.T) {
	t.Parallel()

	const mib = 1 << 20
	handler := func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/ok":
			_, _ = io.WriteString(w, "status: UP")
		case "/query":
			if r.URL.Query().Get("token") != "secret" {
				w.WriteHeader(http.StatusForbidden)
			}
		case "/unavailable":
			w.WriteHeader(http.StatusServiceUnavailable)
		case "/empty":
			w.WriteHeader(http.StatusNoContent)
		case "/moved":
			http.Redirect(w, r, "/ok", http.StatusFound)
		case "/inside":
			_, _ = io.WriteString(w, strings.Repeat("x", mib-2)+"UP")
		case "/beyond":
			_, _ = io.WriteString(w, strings.Repeat("x", mib-1)+"UP")
		case "/cut":
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, "too little")
		}
	}
	up := regexp.MustCompile("UP")
	tests := map[string]struct {
		http  readiness.HTTP
		serve func(int, net.Conn) // instead of the handler
		want  string              // pending; "" is met
	}{
		"status by default":  {http: readiness.HTTP{Path: "/ok"}},
		"status as given":    {http: readiness.HTTP{Path: "/empty", Status: 204}},
		"query":              {http: readiness.HTTP{Path: "/query?token=secret"}},
		"body":               {http: readiness.HTTP{Path: "/ok", Body: up}},
		"body inside limit":  {http: readiness.HTTP{Path: "/inside", Body: up}},
		"redirect is a 302":  {http: readiness.HTTP{Path: "/moved", Status: 302}},
		"other status":       {http: readiness.HTTP{Path: "/unavailable"}, want: "HTTP status 200 from port 80 at /unavailable: status 503"},
		"redirect is no 200": {http: readiness.HTTP{Path: "/moved"}, want: "HTTP status 200 from port 80 at /moved: status 302"},
		"other body":         {http: readiness.HTTP{Path: "/ok", Body: regexp.MustCompile("DOWN")}, want: `HTTP status 200 from port 80 at /ok: status 200 with a body that does not match "DOWN"`},
		"body beyond limit":  {http: readiness.HTTP{Path: "/beyond", Body: up}, want: `HTTP status 200 from port 80 at /beyond: status 200 with a body that does not match "UP"`},
		"body cut short":     {http: readiness.HTTP{Path: "/cut", Body: up}, want: "HTTP status 200 from port 80 at /cut: status 200, then connection closed without an answer"},
		"no secret":          {http: readiness.HTTP{Path: "/unavailable?token=secret"}, want: "HTTP status 200 from port 80 at /unavailable: status 503"},
		"proxy only": {
			http:  readiness.HTTP{Path: "/ok?token=secret"},
			serve: resetting,
			want:  "HTTP status 200 from port 80 at /ok: connection reset by peer",
		},
		"closed without an answer": {
			http:  readiness.HTTP{Path: "/ok"},
			serve: func(_ int, conn net.Conn) { _, _ = conn.Read(make([]byte, 4096)) },
			want:  "HTTP status 200 from port 80 at /ok: connection closed without an answer",
		},
	}

	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var addr string
			if test.serve != nil {
				addr = listen(t, test.serve)
			} else {
				addr = serveHTTP(t, handler)
			}
			strategy := test.http
			strategy.Port = "80"
			target := &fakeTarget{ports: map[string]string{"80": addr}}
			err := readiness.Plan{Strategies: []readiness.Strategy{strategy}, Timeout: time.Nanosecond}.Wait(t.Context(), target)
			if test.want == "" {
				if err != nil {
					t.Errorf("got error %v, want the answer to count", err)
				}
				return
			}
			if diff := cmp.Diff([]string{test.want}, timedOut(t, err).Pending); diff != "" {
				t.Errorf("unexpected pending strategies (-want +got):\n%s", diff)
			}
		})
	}
}

func TestHTTPReportsAnswersInOtherProtocols(t *testing.T) {
	t.Parallel()
	addr := listen(t, func(_ int, conn net.Conn) {
		_, _ = conn.Read(make([]byte, 4096))
		_, _ = io.WriteString(conn, "-ERR\x1b[31m unknown command\r\n")
	})
	plan := readiness.Plan{
		Strategies: []readiness.Strategy{readiness.HTTP{Port: "80", Path: "/ok?token=secret"}},
		Timeout:    time.Nanosecond,
	}
	pending := timedOut(t, plan.Wait(t.Context(), &fakeTarget{ports: map[string]string{"80": addr}})).Pending[0]
	// The rest of the text is the HTTP client's own.
	if !strings.Contains(pending, "malformed HTTP") {
		t.Errorf("%q does not say that the answer was not HTTP", pending)
	}
	for _, unwanted := range []string{"secret", addr, "\x1b"} {
		if strings.Contains(pending, unwanted) {
			t.Errorf("%q contains %q", pending, unwanted)
		}
	}
}

func TestHTTPIsRetriedOnFreshConnections(t *testing.T) {
	t.Parallel()
	var requests atomic.Int64
	peers := make(chan string, 3)
	addr := serveHTTP(t, func(w http.ResponseWriter, r *http.Request) {
		peers <- r.RemoteAddr
		if requests.Add(1) < 3 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	plan := readiness.Plan{Strategies: []readiness.Strategy{readiness.HTTP{Port: "80", Path: "/"}}}
	if err := plan.Wait(t.Context(), &fakeTarget{ports: map[string]string{"80": addr}}); err != nil {
		t.Fatal(err)
	}
	close(peers)
	seen := make(map[string]struct{})
	for peer := range peers {
		seen[peer] = struct{}{}
	}
	if len(seen) != 3 {
		t.Errorf("3 requests came from %d connections", len(seen))
	}
}

func TestHTTPEndsWithTheProcess(t *testing.T) {
	t.Parallel()
	// The process dies while it owes an answer.
	asked := make(chan struct{})
	addr := serveHTTP(t, func(_ http.ResponseWriter, r *http.Request) {
		close(asked)
		<-r.Context().Done()
	})
	died := make(chan struct{})
	go func() {
		<-asked
		close(died)
	}()
	target := &fakeTarget{ports: map[string]string{"80": addr}, wait: exitsWhen(died, readiness.Exit{Code: 9})}
	err := readiness.Plan{Strategies: []readiness.Strategy{readiness.HTTP{Port: "80", Path: "/"}}, Timeout: time.Hour}.Wait(t.Context(), target)
	want := &readiness.ExitedError{
		Exit:    readiness.Exit{Code: 9},
		Pending: []string{"HTTP status 200 from port 80 at /: no answer yet"},
	}
	if diff := cmp.Diff(error(want), err); diff != "" {
		t.Errorf("unexpected error (-want +got):\n%s", diff)
	}
}
