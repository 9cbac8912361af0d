package microsandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/msb"
)

// checkPorts fails if a port of this host is in use. msb would boot all the
// same, and publish nothing on it.
func checkPorts(ctx context.Context, tried string, bindings []backend.PortBinding) error {
	for _, p := range bindings {
		err := tryPort(ctx, p)
		if err == nil {
			continue
		}
		cause := fmt.Errorf("publish port %s on %s:%d: %w", p.Port, loopback, p.Host, err)
		switch {
		case ctx.Err() != nil:
			return &backend.Error{Tried: tried, Cause: cause}
		case errors.Is(err, fs.ErrPermission):
			return &backend.Error{
				Tried: tried, Cause: cause, Field: backend.FieldPorts,
				Remedy: "Use a host port from 1024 on: those below are for privileged users.",
			}
		default:
			return portTaken(tried, cause)
		}
	}
	return nil
}

func tryPort(ctx context.Context, p backend.PortBinding) error {
	var config net.ListenConfig
	var taken io.Closer
	var err error
	address := fmt.Sprintf("%s:%d", loopback, p.Host)
	if p.Protocol == backend.UDP {
		taken, err = config.ListenPacket(ctx, "udp4", address)
	} else {
		taken, err = config.Listen(ctx, "tcp4", address)
	}
	if err != nil {
		return err
	}
	return taken.Close()
}

func portTaken(tried string, cause error) error {
	return &backend.Error{
		Kind: backend.ErrPortTaken, Tried: tried, Cause: cause,
		Remedy: "Free the port, choose another one, or use exposed_ports to have a free one chosen.",
		Field:  backend.FieldPorts,
	}
}

// noAddress is in what msb says when this host has no network, so that it gives
// the guest no address to forward to.
const noAddress = "guest has no IPv4 or IPv6 address"

// checkPublished fails if msb could not publish a port after all: it says so to
// its log only.
func (b *Backend) checkPublished(ctx context.Context, rec *record, since time.Time) error {
	if len(rec.Ports) == 0 {
		return nil
	}
	tried := "publish the ports of container " + rec.Name
	client, err := b.msb(ctx)
	if err != nil {
		return err
	}
	records, err := systemLog(ctx, client, rec.Name, since)
	if err != nil {
		return b.fail(tried, err)
	}
	failures := msb.PortFailures(records)
	if len(failures) == 0 {
		return nil
	}
	cause := errors.New("msb published none, or not all: " + strings.Join(failures, "; "))
	if slices.ContainsFunc(failures, func(failure string) bool { return strings.Contains(failure, noAddress) }) {
		// No other port would do better.
		return &backend.Error{
			Kind: backend.ErrUnavailable, Tried: tried, Cause: cause, Field: backend.FieldPorts,
			Remedy: "msb publishes ports only on a host that has a network interface with an address and a default route beside loopback.",
		}
	}
	return portTaken(tried, cause)
}
