package readiness

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// listenWindow is how long a connection has to stay open to count. docker-proxy
// accepts on a published port before anything listens in the container, and
// closes as soon as it has found that out.
const listenWindow = 100 * time.Millisecond

var networkPace = pace{first: 5 * time.Millisecond, longest: 250 * time.Millisecond}

// Port waits until something in the container listens on a published TCP port.
type Port struct {
	// Port is the port inside the container, as in "5432" or "5432/tcp".
	Port string
}

func (p Port) String() string { return "port " + p.Port }

// Validate implements [Validator].
func (p Port) Validate() error {
	_, err := tcpPort(p.Port)
	return err
}

// Wait implements [Strategy].
func (p Port) Wait(ctx context.Context, target Target) error {
	addr, err := address(target, p.Port)
	if err != nil {
		return err
	}
	return poll(ctx, networkPace, func(ctx context.Context) error { return probeListener(ctx, addr) })
}

// Ports waits until something listens on each of the TCP ports. It is the
// default for a container that publishes ports. UDP ports are left out: they
// cannot be probed without speaking the service's own protocol.
type Ports []string

func (p Ports) String() string {
	tcp := p.tcp()
	if len(tcp) == 1 {
		return "port " + tcp[0]
	}
	return "ports " + strings.Join(tcp, ", ")
}

// Validate implements [Validator].
func (p Ports) Validate() error {
	var errs []error
	for _, port := range p.tcp() {
		errs = append(errs, Port{Port: port}.Validate())
	}
	return errors.Join(errs...)
}

// Wait implements [Strategy].
func (p Ports) Wait(ctx context.Context, target Target) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	tcp := p.tcp()
	errs := make([]error, len(tcp))
	var group sync.WaitGroup
	for i, port := range tcp {
		group.Go(func() {
			errs[i] = Port{Port: port}.Wait(ctx, target)
			if errs[i] != nil {
				// For good, or because ctx has ended: nothing is left to wait for.
				cancel()
			}
		})
	}
	group.Wait()

	var pending []string
	var cause error
	for i, err := range errs {
		unmet, ok := errors.AsType[*unmetError](err)
		switch {
		case err == nil:
		case !ok:
			return err
		case len(tcp) == 1:
			return err
		default:
			pending = append(pending, tcp[i]+" "+unmet.observed)
			cause = unmet.cause
		}
	}
	if len(pending) == 0 {
		return nil
	}
	return &unmetError{observed: strings.Join(pending, ", "), cause: cause}
}

func (p Ports) tcp() []string {
	var tcp []string
	for _, port := range p {
		if !strings.HasSuffix(port, "/udp") {
			tcp = append(tcp, port)
		}
	}
	return tcp
}

// probeListener connects and then reads: data, or silence for a while, is a
// listener; an end of the connection is a proxy that found none.
func probeListener(ctx context.Context, addr string) error {
	dialer := net.Dialer{Timeout: attemptTimeout}
	conn, err := dialer.DialContext(ctx, "tcp", addr)
	if err != nil {
		return unmetf("%s", networkReason(err))
	}
	release := closeOnDone(ctx, conn)
	defer release()
	if err := conn.SetReadDeadline(time.Now().Add(listenWindow)); err != nil {
		return unmetf("%s", networkReason(err))
	}
	_, err = conn.Read(make([]byte, 1))
	switch {
	case err == nil, errors.Is(err, os.ErrDeadlineExceeded):
		return nil
	case errors.Is(err, io.EOF):
		return unmetf("connection accepted and closed at once")
	}
	return unmetf("%s", networkReason(err))
}

// address returns where a port of the container is reached.
func address(target Target, port string) (string, error) {
	number, err := tcpPort(port)
	if err != nil {
		return "", err
	}
	addr, ok := target.Address(number)
	if !ok {
		return "", fmt.Errorf("port %s of the container is not published", number)
	}
	return addr, nil
}

// tcpPort returns the number in "5432" or "5432/tcp".
func tcpPort(port string) (string, error) {
	number, protocol, found := strings.Cut(port, "/")
	if found && protocol == "udp" {
		return "", fmt.Errorf("%q cannot be waited for: only the service's own protocol could tell whether a UDP port answers", port)
	}
	n, err := strconv.ParseUint(number, 10, 16)
	if err != nil || n == 0 || found && protocol != "tcp" {
		return "", fmt.Errorf("%q is not a TCP port: want a number from 1 to 65535, optionally followed by /tcp", port)
	}
	return strconv.FormatUint(n, 10), nil
}
