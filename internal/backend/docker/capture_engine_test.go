package docker

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	cerrdefs "github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	imagetypes "github.com/docker/docker/api/types/image"
	"github.com/docker/docker/api/types/mount"
	"github.com/docker/docker/api/types/volume"
	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// fillScript writes what a copy of a volume can get wrong.
const fillScript = `cd "$0" &&
	mkdir -p dir/sub empty && echo one >dir/sub/file && ln dir/sub/file hard && ln -s dir/sub/file soft && ln -s /nowhere dangling &&
	chown 12:34 dir/sub/file && chmod 751 dir/sub/file && echo two >special && chown 1:2 special && chmod 6751 special && chown 56:78 empty && chmod 1777 empty && chmod 700 . && chown 9:9 . &&
	mkfifo fifo && : >"a name with blanks" && chown -h 5:6 soft`

// listScript describes a tree so that any difference shows. A hard link shows in
// the link count, which for directories depends on the filesystem.
const listScript = `cd "$0" && find . | sort | while read -r f; do
	stat -c '%n %F %a %u:%g' "$f"; [ -d "$f" ] || stat -c %h "$f"; readlink "$f"; done; cat hard`

func script(text, argument string) []string { return []string{"sh", "-c", text, argument} }

func runScript(t *testing.T, b *Backend, id, text, argument string) string {
	t.Helper()
	var out, diagnostics strings.Builder
	code, err := b.Exec(t.Context(), id, backend.Exec{Command: script(text, argument), Stdout: &out, Stderr: &diagnostics})
	if err != nil || code != 0 {
		t.Fatalf("ended with %d, %v: %s", code, err, diagnostics.String())
	}
	return out.String()
}

func TestCaptureHoldsVolumes(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, b *Backend) {
		api := apiOf(t, b)
		named, err := api.VolumeCreate(t.Context(), volume.CreateOptions{Name: testName()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := api.VolumeRemove(cleanupContext(t), named.Name, true); err != nil {
				t.Errorf("clean up: %v", err)
			}
		})
		tests := map[string]struct {
			config container.Config
			host   container.HostConfig
			paths  []string
		}{
			"anonymous": {
				config: container.Config{Volumes: map[string]struct{}{"/deep/er/data": {}}},
				paths:  []string{"/deep/er/data"},
			},
			"named": {
				host:  container.HostConfig{Mounts: []mount.Mount{{Type: mount.TypeVolume, Source: named.Name, Target: "/srv/data"}}},
				paths: []string{"/srv/data"},
			},
			"several": {
				config: container.Config{Volumes: map[string]struct{}{"/a": {}, "/a-b": {}, "/b": {}, "/b/inner": {}}},
				paths:  []string{"/a", "/a-b", "/b", "/b/inner"},
			},
		}
		for name, tt := range tests {
			for _, state := range []backend.State{backend.StateRunning, backend.StatePaused, backend.StateExited} {
				t.Run(name+" "+string(state), func(t *testing.T) {
					config, host := tt.config, tt.host
					config.Image, config.Cmd = busybox, sleeper().Command
					config.Env = []string{"KEPT=yes"}
					id := startForeign(t, b, config, host)
					shell(t, b, id, "echo layer >/in-layer; rm -rf /srv/data/*")
					var want []string
					for _, path := range tt.paths {
						runScript(t, b, id, "rm -rf \"$0\"/*; "+fillScript, path)
					}
					for _, path := range tt.paths {
						want = append(want, runScript(t, b, id, listScript, path))
					}
					switch state {
					case backend.StatePaused:
						if err := api.ContainerPause(t.Context(), id); err != nil {
							t.Fatal(err)
						}
					case backend.StateExited:
						if err := b.Stop(t.Context(), id, 5*time.Second); err != nil {
							t.Fatal(err)
						}
					}

					_, artifact := capture(t, b, id)
					if got := stateOfContainer(t, b, id); got != state {
						t.Errorf("the container is %s after its capture, want %s", got, state)
					}
					copied := restore(t, b, artifact)
					info, err := b.inspect(t.Context(), copied.ID)
					if err != nil {
						t.Fatal(err)
					}
					if len(info.Mounts) > 0 {
						t.Errorf("the restored container has mounts: %v", info.Mounts)
					}
					var got []string
					for _, path := range tt.paths {
						got = append(got, runScript(t, b, copied.ID, listScript, path))
					}
					if diff := cmp.Diff(want, got); diff != "" {
						t.Errorf("the volumes changed (-captured +restored):\n%s", diff)
					}
					if got := shell(t, b, copied.ID, "cat /in-layer; echo $KEPT"); got != "layer\nyes\n" {
						t.Errorf("the container's own layer and environment: %q", got)
					}
				})
			}
		}
	})
}

