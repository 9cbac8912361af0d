package fake

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"sync"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// host is where the engine binds published ports.
const host = "127.0.0.1"

var errNotInExec = errors.New("only a container's own process can listen")

// ports are the published ports of a running container. As with Docker's proxy,
// a host port accepts connections from the start, and drops them at once while
// nothing in the container listens.
type ports struct {
	open []io.Closer

	mu        sync.Mutex
	closed    bool
	listeners map[backend.Port]*innerListener
}

// bind opens every host port of a container, or none. It accounts the
// goroutines that serve them to group.
func bind(bindings []backend.PortBinding, group *sync.WaitGroup) (*ports, error) {
	p := &ports{listeners: make(map[backend.Port]*innerListener)}
	for _, binding := range bindings {
		address := net.JoinHostPort(host, strconv.Itoa(int(binding.Host)))
		if err := p.bindOne(binding, address, group); err != nil {
			p.close()
			return nil, err
		}
	}
	return p, nil
}

func (p *ports) bindOne(binding backend.PortBinding, address string, group *sync.WaitGroup) error {
	var config net.ListenConfig
	if binding.Protocol == backend.UDP {
		conn, err := config.ListenPacket(context.Background(), "udp", address)
		if err != nil {
			return err
		}
		p.open = append(p.open, conn)
		return nil
	}
	listener, err := config.Listen(context.Background(), "tcp", address)
	if err != nil {
		return err
	}
	p.open = append(p.open, listener)
	group.Go(func() { p.serve(listener, binding.Port) })
	return nil
}

func (p *ports) serve(outer net.Listener, port backend.Port) {
	for {
		conn, err := outer.Accept()
		if err != nil {
			return
		}
		if !p.offer(port, conn) {
			conn.Close()
		}
	}
}

// offer hands a connection to whatever listens in the container, if anything
// does.
func (p *ports) offer(port backend.Port, conn net.Conn) bool {
	p.mu.Lock()
	inner := p.listeners[port]
	p.mu.Unlock()
	return inner != nil && inner.offer(conn)
}

func (p *ports) listen(port backend.Port) (net.Listener, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, net.ErrClosed
	}
	if _, taken := p.listeners[port]; taken {
		return nil, fmt.Errorf("port %s is already listened on in the container", port)
	}
	inner := &innerListener{port: port, conns: make(chan net.Conn), closed: make(chan struct{})}
	inner.onClose = func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.listeners, port)
	}
	p.listeners[port] = inner
	return inner, nil
}

func (p *ports) close() {
	for _, closer := range p.open {
		closer.Close()
	}
	p.mu.Lock()
	p.closed = true
	listeners := p.listeners
	p.listeners = make(map[backend.Port]*innerListener)
	p.mu.Unlock()
	for _, inner := range listeners {
		inner.Close()
	}
}

// innerListener is a listener inside a container.
type innerListener struct {
	port    backend.Port
	conns   chan net.Conn
	onClose func()

	once   sync.Once
	closed chan struct{}
}

// offer hands a connection over, unless the listener is closed first.
func (l *innerListener) offer(conn net.Conn) bool {
	select {
	case l.conns <- conn:
		return true
	case <-l.closed:
		return false
	}
}

func (l *innerListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *innerListener) Close() error {
	l.once.Do(func() {
		close(l.closed)
		l.onClose()
	})
	return nil
}

func (l *innerListener) Addr() net.Addr {
	return &net.TCPAddr{IP: net.IPv4zero, Port: int(l.port.Number)}
}
