package fake_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/backendtest"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/fake"
)

func TestContract(t *testing.T) {
	t.Parallel()

	for name, capabilities := range map[string]backend.Capabilities{
		"captures while the process runs": {Checkpoint: true, LayerLimit: 125, Networks: true},
		"stops the process to capture":    {HardwareIsolated: true, Checkpoint: true, CheckpointRestartsWorkload: true, Networks: true},
		"captures nothing, joins nothing": {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := newContractBackend()
			t.Cleanup(b.Close)
			b.SetEngine(backend.Engine{ID: "one", Version: "1", Address: "fake://one", Local: true, Capabilities: capabilities})
			backendtest.Run(t, backendtest.Harness{
				Open: func(*testing.T) backend.Backend { return b },
				Images: backendtest.Images{
					Base:       "base:1",
					Volume:     "volume:1",
					VolumePath: "/var/lib/data",
					Healthy:    "healthy:1",
					Missing:    "missing:1",
				},
				Commands:         commands{},
				MakeUncapturable: func(t *testing.T, name string) { makeUncapturable(t, b, name) },
				JoinForeign:      func(t *testing.T, name, network string) { joinForeign(t, b, name, network) },
				Leftovers:        func(_ *testing.T, prefix string) []string { return leftovers(b, prefix) },
			})
		})
	}
}

func newContractBackend() *fake.Backend {
	relays := &relays{lines: make(map[string]chan string)}
	return fake.New(
		fake.WithImage("base:1", fake.Image{Command: []string{"relay"}}),
		fake.WithImage("volume:1", fake.Image{
			Entrypoint: []string{"relay"},
			Files:      map[string]string{"/var/lib/data/README": "of the image"},
		}),
		fake.WithImage("healthy:1", fake.Image{Command: []string{"pass-check"}, HealthCheck: true}),
		fake.WithCommand("relay", relays.relay),
		fake.WithCommand("say", relays.say),
		fake.WithCommand("pass-check", passCheck),
		fake.WithCommand("stubborn", fake.Stubborn),
		fake.WithCommand("echo-error", echoError),
		fake.WithCommand("stat", stat),
		fake.WithCommand("printenv", printEnv),
		fake.WithCommand("pwd", printWorkingDir),
		fake.WithCommand("id", printUserID),
		fake.WithCommand("fetch", fetch),
	)
}

