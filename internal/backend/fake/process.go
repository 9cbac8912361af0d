package fake

import (
	"context"
	"io"
	"net"
	"sync"
	"time"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// Program is what a process does. Its result is how the process ends.
//
// Like the first process of a container it gets no signal that it did not ask
// for: it learns from [Process.Terminate] that it should end. When ctx ends it
// has been killed and must return; what it returns then does not count.
type Program func(ctx context.Context, p *Process) backend.Exit

// Process is a running [Program]: a container's own, or one that Exec runs in
// it.
type Process struct {
	// Container is the name of its container.
	Container string
	// Args are the command and its arguments.
	Args       []string
	Env        map[string]string
	WorkingDir string
	User       string
	// Files are the files of its container.
	Files          *Filesystem
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Ports are the published ports of its container.
	Ports []backend.PortBinding

	// Terminate is closed when the process is asked to end.
	Terminate <-chan struct{}

	listen     func(backend.Port) (net.Listener, error)
	dial       func(host string, port backend.Port) (net.Conn, error)
	setHealthy func(bool)
}

// Listen accepts what connects to a port of the container, through the host's
// port if it is published. Only the container's own process can listen.
func (p *Process) Listen(port backend.Port) (net.Listener, error) { return p.listen(port) }

// Dial connects to a port that a container listens on, by its name or its alias
// on a network that both are on.
func (p *Process) Dial(host string, port backend.Port) (net.Conn, error) { return p.dial(host, port) }

// SetHealthy reports the result of the health check that the image declares.
func (p *Process) SetHealthy(healthy bool) { p.setHealthy(healthy) }

// killed is the exit of a process that got SIGKILL.
var killed = backend.Exit{Code: 137}

// mainProcess is the process of a container from its start to its end.
type mainProcess struct {
	ctx    context.Context
	cancel context.CancelFunc
	ports  *ports
	// terminate is closed by the first request to end.
	terminate     chan struct{}
	terminateOnce sync.Once
	// done is closed when the container is no longer running; exit is how it
	// ended then.
	done chan struct{}
	exit backend.Exit

	forcedMu sync.Mutex
	// forced replaces what the program returns.
	forced *backend.Exit
}

func newMainProcess(ports *ports) *mainProcess {
	ctx, cancel := context.WithCancel(context.Background())
	return &mainProcess{ctx: ctx, cancel: cancel, ports: ports, terminate: make(chan struct{}), done: make(chan struct{})}
}

// ask asks the process to end.
func (m *mainProcess) ask() {
	m.terminateOnce.Do(func() { close(m.terminate) })
}

// end makes the process end at once, in this way. The first one counts.
func (m *mainProcess) end(exit backend.Exit) {
	m.forcedMu.Lock()
	defer m.forcedMu.Unlock()
	if m.forced == nil {
		m.forced = &exit
	}
	m.cancel()
}

func (m *mainProcess) outcome(returned backend.Exit) backend.Exit {
	m.forcedMu.Lock()
	defer m.forcedMu.Unlock()
	if m.forced != nil {
		return *m.forced
	}
	return returned
}

// run starts the container's program. The caller holds b.mu.
func (b *Backend) run(c *container, program Program, m *mainProcess) {
	stdout, stderr := &lineWriter{journal: c.journal}, &lineWriter{journal: c.journal}
	p := c.newProcess(append(append([]string{}, c.config.entrypoint...), c.config.command...))
	p.dial = b.dialer(c)
	p.Stdin, p.Stdout, p.Stderr = eofReader{}, stdout, stderr
	p.Terminate = m.terminate
	p.listen = m.ports.listen
	p.setHealthy = func(healthy bool) { b.setHealthy(c, m, healthy) }

	b.processes.Go(func() {
		exit := m.outcome(program(m.ctx, p))
		stdout.flush()
		stderr.flush()
		b.ended(c, m, exit)
	})
}

// ended records that the container's process has ended.
func (b *Backend) ended(c *container, m *mainProcess, exit backend.Exit) {
	m.cancel()
	m.ports.close()
	b.mu.Lock()
	defer b.mu.Unlock()
	c.state, c.exit, c.process, c.healthy = backend.StateExited, exit, nil, false
	c.endedAt = time.Now()
	c.journal.setLive(false)
	m.exit = exit
	close(m.done)
	c.announce()
}

func (b *Backend) setHealthy(c *container, m *mainProcess, healthy bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if c.process == m {
		c.healthy = healthy
		c.announce()
	}
}

type eofReader struct{}

func (eofReader) Read([]byte) (int, error) { return 0, io.EOF }
