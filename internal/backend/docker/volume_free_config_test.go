package docker

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestConfigFromInspect(t *testing.T) {
	t.Parallel()
	const inspect = `{
		"Id": "sha256:aa", "RepoTags": ["x:1"], "Size": 5, "GraphDriver": {"Name": "overlay2"},
		"Architecture": "arm", "Variant": "v7", "Os": "linux", "OsVersion": "10.0", "Author": "me",
		"Comment": "made", "Created": "2026-01-02T03:04:05.000000006Z",
		"Config": {
			"Hostname": "", "User": "7:8", "ExposedPorts": {"5432/tcp": {}}, "Env": ["A=b=c"], "Cmd": ["one", "<two>"],
			"Healthcheck": {"Test": ["CMD", "x"], "Interval": 5000000000}, "Volumes": {"/data": {}}, "WorkingDir": "/w",
			"Entrypoint": ["/e"], "OnBuild": ["RUN true"], "Labels": {"k": "v"}, "StopSignal": "SIGINT",
			"Shell": ["/bin/ash", "-c"], "FromTheFuture": 12345678901234567890
		},
		"RootFS": {"Type": "layers", "Layers": ["sha256:l1", "sha256:l2"]}
	}`
	const want = `{
		"architecture": "arm", "variant": "v7", "os": "linux", "os.version": "10.0", "author": "me",
		"comment": "made", "created": "2026-01-02T03:04:05.000000006Z",
		"config": {
			"Hostname": "", "User": "7:8", "ExposedPorts": {"5432/tcp": {}}, "Env": ["A=b=c"], "Cmd": ["one", "<two>"],
			"Healthcheck": {"Test": ["CMD", "x"], "Interval": 5000000000}, "WorkingDir": "/w",
			"Entrypoint": ["/e"], "OnBuild": ["RUN true"], "Labels": {"k": "v", "dev.rightsize.base-of": "sha256:aa"}, "StopSignal": "SIGINT",
			"Shell": ["/bin/ash", "-c"], "FromTheFuture": 12345678901234567890
		},
		"rootfs": {"type": "layers", "diff_ids": ["sha256:l1", "sha256:l2"]}
	}`
	config, layers, err := configFromInspect([]byte(inspect))
	if err != nil {
		t.Fatal(err)
	}
	config, err = withoutVolumes(config, "sha256:aa")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(decode(t, want), decode(t, string(config))); diff != "" {
		t.Errorf("configuration (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"sha256:l1", "sha256:l2"}, layers); diff != "" {
		t.Errorf("layers (-want +got):\n%s", diff)
	}
}

func TestConfigFromInspectRefuses(t *testing.T) {
	t.Parallel()
	for name, inspect := range map[string]string{
		"no JSON":   `layers`,
		"no rootfs": `{"Id":"sha256:aa","Config":{}}`,
		"foreign":   `{"RootFS":{"Type":"baselayer"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if config, _, err := configFromInspect([]byte(inspect)); err == nil {
				t.Errorf("accepted as %s", config)
			}
		})
	}
}

func TestWithoutVolumes(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ config, want string }{
		"volumes go, the rest stays": {
			config: `{"config":{"Volumes":{"/a":{},"/b":{}},"Cmd":null,"n":1.50},"history":[{"created_by":"x","empty_layer":true}],"os.features":["win32k"]}`,
			want:   `{"config":{"Cmd":null,"n":1.50,"Labels":{"dev.rightsize.base-of":"sha256:s"}},"history":[{"created_by":"x","empty_layer":true}],"os.features":["win32k"]}`,
		},
		"labels are kept": {
			config: `{"config":{"Labels":{"a":"","b":"2"}}}`,
			want:   `{"config":{"Labels":{"a":"","b":"2","dev.rightsize.base-of":"sha256:s"}}}`,
		},
		"null labels": {
			config: `{"config":{"Labels":null}}`,
			want:   `{"config":{"Labels":{"dev.rightsize.base-of":"sha256:s"}}}`,
		},
		"an inherited mark is replaced": {
			config: `{"config":{"Labels":{"dev.rightsize.base-of":""}}}`,
			want:   `{"config":{"Labels":{"dev.rightsize.base-of":"sha256:s"}}}`,
		},
		"names in the wrong case count for the engine too": {
			config: `{"Config":{"volumes":{"/a":{}},"VOLUMES":{"/b":{}},"labels":{"a":"1"}}}`,
			want:   `{"config":{"Labels":{"a":"1","dev.rightsize.base-of":"sha256:s"}}}`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := withoutVolumes([]byte(test.config), "sha256:s")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(decode(t, test.want), decode(t, string(got))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestWithoutVolumesRefuses(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]string{
		"no JSON":              `{`,
		"no object":            `[]`,
		"no configuration":     `{}`,
		"null configuration":   `{"config":null}`,
		"configuration a list": `{"config":[]}`,
		"labels a list":        `{"config":{"Labels":["a"]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, err := withoutVolumes([]byte(config), "sha256:s"); err == nil {
				t.Errorf("accepted as %s", got)
			}
		})
	}
}

// decode keeps numbers as they are written.
func decode(t *testing.T, text string) any {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return value
}
