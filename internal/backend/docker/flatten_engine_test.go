package docker

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/go-connections/nat"
	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// flatten keeps a container as one layer under a name of its own.
func flatten(t *testing.T, b *Backend, id string) (name string, artifact backend.Artifact) {
	t.Helper()
	name = testName()
	artifact, err := b.Capture(t.Context(), id, backend.CaptureOptions{Name: name, Flatten: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		err := errors.Join(b.RemoveArtifact(context.Background(), artifact.ID), b.Collect(context.Background(), name, ""))
		if err != nil {
			t.Errorf("clean up: %v", err)
		}
	})
	if artifact.Layers != 1 {
		t.Errorf("the flattened artifact has %d layers", artifact.Layers)
	}
	return name, artifact
}

// A flattened artifact differs from any other in its layers and in nothing else,
// whether the container's data is in volumes or not.
func TestFlattenKeepsAll(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, b *Backend) {
		config := container.Config{
			Image: healthy, Cmd: sleeper().Command, User: "0:0", WorkingDir: "/etc", StopSignal: "SIGINT",
			Env:          []string{"GREETING=two words, a \"quote\", a $dollar\nand a line", "EMPTY="},
			ExposedPorts: nat.PortSet{"80/tcp": {}, "53/udp": {}},
			Labels:       map[string]string{"org.example.mine": "kept", "com.docker.compose.project": "shop"},
		}
		withVolume := config
		withVolume.Volumes = map[string]struct{}{"/data": {}}
		for name, config := range map[string]container.Config{"layer": config, "volume": withVolume} {
			t.Run(name, func(t *testing.T) {
				id := startForeign(t, b, config, container.HostConfig{})
				runScript(t, b, id, "mkdir -p /data; "+fillScript, "/data")
				want := runScript(t, b, id, listScript, "/data")

				_, plain := capture(t, b, id)
				_, flat := flatten(t, b, id)
				if got := stateOfContainer(t, b, id); got != backend.StateRunning {
					t.Errorf("the container is %s after its capture", got)
				}
				var images [2]image
				for i, artifact := range []backend.Artifact{plain, flat} {
					img, err := b.inspectImage(t.Context(), artifact.ID)
					if err != nil {
						t.Fatal(err)
					}
					delete(img.Config.Labels, labelCheckpoint)
					delete(img.Config.Labels, labelHelper) // is empty if there was one
					images[i] = img
				}
				if diff := cmp.Diff(images[0].Config, images[1].Config); diff != "" {
					t.Errorf("configuration (-plain +flattened):\n%s", diff)
				}
				if plain, flat := platformOf(images[0]).String(), platformOf(images[1]).String(); plain != flat {
					t.Errorf("the platform is %s, flattened %s", plain, flat)
				}
				if got := runScript(t, b, restore(t, b, flat).ID, listScript, "/data"); got != want {
					t.Errorf("files (-captured +restored):\n%s", cmp.Diff(want, got))
				}
			})
		}
	})
}

func TestFlattenLeavesNothingBeside(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, b *Backend) {
		name, artifact := flatten(t, b, create(t, b, sleeper()).ID)
		helpers, err := apiOf(t, b).ContainerList(t.Context(), container.ListOptions{
			All: true, Filters: filters.NewArgs(filters.Arg("label", labelHelper+"="+name)),
		})
		if err != nil || len(helpers) > 0 {
			t.Errorf("the helper is still there: %v, %v", helpers, err)
		}
		if err := b.RemoveArtifact(t.Context(), artifact.ID); err != nil {
			t.Fatal(err)
		}
		if left := imagesOf(t, b, name); len(left) > 0 {
			t.Errorf("images of the capture after its removal: %v", left)
		}
	})
}

func TestFlattenInterrupted(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, b *Backend) {
		c := start(t, b, sleeper())
		shell(t, b, c.ID, "dd if=/dev/zero of=/large bs=1M count=64 2>/dev/null")
		name := testName()
		ctx, cancel := context.WithCancel(t.Context())
		_, err := b.Capture(ctx, c.ID, backend.CaptureOptions{Name: name, Flatten: true, Progress: func(step string) {
			if strings.HasPrefix(step, "commit the copy") {
				cancel()
			}
		}})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("the error is %v, want %v", err, context.Canceled)
		}
		if got := stateOfContainer(t, b, c.ID); got != backend.StateRunning {
			t.Errorf("the container is %s after an interrupted capture", got)
		}
		if err := b.Collect(t.Context(), name, ""); err != nil {
			t.Fatal(err)
		}
		if left := imagesOf(t, b, name); len(left) > 0 {
			t.Errorf("an interrupted capture left images: %v", left)
		}
	})
}
