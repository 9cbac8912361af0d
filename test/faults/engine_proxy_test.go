package faults

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// faultKind is what the proxy does to a request.
type faultKind string

const (
	// refuse cuts the connection before the engine hears of the request.
	refuse faultKind = "refused"
	// cut forwards the request and cuts the connection within the answer.
	cut faultKind = "cut"
	// fail answers 500 in the engine's place.
	fail faultKind = "500"
	// lose forwards the request, waits until the engine has done it, and cuts
	// the connection instead of answering.
	lose faultKind = "lost"
	// withhold forwards the request, and passes the answer on late.
	withhold faultKind = "withheld"
	// delay forwards the request late.
	delay faultKind = "delayed"
	// stall never answers.
	stall faultKind = "stalled"
	// restart cuts all connections and refuses new ones for a while, as an
	// engine does that is restarted.
	restart faultKind = "restarted"
)

// How late a delayed request or a withheld answer is passed on, and how long an engine is away.
const (
	lateness = 1500 * time.Millisecond
	downtime = 3 * time.Second
)

// call is a request of the engine's API.
type call struct {
	name, method string
	// path is matched against the path without its version.
	path *regexp.Regexp
}

// fault is what happens to the nth request (from 1) that is such a call.
type fault struct {
	call call
	nth  int
	kind faultKind
}

func (f fault) String() string { return fmt.Sprintf("%s %d %s", f.call.name, f.nth, f.kind) }

// engineProxy is an HTTP proxy in front of an engine's socket. It does one
// fault at a time.
type engineProxy struct {
	engine   string
	listener net.Listener
	closed   chan struct{}

	mu    sync.Mutex
	armed *fault
	seen  int
	fired bool
	// withheld says that the engine has done what is not answered yet.
	withheld bool
	down     time.Time
	conns    map[net.Conn]struct{}
}

// newProxy returns a proxy in front of the engine, and its address.
func newProxy(t *testing.T, e engine) (*engineProxy, string) {
	t.Helper()
	socket := filepath.Join(workDir, uniqueName()+".sock")
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	p := &engineProxy{
		engine:   strings.TrimPrefix(e.host, "unix://"),
		listener: listener,
		closed:   make(chan struct{}),
		conns:    map[net.Conn]struct{}{},
	}
	go p.accept()
	t.Cleanup(func() {
		close(p.closed)
		_ = listener.Close()
		p.cutAll()
	})
	return p, "unix://" + socket
}

// arm makes the proxy do the fault once.
func (p *engineProxy) arm(f fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.armed, p.seen, p.fired, p.withheld = &f, 0, false, false
}

// disarm makes the proxy pass everything on, and reports whether the fault was
// done.
func (p *engineProxy) disarm() (fired bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.armed = nil
	if p.fired {
		faultsInjected.Add(1)
	}
	return p.fired
}

// isWithholding reports whether the engine has done what its answer was or is
// withheld of.
func (p *engineProxy) isWithholding() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.withheld
}

// hold holds up an answer. It returns false if the test is over.
func (p *engineProxy) hold() bool {
	p.mu.Lock()
	p.withheld = true
	p.mu.Unlock()
	return p.pause()
}

// pause waits as long as what is late is late. It returns false if the test is
// over.
func (p *engineProxy) pause() bool {
	select {
	case <-time.After(lateness):
		return true
	case <-p.closed:
		return false
	}
}

// due returns the fault that this request gets; empty if none.
func (p *engineProxy) due(r *http.Request) faultKind {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.armed == nil || p.fired || r.Method != p.armed.call.method || !p.armed.call.path.MatchString(apiPath(r)) {
		return ""
	}
	if p.seen++; p.seen < p.armed.nth {
		return ""
	}
	p.fired = true
	if p.armed.kind == restart {
		p.down = time.Now().Add(downtime)
	}
	return p.armed.kind
}

// awaitUp waits until an engine that was restarted is back.
func (p *engineProxy) awaitUp() {
	p.mu.Lock()
	back := p.down
	p.mu.Unlock()
	time.Sleep(time.Until(back))
}

var apiVersion = regexp.MustCompile(`^/v1\.[0-9]+`)

func apiPath(r *http.Request) string { return apiVersion.ReplaceAllString(r.URL.Path, "") }

func (p *engineProxy) isDown() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return time.Now().Before(p.down)
}

