package docker

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/go-connections/nat"
	dockerspec "github.com/moby/docker-image-spec/specs-go/v1"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// Inspect returns everything the engine knows about one container.
func (b *Backend) Inspect(ctx context.Context, id string) (backend.Container, error) {
	info, err := b.inspect(ctx, id)
	if err != nil {
		return backend.Container{}, err
	}
	host, err := b.host(ctx)
	if err != nil {
		return backend.Container{}, err
	}
	c := backend.Container{
		Summary: backend.Summary{
			ID:    info.ID,
			Name:  nameOf(info),
			State: stateOf(info.State.Status),
			Ports: publishedPorts(info),
			Host:  host,
			Owner: info.Config.Labels[labelOwner],
		},
		CreatedAt: parseTime(info.Created),
		StartedAt: parseTime(info.State.StartedAt),
		EndedAt:   parseTime(info.State.FinishedAt),
	}
	if c.State == backend.StateExited {
		c.Exit = exitOf(info.State)
	}
	if label, found := decodeGiven(c.Name, info.Config.Labels); found {
		c.Managed = true
		c.Given = label.selectFrom(info.Config)
		c.ImageID = info.Config.Labels[labelImage]
	} else {
		c.Given, err = b.diffImage(ctx, info)
		if err != nil {
			return backend.Container{}, err
		}
		c.ImageID = info.Image
	}
	for _, p := range c.Ports {
		c.Given.ExposedPorts = append(c.Given.ExposedPorts, p.Port)
	}
	c.Given.Limits = limitsOf(info.HostConfig.Resources)
	c.Given.DiskMB = diskOf(info.HostConfig.StorageOpt)
	c.Given.NetworkDisabled = info.HostConfig.NetworkMode.IsNone()
	c.Given.Networks = attachmentsOf(info)
	for _, a := range c.Given.Networks {
		c.Networks = append(c.Networks, a.Network)
	}
	return c, nil
}

// List returns a summary of every container of the engine.
func (b *Backend) List(ctx context.Context) ([]backend.Summary, error) {
	api, err := b.api(ctx)
	if err != nil {
		return nil, err
	}
	host, err := b.host(ctx)
	if err != nil {
		return nil, err
	}
	containers, err := again(ctx, func() ([]container.Summary, error) {
		return api.ContainerList(ctx, container.ListOptions{All: true})
	})
	if err != nil {
		return nil, b.fail("list containers", err)
	}
	summaries := make([]backend.Summary, 0, len(containers))
	for _, c := range containers {
		name := ownName(c.Names)
		_, managed := decodeGiven(name, c.Labels)
		summary := backend.Summary{
			ID:      c.ID,
			Name:    name,
			State:   stateOf(c.State),
			Ports:   livePorts(c.Ports),
			Host:    host,
			Managed: managed,
			Owner:   c.Labels[labelOwner],
		}
		if c.NetworkSettings != nil {
			summary.Networks = networkNames(c.NetworkSettings.Networks)
		}
		summaries = append(summaries, summary)
	}
	return summaries, nil
}

// inspect returns the engine's own description, whose parts that are pointers
// are all set, or ErrNotFound.
func (b *Backend) inspect(ctx context.Context, id string) (container.InspectResponse, error) {
	api, err := b.api(ctx)
	if err != nil {
		return container.InspectResponse{}, err
	}
	info, err := again(ctx, func() (container.InspectResponse, error) { return api.ContainerInspect(ctx, id) })
	if err != nil {
		return container.InspectResponse{}, b.fail("inspect container "+id, err)
	}
	if info.State == nil || info.HostConfig == nil || info.Config == nil {
		return container.InspectResponse{}, b.fail("inspect container "+id, errors.New("the engine's answer is incomplete"))
	}
	return info, nil
}

// diffImage works out what the creator of a container asked for that was not
// made here.
func (b *Backend) diffImage(ctx context.Context, info container.InspectResponse) (backend.Given, error) {
	img, err := b.inspectImage(ctx, info.Image)
	switch {
	case err == nil:
	case errors.Is(err, backend.ErrNotFound):
		// A container outlives its image if that was removed by force. What the
		// image said is then part of what the container is.
		img.Config = &dockerspec.DockerOCIImageConfig{}
	default:
		return backend.Given{}, err
	}
	return diffGiven(info.Config, img.Config), nil
}

// publishedPorts returns the container's published ports in a stable order.
// They are read from what the container was created with, because the engine
// reports live bindings only while the process runs; for a port that the
// engine was left to choose, the live one is the only one.
func publishedPorts(info container.InspectResponse) []backend.PortBinding {
	var live nat.PortMap
	if info.NetworkSettings != nil {
		live = info.NetworkSettings.Ports
	}
	configured := info.HostConfig.PortBindings
	if info.HostConfig.PublishAllPorts {
		configured = live
	}
	var ports []backend.PortBinding
	for port, bindings := range configured {
		number, err := backend.ParsePort(string(port))
		if err != nil {
			// SCTP, which no backend publishes.
			continue
		}
		host, found := hostPort(bindings)
		if !found {
			host, found = hostPort(live[port])
		}
		if found {
			ports = append(ports, backend.PortBinding{Port: number, Host: host})
		}
	}
	sortPorts(ports)
	return ports
}

// livePorts returns the published ports of a container in a list, which tells
// them only while the container runs. A port that is bound for IPv4 and for
// IPv6 is listed twice.
func livePorts(listed []container.Port) []backend.PortBinding {
	var ports []backend.PortBinding
	for _, p := range listed {
		port := backend.Port{Number: p.PrivatePort, Protocol: backend.Protocol(p.Type)}
		known := slices.ContainsFunc(ports, func(other backend.PortBinding) bool { return other.Port == port })
		if p.PublicPort == 0 || known || port.Protocol != backend.TCP && port.Protocol != backend.UDP {
			continue
		}
		ports = append(ports, backend.PortBinding{Port: port, Host: p.PublicPort})
	}
	sortPorts(ports)
	return ports
}

func sortPorts(ports []backend.PortBinding) {
	slices.SortFunc(ports, func(a, b backend.PortBinding) int { return a.Compare(b.Port) })
}

// hostPort returns the first host port that is set. A port that is bound for
// IPv4 and for IPv6 is listed twice.
func hostPort(bindings []nat.PortBinding) (uint16, bool) {
	for _, binding := range bindings {
		n, err := strconv.ParseUint(binding.HostPort, 10, 16)
		if err == nil && n > 0 {
			return uint16(n), true
		}
	}
	return 0, false
}

func nameOf(info container.InspectResponse) string { return strings.TrimPrefix(info.Name, "/") }

// ownName returns the container's name among the names that a list answers
// with: those with a second slash are names that links gave it.
func ownName(names []string) string {
	for _, name := range names {
		if name = strings.TrimPrefix(name, "/"); !strings.Contains(name, "/") {
			return name
		}
	}
	return ""
}

func stateOf(status container.ContainerState) backend.State {
	switch status {
	case container.StateCreated:
		return backend.StateCreated
	case container.StateRunning:
		return backend.StateRunning
	case container.StatePaused:
		return backend.StatePaused
	case container.StateExited:
		return backend.StateExited
	default:
		return backend.StateUnknown
	}
}

func exitOf(state *container.State) backend.Exit {
	return backend.Exit{Code: state.ExitCode, OOMKilled: state.OOMKilled}
}

// parseTime reads a time of the engine, which writes the year 1 for never.
func parseTime(s string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil || t.Year() <= 1 {
		return time.Time{}
	}
	return t
}