func TestCaptureLeavesNothingBeside(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, b *Backend) {
		id := startForeign(t, b, container.Config{
			Image: busybox, Cmd: sleeper().Command, Volumes: map[string]struct{}{"/data": {}},
		}, container.HostConfig{})
		name, artifact := capture(t, b, id)
		if _, err := b.Publish(t.Context(), name, artifact); err != nil {
			t.Fatal(err)
		}

		api := apiOf(t, b)
		helpers, err := api.ContainerList(t.Context(), container.ListOptions{
			All: true, Filters: filters.NewArgs(filters.Arg("label", labelHelper+"="+name)),
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(helpers) > 0 {
			t.Errorf("the helper is still there: %v", helpers)
		}
		img, err := b.inspectImage(t.Context(), artifact.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range imagesOf(t, b, name) {
			// An image's parent stays for as long as the image.
			if id != artifact.ID && id != img.Parent {
				t.Errorf("image %s of the capture is still there", id)
			}
		}

		if err := b.RemoveArtifact(t.Context(), artifact.ID); err != nil {
			t.Fatal(err)
		}
		if left := imagesOf(t, b, name); len(left) > 0 {
			t.Errorf("images of the capture after its removal: %v", left)
		}
	})
}

// imagesOf returns every image, even one that is only another's parent, that
// was captured under the name.
func imagesOf(t *testing.T, b *Backend, name string) []string {
	t.Helper()
	images, err := apiOf(t, b).ImageList(t.Context(), imagetypes.ListOptions{
		All: true, Filters: filters.NewArgs(filters.Arg("label", labelCheckpoint+"="+name)),
	})
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, img := range images {
		ids = append(ids, img.ID)
	}
	return ids
}

func TestCaptureRefusesGhosts(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, b *Backend) {
		base := start(t, b, sleeper())
		shell(t, b, base.ID, "mkdir /data && touch /data/shipped /data/kept")
		_, shipping := capture(t, b, base.ID)

		config := container.Config{Image: shipping.ID, Cmd: sleeper().Command, Volumes: map[string]struct{}{"/data": {}}}
		whole := startForeign(t, b, config, container.HostConfig{})
		_, artifact := capture(t, b, whole)
		if got := shell(t, b, restore(t, b, artifact).ID, "ls /data"); got != "kept\nshipped\n" {
			t.Errorf("restored: %q", got)
		}

		id := startForeign(t, b, config, container.HostConfig{})
		shell(t, b, id, "rm /data/shipped")
		name := testName()
		_, err := b.Capture(t.Context(), id, backend.CaptureOptions{Name: name})
		wantError(t, err, backend.ErrUncapturable, "")
		if err == nil || !strings.Contains(err.Error(), "/data/shipped") || strings.Contains(err.Error(), "/data/kept") {
			t.Errorf("the error names the wrong files: %v", err)
		}
		if got := stateOfContainer(t, b, id); got != backend.StateRunning {
			t.Errorf("the container is %s after the refusal", got)
		}
		if left := imagesOf(t, b, name); len(left) > 0 {
			t.Errorf("the refusal left images: %v", left)
		}
	})
}

func TestCaptureRefusesLinkedPrivileges(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, b *Backend) {
		id := startForeign(t, b, container.Config{
			Image: busybox, Cmd: sleeper().Command, Volumes: map[string]struct{}{"/data": {}},
		}, container.HostConfig{})
		shell(t, b, id, "cd /data && touch plain suid && chmod 4755 suid && ln plain plain-link && ln suid suid-link")
		_, err := b.Capture(t.Context(), id, backend.CaptureOptions{Name: testName()})
		wantError(t, err, backend.ErrUncapturable, "")
		if err == nil || !strings.Contains(err.Error(), "/data/suid-link") || strings.Contains(err.Error(), "plain") {
			t.Errorf("the error names the wrong files: %v", err)
		}
	})
}

