package docker

import (
	"strings"
	"testing"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/go-connections/nat"
	"github.com/google/go-cmp/cmp"
	dockerspec "github.com/moby/docker-image-spec/specs-go/v1"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

func TestGivenRoundTrip(t *testing.T) {
	t.Parallel()
	tests := map[string]backend.Spec{
		"nothing": {Name: "c", Image: "example/app:1"},
		"all": {
			Name:       "c",
			Image:      "example/app:1",
			Env:        map[string]string{"SECRET": "hush", "EMPTY": "", "EQUALS": "a=b"},
			Command:    []string{"serve", ""},
			Entrypoint: []string{"/bin/app"},
			WorkingDir: "/srv",
			User:       "app:app",
			Labels:     map[string]string{"org.example.a": "1", "org.example.empty": ""},
		},
		"checkpoint": {Name: "c", From: &backend.Artifact{ID: "sha256:1", Ref: "rightsize/checkpoint:c"}},
	}
	for name, spec := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config, err := containerConfig(spec, "sha256:source", "sha256:copy")
			if err != nil {
				t.Fatal(err)
			}
			if label := config.Labels[labelSpec]; strings.Contains(label, "hush") {
				t.Errorf("the label holds a value of the environment: %s", label)
			}
			// What the engine adds of the image's.
			config.Env = append(config.Env, "PATH=/bin")
			config.Labels["of.the.image"] = "1"
			if len(config.Cmd) == 0 {
				config.Cmd = []string{"of", "the", "image"}
			}
			label, found := decodeGiven("c", config.Labels)
			if !found {
				t.Fatalf("the label is not understood: %s", config.Labels[labelSpec])
			}
			want := backend.Given{
				Image:      spec.Image,
				Env:        spec.Env,
				Command:    spec.Command,
				Entrypoint: spec.Entrypoint,
				WorkingDir: spec.WorkingDir,
				User:       spec.User,
				Labels:     spec.Labels,
			}
			if diff := cmp.Diff(want, label.selectFrom(config)); diff != "" {
				t.Errorf("given (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDecodeGivenRefuses(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"nothing":           "",
		"not JSON":          "{",
		"another container": `{"container":"other","env":["A"]}`,
		"no container":      `{"env":["A"]}`,
	}
	for name, label := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if given, found := decodeGiven("c", map[string]string{labelSpec: label}); found {
				t.Errorf("%q is understood as %+v", label, given)
			}
		})
	}
}

func TestDiffGiven(t *testing.T) {
	t.Parallel()
	image := dockerspec.DockerOCIImageConfig{ImageConfig: ocispec.ImageConfig{
		Env:        []string{"PATH=/bin", "LEVEL=info"},
		Entrypoint: []string{"entry"},
		Cmd:        []string{"serve"},
		WorkingDir: "/srv",
		User:       "app",
		Labels:     map[string]string{"org.example.image": "1"},
	}}
	tests := map[string]struct {
		config container.Config
		want   backend.Given
	}{
		"the image's own": {
			config: container.Config{
				Image: "example/app:1", Env: []string{"LEVEL=info", "PATH=/bin"}, Entrypoint: []string{"entry"}, Cmd: []string{"serve"},
				WorkingDir: "/srv", User: "app", Labels: map[string]string{"org.example.image": "1", labelRunID: "1", labelSpec: ""},
			},
			want: backend.Given{Image: "example/app:1"},
		},
		"all": {
			config: container.Config{
				Image: "example/app:1", Env: []string{"LEVEL=debug", "PATH=/bin", "NEW=a=b", "UNSET"}, Entrypoint: []string{"other"}, Cmd: []string{"run"},
				WorkingDir: "/", User: "root", Labels: map[string]string{"org.example.image": "2", "org.example.mine": ""},
			},
			want: backend.Given{
				Image: "example/app:1", Env: map[string]string{"LEVEL": "debug", "NEW": "a=b"}, Entrypoint: []string{"other"}, Command: []string{"run"},
				WorkingDir: "/", User: "root", Labels: map[string]string{"org.example.image": "2", "org.example.mine": ""},
			},
		},
		"entrypoint with the image's command": {
			config: container.Config{
				Env: image.Env, Entrypoint: []string{"other"}, Cmd: []string{"serve"}, WorkingDir: "/srv", User: "app", Labels: image.Labels,
			},
			want: backend.Given{Entrypoint: []string{"other"}, Command: []string{"serve"}},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, diffGiven(&tt.config, &image)); diff != "" {
				t.Errorf("given (-want +got):\n%s", diff)
			}
		})
	}
}

