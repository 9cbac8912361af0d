package docker

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"time"

	cerrdefs "github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/network"
	"github.com/docker/go-connections/nat"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/filetar"
	"github.com/rightsize/terraform-provider-rightsize/internal/faultpoint"
)

const (
	// createTimeout bounds a creation that is no longer awaited. The engine
	// fills volumes here if an image had to keep them.
	createTimeout = 2 * time.Minute
	// cleanupTimeout bounds the removal of what a failed operation made.
	cleanupTimeout = 30 * time.Second
	// createAttempts bounds how often a creation is begun again because its image
	// went away between the two steps.
	createAttempts = 5
)

// Create makes a container with its files in place.
func (b *Backend) Create(ctx context.Context, spec backend.Spec) (backend.Container, error) {
	if err := filetar.Check(spec.Files); err != nil {
		return backend.Container{}, err
	}
	if err := b.checkRoot(ctx, spec); err != nil {
		return backend.Container{}, err
	}
	// The engine takes a name of a network without looking, and fails at the start.
	if _, err := b.networkIDs(ctx, spec.Networks); err != nil {
		return backend.Container{}, err
	}
	spec.Networks = backend.SortedAttachments(spec.Networks)
	id, err := b.createFromImage(ctx, spec)
	if err != nil {
		return backend.Container{}, err
	}
	faultpoint.Reach(ctx, faultpoint.Made)
	c, err := b.furnish(ctx, id, spec)
	faultpoint.Reach(ctx, faultpoint.Furnished)
	if err != nil {
		if left := b.discard(ctx, id); left != nil {
			err = errors.Join(err, left)
		}
		return backend.Container{}, err
	}
	return c, nil
}

// furnish puts files into a new container, puts it on its networks and returns
// its description.
func (b *Backend) furnish(ctx context.Context, id string, spec backend.Spec) (backend.Container, error) {
	// The interruption that creating a container does not heed.
	if err := ctx.Err(); err != nil {
		return backend.Container{}, err
	}
	if err := b.copyFiles(ctx, id, spec.Files); err != nil {
		return backend.Container{}, err
	}
	for _, a := range spec.Networks[min(1, len(spec.Networks)):] {
		if err := b.join(ctx, id, a); err != nil {
			return backend.Container{}, err
		}
	}
	return b.Inspect(ctx, id)
}

// createFromImage resolves the image and creates the container. Between the two
// steps the copy without volumes may go, with the last container of another
// resource or process that ran from it; then both are done again.
func (b *Backend) createFromImage(ctx context.Context, spec backend.Spec) (id string, err error) {
	for range createAttempts {
		var source, runnable string
		source, runnable, err = b.imageFor(ctx, spec)
		if err != nil {
			return "", err
		}
		faultpoint.Reach(ctx, faultpoint.Copied)
		id, err = b.createContainer(ctx, spec, source, runnable)
		if err == nil {
			return id, nil
		}
		if !errors.Is(err, backend.ErrNotFound) {
			b.dropBase(context.WithoutCancel(ctx), runnable)
			return "", err
		}
	}
	return "", err
}

// imageFor returns the ids of the image that spec names and of the one to run
// in its place, which declares no volumes.
func (b *Backend) imageFor(ctx context.Context, spec backend.Spec) (source, runnable string, err error) {
	var img image
	if spec.From != nil {
		// By its id, so that it is never pulled and never another capture that
		// took over the name.
		img, err = b.inspectImage(ctx, spec.From.ID)
	} else {
		img, err = b.resolveImage(ctx, spec.Image, spec.PullPolicy)
	}
	if err != nil {
		return "", "", err
	}
	runnable, err = b.volumeFree(ctx, img)
	if errors.Is(err, backend.ErrUnsupported) {
		// A capture copies the volumes then.
		return img.ID, img.ID, nil
	}
	return img.ID, runnable, err
}

