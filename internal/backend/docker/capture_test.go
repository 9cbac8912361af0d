package docker

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	cerrdefs "github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/mount"
	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

func TestCapturable(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		mounts  []container.MountPoint
		tmpfs   map[string]string
		volumes []string
		refused []string
	}{
		"nothing": {},
		"volumes": {
			mounts: []container.MountPoint{
				{Type: mount.TypeVolume, Destination: "/b"}, {Type: mount.TypeVolume, Name: "named", Destination: "/a"},
			},
			volumes: []string{"/a", "/b"},
		},
		"volumes in volumes": {
			mounts: []container.MountPoint{
				{Type: mount.TypeVolume, Destination: "/a/b/c"}, {Type: mount.TypeVolume, Destination: "/a-b"},
				{Type: mount.TypeVolume, Destination: "/a"}, {Type: mount.TypeVolume, Destination: "/a/b"},
			},
			volumes: []string{"/a", "/a-b"},
		},
		"everything else": {
			mounts: []container.MountPoint{
				{Type: mount.TypeVolume, Destination: "/data"},
				{Type: mount.TypeBind, Source: "/home/me", Destination: "/home"},
				{Type: mount.TypeTmpfs, Destination: "/run"},
				{Type: mount.TypeNamedPipe, Destination: "/pipe"},
				{Type: mount.TypeCluster, Destination: "/cluster"},
				{Type: mount.TypeImage, Destination: "/image"},
				{Type: "something-new", Destination: "/new"},
			},
			tmpfs:   map[string]string{"/tmp": "size=1m", "/run": ""},
			volumes: []string{"/data"},
			refused: []string{
				"/cluster (cluster)", "/home (directory or file /home/me of the host)", "/image (image)", "/new (something-new)",
				"/pipe (npipe)", "/run (tmpfs)", "/tmp (tmpfs)",
			},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			volumes, refused := capturable(container.InspectResponse{
				ContainerJSONBase: &container.ContainerJSONBase{HostConfig: &container.HostConfig{Tmpfs: tt.tmpfs}},
				Mounts:            tt.mounts,
			})
			if diff := cmp.Diff(tt.volumes, volumes); diff != "" {
				t.Errorf("volumes (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.refused, refused); diff != "" {
				t.Errorf("refused (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLabelChanges(t *testing.T) {
	t.Parallel()
	got := labelChanges(map[string]string{
		labelCheckpoint:              "older",
		labelHelper:                  "seeded",
		"com.docker.compose.project": "shop",
		"org.testcontainers.lang":    "go",
		"org.example.mine":           "kept",
		"dev.rightsize. odd\"$x":     "cannot be written",
	}, "seeded")
	want := []string{
		"LABEL com.docker.compose.project=",
		"LABEL dev.rightsize.base-of=",
		"LABEL dev.rightsize.checkpoint=seeded",
		"LABEL dev.rightsize.helper=",
		"LABEL dev.rightsize.image=",
		"LABEL dev.rightsize.owner=",
		"LABEL dev.rightsize.runId=",
		"LABEL dev.rightsize.spec=",
		"LABEL org.testcontainers.lang=",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}

func TestPasses(t *testing.T) {
	t.Parallel()
	for err, want := range map[error]bool{
		cerrdefs.ErrConflict:        true,
		cerrdefs.ErrAlreadyExists:   true,
		cerrdefs.ErrInternal:        true,
		cerrdefs.ErrNotFound:        false,
		cerrdefs.ErrInvalidArgument: false,
		io.ErrUnexpectedEOF:         false,
	} {
		if got := passes(fmt.Errorf("commit: %w", err)); got != want {
			t.Errorf("%v passes: %t, want %t", err, got, want)
		}
	}
}

func TestCheckpointRefs(t *testing.T) {
	t.Parallel()
	got := checkpointRefs([]string{
		"rightsize/checkpoint:a", "docker.io/rightsize/checkpoint:b", "rightsize/checkpoints:c", "example.com/rightsize/checkpoint:d",
		"mine/rightsize/checkpoint:e", "<none>:<none>",
	})
	if diff := cmp.Diff([]string{"rightsize/checkpoint:a", "rightsize/checkpoint:b"}, got); diff != "" {
		t.Errorf("refs (-want +got):\n%s", diff)
	}
}

func tarOf(t *testing.T, headers ...tar.Header) []byte {
	t.Helper()
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	for _, header := range headers {
		if err := w.WriteHeader(&header); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(make([]byte, header.Size)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return archive.Bytes()
}

func TestVolumeCheck(t *testing.T) {
	t.Parallel()
	file := func(name string, mode int64) tar.Header {
		return tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: mode, Size: 700}
	}
	link := func(name, to string) tar.Header { return tar.Header{Typeflag: tar.TypeLink, Name: name, Linkname: to} }
	tests := map[string]struct {
		shipped []string
		volume  []tar.Header
		refused []string
	}{
		"the same":       {shipped: []string{"data", "data/a"}, volume: []tar.Header{{Typeflag: tar.TypeDir, Name: "data/"}, file("data/a", 0o644)}},
		"more":           {volume: []tar.Header{file("data/a", 0o4755), link("data/b", "data/c")}},
		"odd spelling":   {shipped: []string{"data/a"}, volume: []tar.Header{file("./data//a", 0o644)}},
		"deleted":        {shipped: []string{"data/a", "data/b"}, volume: []tar.Header{file("data/b", 0o644)}, refused: []string{"/srv/data/a"}},
		"a name outside": {shipped: []string{"data/a"}, volume: []tar.Header{file("data/../../a", 0o644), file("/data/a", 0o644)}, refused: []string{"/srv/data/a"}},
		"setuid link":    {volume: []tar.Header{file("data/a", 0o4755), link("data/b", "data/a")}, refused: []string{"/srv/data/b"}},
		"setgid link":    {volume: []tar.Header{file("data/a", 0o2755), link("data/b", "./data/a")}, refused: []string{"/srv/data/b"}},
		"capability link": {
			volume: []tar.Header{
				{Typeflag: tar.TypeReg, Name: "data/a", Mode: 0o755, PAXRecords: map[string]string{capabilityRecord: "x"}}, link("data/b", "data/a"),
			},
			refused: []string{"/srv/data/b"},
		},
		"many deleted": {
			shipped: []string{"data/1", "data/2", "data/3", "data/4", "data/5", "data/6", "data/7"},
			refused: []string{"/srv/data/1, /srv/data/2, /srv/data/3, /srv/data/4, /srv/data/5 and 2 more"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check := &volumeCheck{ghosts: make(map[string]bool)}
			for _, name := range tt.shipped {
				check.ghosts[name] = true
			}
			archive := tarOf(t, tt.volume...)
			var passed bytes.Buffer
			if err := eachHeader(io.TeeReader(bytes.NewReader(archive), &passed), check.visit); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(archive, passed.Bytes()) {
				t.Error("what was read is not all that there was")
			}
			info := container.InspectResponse{ContainerJSONBase: &container.ContainerJSONBase{Name: "/c"}}
			err := refuseLosses(info, "/srv/data", "/srv", check)
			if errors.Is(err, backend.ErrUncapturable) != (len(tt.refused) > 0) {
				t.Fatalf("the error is %v, want one about %q", err, tt.refused)
			}
			for _, want := range tt.refused {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the error does not name %s: %v", want, err)
				}
			}
		})
	}
}

func TestEachHeaderOfBrokenArchive(t *testing.T) {
	t.Parallel()
	archive := tarOf(t, tar.Header{Typeflag: tar.TypeReg, Name: "a", Size: 5000})
	for _, size := range []int{0, 700, 5000} {
		err := eachHeader(bytes.NewReader(archive[:size]), func(*tar.Header) {})
		if size > 0 && err == nil {
			t.Errorf("the first %d bytes of %d pass for an archive", size, len(archive))
		}
	}
}