func TestCaptureRefusesMounts(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, b *Backend) {
		dir := t.TempDir()
		id := startForeign(t, b, container.Config{Image: busybox, Cmd: sleeper().Command}, container.HostConfig{
			Binds:  []string{dir + ":/bound:ro"},
			Tmpfs:  map[string]string{"/short": ""},
			Mounts: []mount.Mount{{Type: mount.TypeTmpfs, Target: "/long"}, {Type: mount.TypeVolume, Target: "/volume"}},
		})
		before, err := b.inspect(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		name := testName()
		_, err = b.Capture(t.Context(), id, backend.CaptureOptions{
			Name:     name,
			Progress: func(step string) { t.Errorf("a step was begun: %s", step) },
		})
		wantError(t, err, backend.ErrUncapturable, "")
		for _, want := range []string{"/bound", dir, "/short", "/long", "tmpfs"} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("the error does not name %s: %v", want, err)
			}
		}
		after, err := b.inspect(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(before.State, after.State); diff != "" {
			t.Errorf("the container's state changed:\n%s", diff)
		}
	})
}

func TestCaptureKeepsState(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, b *Backend) {
		c := start(t, b, sleeper())
		if err := apiOf(t, b).ContainerPause(t.Context(), c.ID); err != nil {
			t.Fatal(err)
		}
		capture(t, b, c.ID)
		if got := stateOfContainer(t, b, c.ID); got != backend.StatePaused {
			t.Errorf("a paused container is %s after its capture", got)
		}
		if err := b.Start(t.Context(), c.ID, sleeper()); err != nil {
			t.Fatal(err)
		}
		capture(t, b, c.ID)
		if got := stateOfContainer(t, b, c.ID); got != backend.StateRunning {
			t.Errorf("a running container is %s after its capture", got)
		}
	})
}

func TestCaptureResetsLabels(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, b *Backend) {
		id := startForeign(t, b, container.Config{
			Image: busybox,
			Cmd:   sleeper().Command,
			Labels: map[string]string{
				labelRunID:                   "12345678",
				"dev.rightsize.reuse":        "abc",
				"com.docker.compose.project": "shop",
				"org.testcontainers":         "true",
				"org.example.mine":           "kept",
			},
		}, container.HostConfig{})
		name, artifact := capture(t, b, id)

		foreign := foreign(t, b, container.Config{Image: artifact.ID}, container.HostConfig{})
		info, err := b.inspect(t.Context(), foreign)
		if err != nil {
			t.Fatal(err)
		}
		for label, want := range map[string]string{
			labelRunID: "", "dev.rightsize.reuse": "", "com.docker.compose.project": "", "org.testcontainers": "",
			labelSpec: "", labelImage: "", labelBaseOf: "", labelCheckpoint: name, "org.example.mine": "kept",
		} {
			if got := info.Config.Labels[label]; got != want {
				t.Errorf("label %s is inherited as %q, want %q", label, got, want)
			}
		}

		own := restore(t, b, artifact)
		if got := own.Given.Labels; got != nil {
			t.Errorf("labels that were not given come back as given: %v", got)
		}
		info, err = b.inspect(t.Context(), own.ID)
		if err != nil {
			t.Fatal(err)
		}
		if got, found := info.Config.Labels[labelCheckpoint]; got != "" || !found {
			t.Errorf("a container of ours has label %s = %q (set: %t), want it empty", labelCheckpoint, got, found)
		}
	})
}