func (b *Backend) createContainer(ctx context.Context, spec backend.Spec, source, runnable string) (id string, err error) {
	api, err := b.api(ctx)
	if err != nil {
		return "", err
	}
	bindAddress, err := b.bindAddress(ctx)
	if err != nil {
		return "", err
	}
	config, err := containerConfig(spec, source, runnable)
	if err != nil {
		return "", err
	}

	// An interrupted request does not stop the engine, which would leave a
	// container whose id nobody has learnt. So it is not interrupted.
	detached, cancel := context.WithTimeout(context.WithoutCancel(ctx), createTimeout)
	defer cancel()
	id, err = again(detached, func() (string, error) {
		host, networks := hostConfig(spec, bindAddress)
		created, err := api.ContainerCreate(detached, config, host, networks, nil, spec.Name)
		if isDisconnect(err) || cerrdefs.IsConflict(err) {
			if id, made := b.createdFor(detached, spec); made {
				return id, nil
			}
		}
		return created.ID, err
	})
	if err != nil {
		return "", failRoot(b.failCreate(spec.Name, err))
	}
	return id, nil
}

// createdFor finds the container that a creation has made although its answer
// was lost. The name alone does not tell it from somebody else's.
func (b *Backend) createdFor(ctx context.Context, spec backend.Spec) (id string, made bool) {
	if spec.Owner == "" {
		return "", false
	}
	info, err := b.inspect(ctx, spec.Name)
	if err != nil || info.Config.Labels[labelOwner] != spec.Owner {
		return "", false
	}
	return info.ID, true
}

func (b *Backend) failCreate(name string, err error) error {
	nameTaken := cerrdefs.IsConflict(err)
	err = b.fail("create container "+name, err)
	var failure *backend.Error
	if nameTaken && errors.As(err, &failure) {
		failure.Kind = backend.ErrNameTaken
		failure.Field = backend.FieldName
		failure.Remedy = "Import the container that has this name, remove it, or choose another name."
	}
	return err
}

// discard removes a container that a failed operation has made, whatever became
// of ctx.
func (b *Backend) discard(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTimeout)
	defer cancel()
	return b.Remove(ctx, id)
}

func containerConfig(spec backend.Spec, source, runnable string) (*container.Config, error) {
	given, err := encodeGiven(spec)
	if err != nil {
		return nil, err
	}
	labels := maps.Clone(spec.Labels)
	if labels == nil {
		labels = make(map[string]string)
	}
	labels[labelSpec] = given
	labels[labelImage] = source
	labels[labelRunID] = ""
	labels[labelBaseOf] = ""
	labels[labelCheckpoint] = ""
	labels[labelOwner] = spec.Owner

	exposed := make(nat.PortSet, len(spec.Ports))
	for _, p := range spec.Ports {
		exposed[natPort(p.Port)] = struct{}{}
	}
	return &container.Config{
		Image:        runnable,
		Env:          envList(spec.Env),
		Cmd:          spec.Command,
		Entrypoint:   spec.Entrypoint,
		WorkingDir:   spec.WorkingDir,
		User:         spec.User,
		Labels:       labels,
		ExposedPorts: exposed,
	}, nil
}

func hostConfig(spec backend.Spec, bindAddress string) (*container.HostConfig, *network.NetworkingConfig) {
	bindings := make(nat.PortMap, len(spec.Ports))
	for _, p := range spec.Ports {
		bindings[natPort(p.Port)] = []nat.PortBinding{{
			HostIP:   bindAddress,
			HostPort: strconv.Itoa(int(p.Host)),
		}}
	}
	host := &container.HostConfig{
		PortBindings: bindings,
		Resources:    resourcesOf(spec.Limits),
		StorageOpt:   storageOptions(spec),
	}
	if spec.NetworkDisabled {
		host.NetworkMode = network.NetworkNone
		return host, nil
	}
	// The libraries promise this name. Docker Desktop has it by itself.
	host.ExtraHosts = []string{"host.docker.internal:host-gateway"}
	var networks *network.NetworkingConfig
	host.NetworkMode, networks = networking(spec.Networks)
	return host, networks
}

func natPort(p backend.Port) nat.Port {
	return nat.Port(fmt.Sprintf("%d/%s", p.Number, p.Protocol))
}