func makeUncapturable(t *testing.T, b *fake.Backend, name string) {
	t.Helper()
	spec := backend.Spec{Name: name, Image: "base:1"}
	if _, err := b.Create(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
	if err := b.Start(t.Context(), name, spec); err != nil {
		t.Fatal(err)
	}
	b.MarkUncapturable(name, "/mnt")
}

func joinForeign(t *testing.T, b *fake.Backend, name, network string) {
	t.Helper()
	spec := backend.Spec{Name: name, Image: "base:1", Networks: []backend.Attachment{{Network: network}}}
	if _, err := b.Create(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
	if err := b.Start(t.Context(), name, spec); err != nil {
		t.Fatal(err)
	}
	b.MarkForeign(name)
}

func leftovers(b *fake.Backend, prefix string) []string {
	var left []string
	for _, c := range b.Containers() {
		if strings.HasPrefix(c.Name, prefix) {
			left = append(left, "container "+c.Name)
		}
	}
	for _, n := range b.AllNetworks() {
		if strings.HasPrefix(n.Name, prefix) {
			left = append(left, "network "+n.Name)
		}
	}
	for _, call := range b.CallsOf(fake.Capture) {
		for _, a := range b.ArtifactsOf(call.Capture.Name) {
			if strings.HasPrefix(call.Capture.Name, prefix) {
				left = append(left, "artifact "+a.ID+" of "+call.Capture.Name)
			}
		}
	}
	return left
}

type commands struct{}

func (commands) Relay() []string                      { return []string{"relay"} }
func (commands) Say(text string) []string             { return []string{"say", text} }
func (commands) Quit(code int) []string               { return []string{"say", quit + strconv.Itoa(code)} }
func (commands) Stubborn() []string                   { return []string{"stubborn"} }
func (commands) Serve(_ uint16, root string) []string { return []string{"serve", root} }
func (commands) Echo(words ...string) []string        { return append([]string{"echo"}, words...) }
func (commands) EchoError(text string) []string       { return []string{"echo-error", text} }
func (commands) Exit(code int) []string               { return []string{"exit", strconv.Itoa(code)} }
func (commands) Cat() []string                        { return []string{"cat"} }
func (commands) ReadFile(path string) []string        { return []string{"cat", path} }
func (commands) WriteFile(path, text string) []string { return []string{"write", path, text} }
func (commands) Stat(path string) []string            { return []string{"stat", path} }
func (commands) PrintEnv(name string) []string        { return []string{"printenv", name} }
func (commands) PrintWorkingDir() []string            { return []string{"pwd"} }
func (commands) PrintUserID() []string                { return []string{"id"} }
func (commands) Fetch(host string, port uint16, file string) []string {
	return []string{"fetch", host, strconv.Itoa(int(port)), file}
}
func (commands) Missing() []string { return []string{"missing"} }

const quit = "\x00quit "

// relays are the relays that run, by container.
type relays struct {
	mu    sync.Mutex
	lines map[string]chan string
}

func (r *relays) of(container string) chan string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.lines[container] == nil {
		r.lines[container] = make(chan string)
	}
	return r.lines[container]
}

func (r *relays) relay(ctx context.Context, p *fake.Process) backend.Exit {
	fmt.Fprintln(p.Stdout, "ready")
	for {
		select {
		case line := <-r.of(p.Container):
			if code, isQuit := strings.CutPrefix(line, quit); isQuit {
				exit, _ := strconv.Atoi(code)
				return backend.Exit{Code: exit}
			}
			fmt.Fprintln(p.Stdout, line)
		case <-p.Terminate:
			return backend.Exit{}
		case <-ctx.Done():
			return backend.Exit{}
		}
	}
}

func (r *relays) say(ctx context.Context, p *fake.Process) backend.Exit {
	select {
	case r.of(p.Container) <- p.Args[1]:
		return backend.Exit{}
	case <-ctx.Done():
		return backend.Exit{Code: 1}
	}
}

func passCheck(ctx context.Context, p *fake.Process) backend.Exit {
	p.SetHealthy(true)
	return fake.Idle(ctx, p)
}

func echoError(_ context.Context, p *fake.Process) backend.Exit {
	fmt.Fprintln(p.Stderr, p.Args[1])
	return backend.Exit{}
}

func stat(_ context.Context, p *fake.Process) backend.Exit {
	entry, err := p.Files.Stat(p.Args[1])
	if err != nil {
		fmt.Fprintln(p.Stderr, err)
		return backend.Exit{Code: 1}
	}
	fmt.Fprintf(p.Stdout, "%o %d %d\n", entry.Mode.Perm(), entry.UID, entry.GID)
	return backend.Exit{}
}

func printEnv(_ context.Context, p *fake.Process) backend.Exit {
	fmt.Fprintln(p.Stdout, p.Env[p.Args[1]])
	return backend.Exit{}
}

func printWorkingDir(_ context.Context, p *fake.Process) backend.Exit {
	fmt.Fprintln(p.Stdout, p.WorkingDir)
	return backend.Exit{}
}

func printUserID(_ context.Context, p *fake.Process) backend.Exit {
	if p.User == "" || p.User == "root" {
		p.User = "0"
	}
	fmt.Fprintln(p.Stdout, p.User)
	return backend.Exit{}
}

// fetch HOST PORT FILE prints what a server on another container answers.
func fetch(ctx context.Context, p *fake.Process) backend.Exit {
	port, err := backend.ParsePort(p.Args[2])
	if err != nil {
		fmt.Fprintln(p.Stderr, err)
		return backend.Exit{Code: 2}
	}
	client := http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext:       func(context.Context, string, string) (net.Conn, error) { return p.Dial(p.Args[1], port) },
	}}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+p.Args[1]+p.Args[3], nil)
	if err != nil {
		fmt.Fprintln(p.Stderr, err)
		return backend.Exit{Code: 2}
	}
	resp, err := client.Do(req)
	if err != nil {
		fmt.Fprintln(p.Stderr, err)
		return backend.Exit{Code: 1}
	}
	defer resp.Body.Close()
	if _, err := io.Copy(p.Stdout, resp.Body); err != nil {
		fmt.Fprintln(p.Stderr, err)
		return backend.Exit{Code: 1}
	}
	return backend.Exit{}
}