func TestCaptureInterrupted(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, b *Backend) {
		id := startForeign(t, b, container.Config{
			Image: busybox, Cmd: sleeper().Command, Volumes: map[string]struct{}{"/data": {}},
		}, container.HostConfig{})
		shell(t, b, id, "dd if=/dev/zero of=/data/large bs=1M count=64 2>/dev/null")
		name := testName()
		ctx, cancel := context.WithCancel(t.Context())
		_, err := b.Capture(ctx, id, backend.CaptureOptions{Name: name, Progress: func(step string) {
			if strings.HasPrefix(step, "copy volume") {
				cancel()
			}
		}})
		if !errors.Is(err, ctx.Err()) {
			t.Errorf("the error is %v, want %v", err, ctx.Err())
		}
		if got := stateOfContainer(t, b, id); got != backend.StateRunning {
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

func TestCaptureConcurrently(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, b *Backend) {
		const n = 6
		var ids []string
		for range n {
			ids = append(ids, start(t, b, sleeper()).ID)
		}
		type result struct {
			artifact backend.Artifact
			err      error
		}
		results := make(chan result, n)
		name := testName()
		for _, id := range ids {
			go func() {
				artifact, err := b.Capture(t.Context(), id, backend.CaptureOptions{Name: name})
				results <- result{artifact, err}
			}()
		}
		for range n {
			r := <-results
			if r.err != nil {
				t.Error(r.err)
				continue
			}
			if _, err := b.inspectImage(t.Context(), r.artifact.ID); err != nil {
				t.Error(err)
			}
		}
		if err := b.Collect(t.Context(), name, ""); err != nil {
			t.Fatal(err)
		}
		if left := imagesOf(t, b, name); len(left) > 0 {
			t.Errorf("images after Collect: %v", left)
		}
	})
}

func TestRemoveArtifactInUse(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, b *Backend) {
		origin := start(t, b, sleeper())
		shell(t, b, origin.ID, "echo kept >/marker")
		name, artifact := capture(t, b, origin.ID)
		ref, err := b.Publish(t.Context(), name, artifact)
		if err != nil {
			t.Fatal(err)
		}
		running, stopped := restore(t, b, artifact), restore(t, b, artifact)
		if err := b.Stop(t.Context(), stopped.ID, 5*time.Second); err != nil {
			t.Fatal(err)
		}

		if err := b.RemoveArtifact(t.Context(), artifact.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := b.Artifact(t.Context(), ref); !errors.Is(err, backend.ErrNotFound) {
			t.Errorf("the ref still stands for something: %v", err)
		}
		if err := b.Start(t.Context(), stopped.ID, backend.Spec{}); err != nil {
			t.Errorf("the stopped container cannot be started again: %v", err)
		}
		for _, c := range []backend.Container{running, stopped} {
			if got := shell(t, b, c.ID, "cat /marker"); got != "kept\n" {
				t.Errorf("the container lost its data: %q", got)
			}
			if err := b.Remove(t.Context(), c.ID); err != nil {
				t.Fatal(err)
			}
		}
		if err := b.Collect(t.Context(), name, ""); err != nil {
			t.Fatal(err)
		}
		if _, err := apiOf(t, b).ImageInspect(t.Context(), artifact.ID); !cerrdefs.IsNotFound(err) {
			t.Errorf("the image is still there after Collect: %v", err)
		}
	})
}

func TestCaptureOfOrphan(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, b *Backend) {
		origin := create(t, b, sleeper())
		_, artifact := capture(t, b, origin.ID)
		orphan := restore(t, b, artifact)
		if err := b.Stop(t.Context(), orphan.ID, 5*time.Second); err != nil {
			t.Fatal(err)
		}
		_, err := apiOf(t, b).ImageRemove(t.Context(), artifact.ID, imagetypes.RemoveOptions{Force: true})
		if err != nil {
			t.Fatal(err)
		}
		_, err = b.Capture(t.Context(), orphan.ID, backend.CaptureOptions{Name: testName()})
		wantError(t, err, backend.ErrUncapturable, "")
		if errors.Is(err, backend.ErrNotFound) {
			t.Errorf("the error says that there is no such container: %v", err)
		}
	})
}

func TestRemoveArtifactKeepsTagsOfOthers(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, b *Backend) {
		origin := create(t, b, sleeper())
		name, artifact := capture(t, b, origin.ID)
		if _, err := b.Publish(t.Context(), name, artifact); err != nil {
			t.Fatal(err)
		}
		api, mine := apiOf(t, b), testName()+":mine"
		if err := api.ImageTag(t.Context(), artifact.ID, mine); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_, err := api.ImageRemove(cleanupContext(t), mine, imagetypes.RemoveOptions{PruneChildren: true})
			if err != nil {
				t.Errorf("clean up: %v", err)
			}
		})
		if err := b.RemoveArtifact(t.Context(), artifact.ID); err != nil {
			t.Fatal(err)
		}
		img, err := b.inspectImage(t.Context(), mine)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{mine}, img.RepoTags); diff != "" {
			t.Errorf("tags (-want +got):\n%s", diff)
		}
	})
}
