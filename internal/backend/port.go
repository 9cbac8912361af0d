package backend

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// Protocol is a port's transport protocol.
type Protocol string

// The protocols.
const (
	TCP Protocol = "tcp"
	UDP Protocol = "udp"
)

// Port is a port inside a container.
type Port struct {
	Number   uint16
	Protocol Protocol
}

// PortBinding is a port of a container and the host's port it is published on.
type PortBinding struct {
	Port
	// Host is the port on the host.
	Host uint16
	// Fixed says that the user chose Host: a conflict is an error then, not a
	// reason to try another one.
	Fixed bool
}

// ParsePort reads "5432", "5432/tcp" or "5432/udp".
func ParsePort(s string) (Port, error) {
	number, protocol, found := strings.Cut(s, "/")
	if !found {
		protocol = string(TCP)
	}
	n, err := strconv.ParseUint(number, 10, 16)
	if err != nil || n == 0 {
		return Port{}, fmt.Errorf("%q is not a port: want a number from 1 to 65535, optionally followed by /tcp or /udp", s)
	}
	if protocol != string(TCP) && protocol != string(UDP) {
		return Port{}, fmt.Errorf("%q is not a port: the protocol must be tcp or udp", s)
	}
	return Port{Number: uint16(n), Protocol: Protocol(protocol)}, nil
}

// String is the port's key in mapped_ports: "5432", or "5432/udp".
func (p Port) String() string {
	if p.Protocol == UDP {
		return fmt.Sprintf("%d/udp", p.Number)
	}
	return strconv.Itoa(int(p.Number))
}

// Compare orders ports by number, then by protocol.
func (p Port) Compare(other Port) int {
	return cmp.Or(cmp.Compare(p.Number, other.Number), cmp.Compare(p.Protocol, other.Protocol))
}
