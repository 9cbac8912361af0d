package docker_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/client"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/backendtest"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/docker"
)

const (
	busyboxImage = "rightsize-test/busybox:1"
	redisImage   = "rightsize-test/redis:7"
	healthyImage = "rightsize-test/healthy:1"
)

// TestContract tests the engine that the docker command line uses.
func TestContract(t *testing.T) {
	t.Parallel()

	if engine := os.Getenv("RIGHTSIZE_TEST_ENGINE"); engine != "docker" {
		t.Skipf("RIGHTSIZE_TEST_ENGINE is %q, not docker", engine)
	}
	backendtest.Run(t, newHarness(t, os.Getenv("DOCKER_HOST")))
}

// TestContractContainerdStore tests an engine that keeps images in containerd.
func TestContractContainerdStore(t *testing.T) {
	t.Parallel()

	host := os.Getenv("RIGHTSIZE_TEST_CONTAINERD_HOST")
	if host == "" {
		t.Skip("RIGHTSIZE_TEST_CONTAINERD_HOST names no engine")
	}
	backendtest.Run(t, newHarness(t, host))
}

func newHarness(t *testing.T, host string) backendtest.Harness {
	t.Helper()
	api := newClient(t, host)
	return backendtest.Harness{
		Open: func(t *testing.T) backend.Backend {
			return docker.New(docker.Config{Host: host, LockDir: t.TempDir()})
		},
		Images: backendtest.Images{
			Base:       busyboxImage,
			Volume:     redisImage,
			VolumePath: "/data",
			Healthy:    healthyImage,
			// The engine is refused at once: nothing listens on port 1.
			Missing: "127.0.0.1:1/rightsize-test/missing:1",
		},
		Commands:         backendtest.Shell{},
		MakeUncapturable: func(t *testing.T, name string) { startWithBindMount(t, api, name) },
		JoinForeign:      func(t *testing.T, name, network string) { startOnNetwork(t, api, name, network) },
		Leftovers:        func(t *testing.T, prefix string) []string { return leftovers(t, api, prefix) },
	}
}

func newClient(t *testing.T, host string) *client.Client {
	t.Helper()
	options := []client.Opt{client.FromEnv, client.WithAPIVersionNegotiation()}
	if host != "" {
		options = append(options, client.WithHost(host))
	}
	api, err := client.NewClientWithOpts(options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { api.Close() })
	return api
}

func startWithBindMount(t *testing.T, api *client.Client, name string) {
	t.Helper()
	config := &container.Config{Image: busyboxImage, Cmd: backendtest.Shell{}.Relay()}
	hostConfig := &container.HostConfig{Binds: []string{t.TempDir() + ":/mnt"}}
	if _, err := api.ContainerCreate(t.Context(), config, hostConfig, nil, nil, name); err != nil {
		t.Fatal(err)
	}
	if err := api.ContainerStart(t.Context(), name, container.StartOptions{}); err != nil {
		t.Fatal(err)
	}
}

func startOnNetwork(t *testing.T, api *client.Client, name, network string) {
	t.Helper()
	config := &container.Config{Image: busyboxImage, Cmd: backendtest.Shell{}.Relay()}
	hostConfig := &container.HostConfig{NetworkMode: container.NetworkMode(network)}
	if _, err := api.ContainerCreate(t.Context(), config, hostConfig, nil, nil, name); err != nil {
		t.Fatal(err)
	}
	if err := api.ContainerStart(t.Context(), name, container.StartOptions{}); err != nil {
		t.Fatal(err)
	}
}

func leftovers(t *testing.T, api *client.Client, prefix string) []string {
	t.Helper()
	containers, err := api.ContainerList(t.Context(), container.ListOptions{All: true})
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, c := range containers {
		for _, name := range c.Names {
			if strings.HasPrefix(name, "/"+prefix) {
				left = append(left, "container "+name)
			}
		}
	}
	return append(left, leftImages(t.Context(), t, api, prefix)...)
}

func leftImages(ctx context.Context, t *testing.T, api *client.Client, prefix string) []string {
	t.Helper()
	const label = "dev.rightsize.checkpoint"
	images, err := api.ImageList(ctx, image.ListOptions{
		// Those without a tag that others were captured on top of, too.
		All:     true,
		Filters: filters.NewArgs(filters.Arg("label", label)),
	})
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, i := range images {
		if name := i.Labels[label]; strings.HasPrefix(name, prefix) {
			left = append(left, fmt.Sprintf("image %s of checkpoint %s, tagged %q", i.ID, name, i.RepoTags))
		}
	}
	return left
}