func TestContainerLabelsAreOurs(t *testing.T) {
	t.Parallel()
	spec := backend.Spec{Name: "c", Image: "example/app:1", Labels: map[string]string{labelRunID: "1", labelCheckpoint: "x", labelImage: "y"}}
	config, err := containerConfig(spec, "sha256:source", "sha256:copy")
	if err != nil {
		t.Fatal(err)
	}
	for label, want := range map[string]string{labelRunID: "", labelCheckpoint: "", labelBaseOf: "", labelOwner: "", labelImage: "sha256:source"} {
		if got, found := config.Labels[label]; got != want || !found {
			t.Errorf("label %s is %q (set: %t), want %q", label, got, found, want)
		}
	}
	if diff := cmp.Diff(map[string]string{labelRunID: "1", labelCheckpoint: "x", labelImage: "y"}, spec.Labels); diff != "" {
		t.Errorf("the spec was changed:\n%s", diff)
	}
}

func TestPublishedPorts(t *testing.T) {
	t.Parallel()
	binding := func(port string) []nat.PortBinding { return []nat.PortBinding{{HostIP: "127.0.0.1", HostPort: port}} }
	tests := map[string]struct {
		configured, live nat.PortMap
		all              bool
		want             []backend.PortBinding
	}{
		"none": {},
		"stopped": {
			configured: nat.PortMap{"80/tcp": binding("1080"), "53/udp": binding("1053"), "53/tcp": binding("1054")},
			want: []backend.PortBinding{
				{Port: backend.Port{Number: 53, Protocol: backend.TCP}, Host: 1054},
				{Port: backend.Port{Number: 53, Protocol: backend.UDP}, Host: 1053},
				{Port: backend.Port{Number: 80, Protocol: backend.TCP}, Host: 1080},
			},
		},
		"chosen by the engine": {
			configured: nat.PortMap{"80/tcp": binding(""), "81/tcp": binding("0"), "82/tcp": binding("")},
			live:       nat.PortMap{"80/tcp": binding("49153"), "81/tcp": binding("49154"), "5432/tcp": nil},
			want: []backend.PortBinding{
				{Port: backend.Port{Number: 80, Protocol: backend.TCP}, Host: 49153},
				{Port: backend.Port{Number: 81, Protocol: backend.TCP}, Host: 49154},
			},
		},
		"all": {
			all:  true,
			live: nat.PortMap{"80/tcp": append(binding("49153"), binding("49153")...), "9/sctp": binding("49155")},
			want: []backend.PortBinding{{Port: backend.Port{Number: 80, Protocol: backend.TCP}, Host: 49153}},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			info := container.InspectResponse{
				ContainerJSONBase: &container.ContainerJSONBase{
					HostConfig: &container.HostConfig{PortBindings: tt.configured, PublishAllPorts: tt.all},
				},
				NetworkSettings: &container.NetworkSettings{NetworkSettingsBase: container.NetworkSettingsBase{Ports: tt.live}},
			}
			if diff := cmp.Diff(tt.want, publishedPorts(info)); diff != "" {
				t.Errorf("ports (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLivePorts(t *testing.T) {
	t.Parallel()
	got := livePorts([]container.Port{
		{IP: "0.0.0.0", PrivatePort: 80, PublicPort: 1080, Type: "tcp"},
		{IP: "::", PrivatePort: 80, PublicPort: 1080, Type: "tcp"},
		{PrivatePort: 5432, Type: "tcp"},
		{IP: "127.0.0.1", PrivatePort: 53, PublicPort: 1053, Type: "udp"},
		{IP: "127.0.0.1", PrivatePort: 9, PublicPort: 1009, Type: "sctp"},
	})
	want := []backend.PortBinding{
		{Port: backend.Port{Number: 53, Protocol: backend.UDP}, Host: 1053},
		{Port: backend.Port{Number: 80, Protocol: backend.TCP}, Host: 1080},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("ports (-want +got):\n%s", diff)
	}
}

func TestOwnName(t *testing.T) {
	t.Parallel()
	if got := ownName([]string{"/web/db", "/db"}); got != "db" {
		t.Errorf("the name is %q, want db", got)
	}
}
