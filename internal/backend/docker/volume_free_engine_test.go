package docker

import (
	"archive/tar"
	"bytes"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	cerrdefs "github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	imagetypes "github.com/docker/docker/api/types/image"
	"github.com/google/go-cmp/cmp"
	"github.com/opencontainers/go-digest"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// eachEngine runs a test against the engine of a graph driver, and against one
// with a containerd store where there is one.
func eachEngine(t *testing.T, test func(t *testing.T, b *Backend)) {
	if os.Getenv("RIGHTSIZE_TEST_ENGINE") != "docker" {
		t.Skip("RIGHTSIZE_TEST_ENGINE is not \"docker\"")
	}
	t.Run("default", func(t *testing.T) {
		t.Parallel()
		test(t, New(Config{LockDir: t.TempDir()}))
	})
	if host := os.Getenv("RIGHTSIZE_TEST_CONTAINERD_HOST"); host != "" {
		t.Run("containerd", func(t *testing.T) {
			t.Parallel()
			b := New(Config{Host: host, LockDir: t.TempDir()})
			engine, err := b.describe(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if !engine.containerdStore {
				t.Fatalf("the engine at %s has no containerd store", host)
			}
			test(t, b)
		})
	}
}

// importImage makes an image with one layer and the given configuration.
func importImage(t *testing.T, b *Backend, changes ...string) image {
	t.Helper()
	api, err := b.api(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var layer bytes.Buffer
	w := tar.NewWriter(&layer)
	// The test's name makes the layer, and so the image, one of its own.
	content := []byte(t.Name())
	if err := errors.Join(
		w.WriteHeader(&tar.Header{Name: "data/seed", Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(len(content))}),
		write(w, content),
		w.Close(),
	); err != nil {
		t.Fatal(err)
	}
	ref := "rightsize-test-a/" + strings.ToLower(strings.NewReplacer("/", "-", "_", "-").Replace(t.Name())) + ":1"
	stream, err := api.ImageImport(t.Context(),
		imagetypes.ImportSource{Source: &layer, SourceName: "-"}, ref, imagetypes.ImportOptions{Changes: changes})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stream.Close() }()
	if err := drain(stream); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { removeImage(t, b, ref) })

	img, err := b.resolveImage(t.Context(), ref, backend.PullNever)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

func write(w *tar.Writer, content []byte) error {
	_, err := w.Write(content)
	return err
}

func removeImage(t *testing.T, b *Backend, ref string) {
	t.Helper()
	api, err := b.api(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := api.ImageRemove(cleanupContext(t), ref, imagetypes.RemoveOptions{PruneChildren: true}); err != nil && !cerrdefs.IsNotFound(err) {
		t.Errorf("clean up image %s: %v", ref, err)
	}
}

var everyInstruction = []string{
	"ENV A=b=c D=",
	"LABEL kept=yes empty=",
	"VOLUME /data /var/lib/x",
	"EXPOSE 5432/tcp 53/udp",
	"USER 7:8",
	"WORKDIR /data",
	`CMD ["one", "<two>"]`,
	`ENTRYPOINT ["/bin/entry"]`,
	`HEALTHCHECK --interval=5s --retries=7 CMD ["check"]`,
	"ONBUILD RUN true",
}

func TestVolumeFreeOnEngine(t *testing.T) {
	eachEngine(t, func(t *testing.T, b *Backend) {
		source := importImage(t, b, everyInstruction...)
		tag := baseRepository + ":" + digest.Digest(source.ID).Encoded()

		id, err := b.volumeFree(t.Context(), source)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { removeImage(t, b, tag) })
		if id == source.ID {
			t.Fatal("volumeFree returned the image that declares volumes")
		}

		made, err := b.inspectImage(t.Context(), tag)
		if err != nil {
			t.Fatal(err)
		}
		if made.ID != id {
			t.Errorf("the tag stands for %s, not for %s", made.ID, id)
		}
		want := *source.Config
		want.Volumes = nil
		want.Labels = map[string]string{"kept": "yes", "empty": "", labelBaseOf: source.ID}
		if diff := cmp.Diff(want, *made.Config); diff != "" {
			t.Errorf("configuration (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(source.RootFS, made.RootFS); diff != "" {
			t.Errorf("root filesystem (-want +got):\n%s", diff)
		}
		if made.Os != source.Os || made.Architecture != source.Architecture || made.Created != source.Created {
			t.Errorf("got %s/%s of %s, want %s/%s of %s",
				made.Os, made.Architecture, made.Created, source.Os, source.Architecture, source.Created)
		}

		again, err := b.volumeFree(t.Context(), source)
		if err != nil {
			t.Fatal(err)
		}
		if again != id {
			t.Errorf("the second call returned %s, want the same copy %s", again, id)
		}
		if same, err := b.volumeFree(t.Context(), made); err != nil || same != id {
			t.Errorf("volumeFree of the copy = %s, %v, want the copy itself", same, err)
		}
	})
}

func TestContainerOfCopyHasNoVolumes(t *testing.T) {
	eachEngine(t, func(t *testing.T, b *Backend) {
		source := importImage(t, b, everyInstruction...)
		id, err := b.volumeFree(t.Context(), source)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { b.dropBase(cleanupContext(t), id) })
		created := createContainer(t, b, id)

		api, err := b.api(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		inspected, err := api.ContainerInspect(t.Context(), created)
		if err != nil {
			t.Fatal(err)
		}
		if len(inspected.Mounts) != 0 {
			t.Errorf("the container has mounts: %v", inspected.Mounts)
		}
		// What the image ships below a former volume is there, as a file of a
		// layer that the copy shares.
		if _, err := api.ContainerStatPath(t.Context(), created, "/data/seed"); err != nil {
			t.Error(err)
		}
	})
}

func TestDropBaseOnEngine(t *testing.T) {
	eachEngine(t, func(t *testing.T, b *Backend) {
		source := importImage(t, b, "VOLUME /data", `CMD ["x"]`)
		id, err := b.volumeFree(t.Context(), source)
		if err != nil {
			t.Fatal(err)
		}
		tag := baseRepository + ":" + digest.Digest(source.ID).Encoded()
		t.Cleanup(func() { removeImage(t, b, tag) })
		api, err := b.api(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		created := createContainer(t, b, id)

		b.dropBase(t.Context(), id)
		if _, err := b.inspectImage(t.Context(), tag); err != nil {
			t.Errorf("a copy that a container uses was dropped: %v", err)
		}

		if err := api.ContainerRemove(t.Context(), created, container.RemoveOptions{}); err != nil {
			t.Fatal(err)
		}
		b.dropBase(t.Context(), source.ID)
		if _, err := b.inspectImage(t.Context(), source.ID); err != nil {
			t.Errorf("an image that is no copy was dropped: %v", err)
		}
		b.dropBase(t.Context(), id)
		for _, ref := range []string{tag, id} {
			if _, err := b.inspectImage(t.Context(), ref); !errors.Is(err, backend.ErrNotFound) {
				t.Errorf("inspect %s after the last container has gone: %v, want ErrNotFound", ref, err)
			}
		}
		if _, err := b.inspectImage(t.Context(), source.ID); err != nil {
			t.Errorf("the source went with its copy: %v", err)
		}

		again, err := b.volumeFree(t.Context(), source)
		if err != nil {
			t.Fatal(err)
		}
		if again != id {
			t.Errorf("the copy made again is %s, want %s", again, id)
		}
	})
}

// TestVolumeFreeReplacesForeignTag pins that a tag is not trusted for its name.
func TestVolumeFreeReplacesForeignTag(t *testing.T) {
	eachEngine(t, func(t *testing.T, b *Backend) {
		source := importImage(t, b, "VOLUME /data", `CMD ["x"]`)
		tag := baseRepository + ":" + digest.Digest(source.ID).Encoded()
		api, err := b.api(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := api.ImageTag(t.Context(), source.ID, tag); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { removeImage(t, b, tag) })

		id, err := b.volumeFree(t.Context(), source)
		if err != nil {
			t.Fatal(err)
		}
		made, err := b.inspectImage(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if err := isCopy(made, source); err != nil {
			t.Error(err)
		}
	})
}

// TestVolumeFreeConcurrently runs two backends, which share nothing, as two
// processes would.
func TestVolumeFreeConcurrently(t *testing.T) {
	eachEngine(t, func(t *testing.T, b *Backend) {
		source := importImage(t, b, "VOLUME /data", `CMD ["x"]`)
		other := New(b.cfg)
		ids := make([]string, 8)
		var group sync.WaitGroup
		for i := range ids {
			group.Go(func() {
				var err error
				if ids[i], err = []*Backend{b, other}[i%2].volumeFree(t.Context(), source); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		t.Cleanup(func() { b.dropBase(cleanupContext(t), ids[0]) })
		if distinct := slices.Compact(slices.Clone(ids)); len(distinct) != 1 {
			t.Errorf("got the copies %v, want one", distinct)
		}
	})
}

func TestVolumeFreeOfMissingImage(t *testing.T) {
	eachEngine(t, func(t *testing.T, b *Backend) {
		source := importImage(t, b, "VOLUME /data", `CMD ["x"]`)
		removeImage(t, b, source.Ref)
		if _, err := b.volumeFree(t.Context(), source); !errors.Is(err, backend.ErrNotFound) {
			t.Errorf("got %v, want ErrNotFound", err)
		}
	})
}

func createContainer(t *testing.T, b *Backend, imageID string) string {
	t.Helper()
	api, err := b.api(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	created, err := api.ContainerCreate(t.Context(), &container.Config{Image: imageID}, nil, nil, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		err := api.ContainerRemove(cleanupContext(t), created.ID, container.RemoveOptions{Force: true, RemoveVolumes: true})
		if err != nil && !cerrdefs.IsNotFound(err) {
			t.Errorf("clean up container: %v", err)
		}
	})
	return created.ID
}