func (p *engineProxy) accept() {
	for {
		conn, err := p.listener.Accept()
		if err != nil {
			return
		}
		if p.isDown() {
			_ = conn.Close()
			continue
		}
		go p.serve(conn)
	}
}

func (p *engineProxy) track(conn net.Conn) (untrack func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.conns[conn] = struct{}{}
	return func() {
		_ = conn.Close()
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.conns, conn)
	}
}

func (p *engineProxy) cutAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for conn := range p.conns {
		_ = conn.Close()
	}
}

// serve passes on the requests of one connection, over one to the engine.
func (p *engineProxy) serve(client net.Conn) {
	defer p.track(client)()
	upstream, err := (&net.Dialer{}).Dial("unix", p.engine)
	if err != nil {
		return
	}
	defer p.track(upstream)()

	requests, answers := bufio.NewReader(client), bufio.NewReader(upstream)
	for {
		request, err := http.ReadRequest(requests)
		if err != nil {
			return
		}
		kind := p.due(request)
		switch kind {
		case refuse:
			return
		case restart:
			p.cutAll()
			return
		case fail:
			_, _ = io.Copy(io.Discard, request.Body)
			const message = `{"message":"a fault that a test injected"}`
			fmt.Fprintf(client, "HTTP/1.1 500 Internal Server Error\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(message), message)
			continue
		case stall:
			// The client gives up, or the test is over.
			_, _ = io.Copy(io.Discard, requests)
			return
		case delay:
			if !p.pause() {
				return
			}
		}
		if !p.exchange(client, upstream, requests, answers, request, kind) {
			return
		}
	}
}

// exchange passes a request on and its answer back. It returns false when the
// connection is of no more use.
func (p *engineProxy) exchange(client, upstream net.Conn, requests, answers *bufio.Reader, request *http.Request, kind faultKind) (reusable bool) {
	sent := make(chan error, 1)
	// The engine may answer before it has read everything.
	go func() { sent <- request.Write(upstream) }()
	answer, err := http.ReadResponse(answers, request)
	if err != nil {
		return false
	}
	defer func() {
		if !reusable {
			// First, since a body that is closed is read to its end.
			_, _ = client.Close(), upstream.Close()
		}
		_ = answer.Body.Close()
	}()
	hijacked := answer.StatusCode == http.StatusSwitchingProtocols
	switch {
	case kind == lose && hijacked:
		// The command runs, with no input, and nobody hears of it.
		closeWrite(upstream)
		_, _ = io.Copy(io.Discard, answers)
		return false
	case kind == lose:
		_, _ = io.Copy(io.Discard, answer.Body)
		return false
	case kind == withhold && !p.hold():
		return false
	case kind == cut:
		writePart(client, answer, answers)
		return false
	}
	if err := answer.Write(client); err != nil {
		return false
	}
	if hijacked {
		splice(client, upstream, requests, answers)
		return false
	}
	return <-sent == nil && !answer.Close
}

// writePart writes the head of an answer and some of its body, if it has one,
// and else some of its head.
func writePart(client io.Writer, answer *http.Response, raw io.Reader) {
	body := io.Reader(answer.Body)
	if answer.StatusCode == http.StatusSwitchingProtocols {
		body = raw
	}
	head := new(strings.Builder)
	fmt.Fprintf(head, "HTTP/1.1 %s\r\n", answer.Status)
	_ = answer.Header.Write(head)
	some := make([]byte, 512)
	n, err := body.Read(some)
	if n == 0 || err != nil && !errors.Is(err, io.EOF) {
		_, _ = io.WriteString(client, head.String()[:head.Len()/2])
		return
	}
	switch {
	case answer.StatusCode == http.StatusSwitchingProtocols:
		head.WriteString("\r\n")
	case answer.ContentLength >= 0:
		fmt.Fprintf(head, "Content-Length: %d\r\n\r\n", answer.ContentLength)
	default:
		fmt.Fprintf(head, "Transfer-Encoding: chunked\r\n\r\n%x\r\n", n)
	}
	_, _ = io.WriteString(client, head.String()+string(some[:n/2]))
}

// splice passes bytes both ways until both sides have ended.
func splice(client, upstream net.Conn, fromClient, fromUpstream io.Reader) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(upstream, fromClient)
		closeWrite(upstream)
	}()
	_, _ = io.Copy(client, fromUpstream)
	closeWrite(client)
	// A command that has ended reads nothing more.
	_ = client.Close()
	<-done
}

func closeWrite(conn net.Conn) {
	if half, ok := conn.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
}
