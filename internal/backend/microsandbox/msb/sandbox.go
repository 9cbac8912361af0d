package msb

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// Status is the state of a sandbox, in msb's words.
type Status string

// The states.
const (
	// Starting is a boot in progress, or one that was interrupted.
	Starting Status = "Starting"
	Running  Status = "Running"
	// Draining is a sandbox that is being stopped.
	Draining Status = "Draining"
	Stopped  Status = "Stopped"
	// Crashed is a VM that was killed, or whose host was restarted.
	Crashed Status = "Crashed"
	Paused  Status = "Paused"
	Created Status = "Created"
)

// Sandbox is what msb tells about many sandboxes at once.
type Sandbox struct {
	Name   string
	Status Status
	Image  string
	Ports  []backend.PortBinding
}

// Mount is a directory or file of the host, or a tmpfs, in a sandbox.
type Mount struct {
	// Type is Bind or Tmpfs, among others.
	Type        string
	Host, Guest string
}

// Details is everything msb knows about one sandbox.
type Details struct {
	Name                 string
	Status               Status
	CreatedAt, UpdatedAt time.Time
	Image                string
	// RootDiskKind is managed, tmpfs, flat or another; empty for a sandbox that
	// was booted from a snapshot.
	RootDiskKind string
	// RootDiskMB is the size of the root disk; zero if RootDiskKind is empty.
	RootDiskMB int64
	// NoNetwork says that nothing gets in or out, by no exception.
	NoNetwork bool
	Mounts    []Mount
	Ports     []backend.PortBinding
	// Env and Labels hold the image's own beside those that were given.
	Env                 map[string]string
	Labels              map[string]string
	Entrypoint, Command []string
	WorkingDir, User    string
	MemoryMB            int64
	CPUs                int
	// ManifestDigest is the digest of the image.
	ManifestDigest string
}

// List returns every sandbox. msb tells the ports of those that do not run too.
func (c *Client) List(ctx context.Context) ([]Sandbox, error) {
	out, err := c.output(ctx, plain("ps", "--all", "--format=json"))
	if err != nil {
		return nil, err
	}
	return parseList(out)
}

// Inspect returns one sandbox, or ErrNotFound. msb notices on the way that a VM
// has died and records it.
func (c *Client) Inspect(ctx context.Context, name string) (Details, error) {
	if err := checkName(name); err != nil {
		return Details{}, refused("inspect", ErrNotFound, err)
	}
	out, err := c.output(ctx, plain("inspect", "--format=json", name))
	if err != nil {
		return Details{}, err
	}
	return parseDetails(out)
}

func parseList(out []byte) ([]Sandbox, error) {
	var rows []struct {
		Name   string   `json:"name"`
		Status Status   `json:"status"`
		Image  string   `json:"image"`
		Ports  []string `json:"ports"`
	}
	if err := json.Unmarshal(out, &rows); err != nil {
		return nil, unreadable("ps", err)
	}
	sandboxes := make([]Sandbox, 0, len(rows))
	for _, row := range rows {
		s := Sandbox{Name: row.Name, Status: row.Status, Image: row.Image}
		for _, text := range row.Ports {
			// Something else than a number is nothing that this client published.
			if port, ok := parsePort(text); ok {
				s.Ports = append(s.Ports, port)
			}
		}
		sandboxes = append(sandboxes, s)
	}
	return sandboxes, nil
}

// parsePort reads "127.0.0.1:18080->8080/tcp".
func parsePort(s string) (backend.PortBinding, bool) {
	host, guest, ok := strings.Cut(s, "->")
	if !ok {
		return backend.PortBinding{}, false
	}
	_, number, err := net.SplitHostPort(host)
	if err != nil {
		return backend.PortBinding{}, false
	}
	published, err := strconv.ParseUint(number, 10, 16)
	if err != nil {
		return backend.PortBinding{}, false
	}
	port, err := backend.ParsePort(guest)
	return backend.PortBinding{Port: port, Host: uint16(published)}, err == nil
}

