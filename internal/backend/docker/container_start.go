package docker

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"syscall"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/client"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// Start runs the process of a container that does not run.
func (b *Backend) Start(ctx context.Context, id string, spec backend.Spec) error {
	api, err := b.api(ctx)
	if err != nil {
		return err
	}
	before, err := b.inspect(ctx, id)
	if err != nil {
		return err
	}
	switch {
	case before.State.Paused:
		return b.fail("resume container "+id, api.ContainerUnpause(ctx, id))
	case before.State.Running:
		return nil
	}
	if err := startOnce(ctx, api, before); err != nil {
		return b.explainStart(ctx, before, spec, b.fail("start container "+spec.Name, err))
	}
	return nil
}

// startOnce starts the process, and tries again if the connection breaks unless
// the process has started by then: it may have ended already, and a job must
// not run twice.
func startOnce(ctx context.Context, api *client.Client, before container.InspectResponse) error {
	return againErr(ctx, func() error {
		err := api.ContainerStart(ctx, before.ID, container.StartOptions{})
		if !isDisconnect(err) {
			return err
		}
		after, inspectErr := api.ContainerInspect(ctx, before.ID)
		if inspectErr == nil && after.State != nil && after.State.StartedAt != before.State.StartedAt {
			return nil
		}
		return err
	})
}

// explainStart adds to a failed start which part of the spec is at fault. The
// engine answers 500 to most of what can be wrong, so its error's class says
// nothing.
func (b *Backend) explainStart(ctx context.Context, before container.InspectResponse, spec backend.Spec, err error) error {
	var failure *backend.Error
	if !errors.As(err, &failure) || failure.Kind != nil || ctx.Err() != nil {
		return err
	}
	if port, taken := b.findTakenPort(ctx, spec.Ports); taken {
		failure.Kind = backend.ErrPortTaken
		failure.Field = backend.FieldPorts
		failure.Remedy = fmt.Sprintf("Free port %d of the host, or publish port %s of the container on another one.", port.Host, port.Port)
		return failure
	}
	if saysPortTaken(failure.Cause) {
		failure.Kind = backend.ErrPortTaken
		failure.Field = backend.FieldPorts
		failure.Remedy = "Free the port, or publish the container's port on another one."
		return failure
	}
	after, inspectErr := b.inspect(ctx, before.ID)
	if inspectErr != nil {
		return err
	}
	switch failedExec(before.State, after.State) {
	case exitNotFound:
		failure.Field = backend.FieldCommand
		failure.Remedy = "Name an executable that the image has, by its absolute path or by a name that its PATH leads to."
	case exitNotExecutable:
		failure.Field = backend.FieldCommand
		failure.Remedy = "Name a file that the container's user may execute."
	}
	return failure
}

// The exit codes that the engine gives a container whose process could not be
// executed, as a shell does. It uses 128 for everything else.
const (
	exitNotExecutable = 126
	exitNotFound      = 127
)

// failedExec returns the exit code that a failed start has left, or 0 if what is
// there is from an earlier run: the engine (20.10) overwrites a code only if it
// was 0 or if the process could not be executed.
func failedExec(before, after *container.State) int {
	if after.ExitCode == before.ExitCode && !parseTime(before.StartedAt).IsZero() {
		return 0
	}
	return after.ExitCode
}

// findTakenPort looks for a host port that somebody else listens on, by
// listening on it. It can only tell where the engine's host is this one.
func (b *Backend) findTakenPort(ctx context.Context, ports []backend.PortBinding) (backend.PortBinding, bool) {
	engine, err := b.Engine(ctx)
	if err != nil || !engine.Local {
		return backend.PortBinding{}, false
	}
	bindAddress, err := b.bindAddress(ctx)
	if err != nil {
		return backend.PortBinding{}, false
	}
	for _, p := range ports {
		if errors.Is(listen(ctx, bindAddress, p), syscall.EADDRINUSE) {
			return p, true
		}
	}
	return backend.PortBinding{}, false
}

func listen(ctx context.Context, address string, p backend.PortBinding) error {
	var config net.ListenConfig
	hostPort := net.JoinHostPort(address, strconv.Itoa(int(p.Host)))
	if p.Protocol == backend.UDP {
		conn, err := config.ListenPacket(ctx, "udp", hostPort)
		if err != nil {
			return err
		}
		return conn.Close()
	}
	listener, err := config.Listen(ctx, "tcp", hostPort)
	if err != nil {
		return err
	}
	return listener.Close()
}

// portTakenTexts are what engines say about a port that is taken. They have no
// class of their own for it. The texts decide only where listening cannot: with
// a remote engine, and with one that publishes by packet filter alone, which
// leaves a port of a container free to listen on.
var portTakenTexts = []string{
	// Docker Engine 20.10.24 and 26.1.5, a port of another container: "driver
	// failed programming external connectivity on endpoint web (bec6...): Bind
	// for 127.0.0.1:18998 failed: port is already allocated".
	"port is already allocated",
	// Docker Engine 20.10.24 and 26.1.5, a port of another process: "driver
	// failed programming external connectivity on endpoint web (7f33...): Error
	// starting userland proxy: listen tcp4 127.0.0.1:18999: bind: address
	// already in use".
	"address already in use",
}

func saysPortTaken(err error) bool {
	if err == nil {
		return false
	}
	for _, text := range portTakenTexts {
		if strings.Contains(err.Error(), text) {
			return true
		}
	}
	return false
}
