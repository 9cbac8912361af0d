package fake

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"path"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// Serve is a server: it answers HTTP on every published TCP port with the
// container's file at the request's path below its first argument, or with
// "ok"; it prints "ready" when it listens, and ends with 0 when it is asked to.
func Serve(ctx context.Context, p *Process) backend.Exit {
	root := "/"
	if len(p.Args) > 1 {
		root = p.Args[1]
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		content, err := p.Files.ReadFile(path.Join(root, path.Clean("/"+r.URL.Path)))
		if err != nil {
			content = []byte("ok\n")
		}
		_, _ = w.Write(content)
	})}
	for _, binding := range p.Ports {
		if binding.Protocol == backend.UDP {
			continue
		}
		listener, err := p.Listen(binding.Port)
		if err != nil {
			fmt.Fprintln(p.Stderr, err)
			return backend.Exit{Code: 1}
		}
		go serve(server, listener)
	}
	fmt.Fprintln(p.Stdout, "ready")
	defer server.Close()
	return Idle(ctx, p)
}

// serve ends when the server is closed, which its own error says again.
func serve(server *http.Server, listener net.Listener) { _ = server.Serve(listener) }

// Idle does nothing until it is asked to end.
func Idle(ctx context.Context, p *Process) backend.Exit {
	select {
	case <-p.Terminate:
	case <-ctx.Done():
	}
	return backend.Exit{}
}

// Stubborn does nothing and does not end when it is asked to.
func Stubborn(ctx context.Context, _ *Process) backend.Exit {
	<-ctx.Done()
	return killed
}

// Job prints lines and ends by itself.
func Job(exit backend.Exit, lines ...string) Program {
	return func(_ context.Context, p *Process) backend.Exit {
		for _, line := range lines {
			fmt.Fprintln(p.Stdout, line)
		}
		return exit
	}
}

// Crash prints lines to standard error and ends as a process does that the
// kernel killed because it took more memory than it may.
func Crash(lines ...string) Program {
	return func(_ context.Context, p *Process) backend.Exit {
		for _, line := range lines {
			fmt.Fprintln(p.Stderr, line)
		}
		return backend.Exit{Code: killed.Code, OOMKilled: true}
	}
}