// details is the part of msb inspect's answer that is used. Unknown members are
// ignored, and missing ones are zero: they differ between versions.
type details struct {
	Name      string    `json:"name"`
	Status    Status    `json:"status"`
	CreatedAt timestamp `json:"created_at"`
	UpdatedAt timestamp `json:"updated_at"`
	Config    struct {
		Image struct {
			OCI struct {
				Reference string `json:"reference"`
				RootDisk  struct {
					Kind   string `json:"kind"`
					SizeMB int64  `json:"size_mib"`
				} `json:"root_disk"`
			} `json:"Oci"`
		} `json:"image"`
		ManifestDigest string            `json:"manifest_digest"`
		Env            variables         `json:"env"`
		Labels         map[string]string `json:"labels"`
		Mounts         []struct {
			Type  string `json:"type"`
			Host  string `json:"host"`
			Guest string `json:"guest"`
		} `json:"mounts"`
		Network struct {
			Ports []struct {
				Guest    uint16           `json:"guest_port"`
				Host     uint16           `json:"host_port"`
				Protocol backend.Protocol `json:"protocol"`
			} `json:"ports"`
			// Policy is missing where no flag has set one.
			Policy struct {
				Egress  string            `json:"default_egress"`
				Ingress string            `json:"default_ingress"`
				Rules   []json.RawMessage `json:"rules"`
			} `json:"policy"`
		} `json:"network"`
		Resources struct {
			CPUs     int   `json:"cpus"`
			MemoryMB int64 `json:"memory_mib"`
		} `json:"resources"`
		Runtime struct {
			Command    []string `json:"cmd"`
			Entrypoint []string `json:"entrypoint"`
			WorkingDir string   `json:"workdir"`
			User       string   `json:"user"`
		} `json:"runtime"`
	} `json:"config"`
}

// deny is what a policy does with everything under --no-net.
const deny = "deny"

func parseDetails(out []byte) (Details, error) {
	var in details
	if err := json.Unmarshal(out, &in); err != nil {
		return Details{}, unreadable("inspect", err)
	}
	if in.Name == "" || in.Status == "" {
		return Details{}, unreadable("inspect", fmt.Errorf("it has no name or status"))
	}
	config := in.Config
	policy := config.Network.Policy
	d := Details{
		Name:           in.Name,
		Status:         in.Status,
		CreatedAt:      time.Time(in.CreatedAt),
		UpdatedAt:      time.Time(in.UpdatedAt),
		Image:          config.Image.OCI.Reference,
		RootDiskKind:   config.Image.OCI.RootDisk.Kind,
		RootDiskMB:     config.Image.OCI.RootDisk.SizeMB,
		NoNetwork:      policy.Egress == deny && policy.Ingress == deny && len(policy.Rules) == 0,
		Env:            config.Env,
		Labels:         config.Labels,
		Entrypoint:     config.Runtime.Entrypoint,
		Command:        config.Runtime.Command,
		WorkingDir:     config.Runtime.WorkingDir,
		User:           config.Runtime.User,
		MemoryMB:       config.Resources.MemoryMB,
		CPUs:           config.Resources.CPUs,
		ManifestDigest: config.ManifestDigest,
	}
	for _, mount := range config.Mounts {
		d.Mounts = append(d.Mounts, Mount{Type: mount.Type, Host: mount.Host, Guest: mount.Guest})
	}
	for _, port := range config.Network.Ports {
		d.Ports = append(d.Ports, backend.PortBinding{
			Port: backend.Port{Number: port.Guest, Protocol: port.Protocol},
			Host: port.Host,
		})
	}
	return d, nil
}

// unreadable is an answer that is not what this package knows: most likely of a
// version it was not written for.
func unreadable(command string, cause error) error {
	return fmt.Errorf("msb %s: its answer cannot be read, its version is probably not supported: %w", command, cause)
}
