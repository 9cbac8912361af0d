package fake

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// joined is a network that a container is on. As Docker does, a container that
// does not run keeps one that has gone, and cannot be started with it.
type joined struct {
	id, name string
	aliases  []string
}

func (j joined) attachment() backend.Attachment {
	return backend.Attachment{Network: j.name, Aliases: slices.Clone(j.aliases)}
}

func (c *container) attachments() []backend.Attachment {
	var attachments []backend.Attachment
	for _, j := range c.joined {
		attachments = append(attachments, j.attachment())
	}
	return attachments
}

func (c *container) networkNames() []string {
	var names []string
	for _, j := range c.joined {
		names = append(names, j.name)
	}
	return names
}

// Attach puts a container on exactly these networks.
func (b *Backend) Attach(ctx context.Context, id string, attachments []backend.Attachment) (err error) {
	end, err := b.begin(ctx, Call{Method: Attach, Target: id, Attachments: backend.SortedAttachments(attachments)})
	if err != nil {
		return err
	}
	defer end(&err)

	b.mu.Lock()
	defer b.mu.Unlock()
	c, err := b.need(id, "attach")
	if err != nil {
		return err
	}
	joined, err := b.join("attach container "+c.name, attachments)
	if err != nil {
		return err
	}
	c.joined = joined
	return nil
}

// join finds the networks that a container is to be on. The caller holds b.mu.
func (b *Backend) join(tried string, attachments []backend.Attachment) ([]joined, error) {
	var all []joined
	for _, a := range backend.SortedAttachments(attachments) {
		if err := b.canNetwork(b.tried("%s", tried)); err != nil {
			return nil, err
		}
		n, ok := b.findNetwork(a.Network)
		if !ok || n.info.Name != a.Network {
			return nil, &backend.Error{
				Kind: backend.ErrNotFound, Tried: b.tried("%s", tried), Cause: fmt.Errorf("there is no network %s", a.Network), Field: backend.FieldNetworks,
			}
		}
		all = append(all, joined{id: n.info.ID, name: a.Network, aliases: a.Aliases})
	}
	return all, nil
}

// checkJoined fails for a container on a network that has gone. The caller holds
// b.mu.
func (b *Backend) checkJoined(c *container) error {
	for _, j := range c.joined {
		if _, ok := b.networks[j.id]; !ok {
			return &backend.Error{Kind: backend.ErrNotFound, Tried: b.tried("start container %s", c.name), Cause: fmt.Errorf("network %s is gone", j.name)}
		}
	}
	return nil
}

var errUnknownHost = errors.New("bad address")

// dialer connects the processes of a container to those of others.
func (b *Backend) dialer(from *container) func(string, backend.Port) (net.Conn, error) {
	return func(host string, port backend.Port) (net.Conn, error) {
		ports, err := b.portsOf(from, host)
		if err != nil {
			return nil, err
		}
		near, far := net.Pipe()
		if !ports.offer(port, far) {
			return nil, fmt.Errorf("connect to %s:%s: connection refused", host, port)
		}
		return near, nil
	}
}

// portsOf returns the ports of the container that is known by a name to another
// one.
func (b *Backend) portsOf(from *container, host string) (*ports, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, near := range from.joined {
		for _, c := range b.containers {
			for _, j := range c.joined {
				if j.id == near.id && c.running() && (c.name == host || slices.Contains(j.aliases, host)) {
					return c.process.ports, nil
				}
			}
		}
	}
	return nil, fmt.Errorf("%w: %s", errUnknownHost, host)
}

// AttachOutOfBand puts a container on exactly these networks, as somebody with a
// shell does.
func (b *Backend) AttachOutOfBand(id string, attachments ...backend.Attachment) {
	b.mu.Lock()
	defer b.mu.Unlock()
	joined, err := b.join("attach", attachments)
	if err != nil {
		panic(fmt.Errorf("fake: %w", err))
	}
	b.mustFind(id).joined = joined
}

// RemoveNetworkOutOfBand deletes a network, whoever is on it.
func (b *Backend) RemoveNetworkOutOfBand(name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n, ok := b.findNetwork(name)
	if !ok {
		panic(fmt.Errorf("fake: network %s: %w", name, errNotThere))
	}
	for _, c := range b.runningOn(n) {
		c.joined = slices.DeleteFunc(slices.Clone(c.joined), func(j joined) bool { return j.id == n.info.ID })
	}
	delete(b.networks, n.info.ID)
}
