package docker

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/docker/cli/cli/context/store"
	"github.com/google/go-cmp/cmp"
	"github.com/opencontainers/go-digest"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// writeContext puts a context into a configuration directory in the form of
// "docker context create".
func writeContext(t *testing.T, configDir, name, host string, tls map[string]string) {
	t.Helper()
	id := digest.FromString(name).Encoded()
	metadata, err := json.Marshal(store.Metadata{
		Name:      name,
		Metadata:  map[string]any{},
		Endpoints: map[string]any{"docker": map[string]any{"Host": host, "SkipTLSVerify": false}},
	})
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(configDir, "contexts", "meta", id, "meta.json"), string(metadata))
	for file, content := range tls {
		writeFile(t, filepath.Join(configDir, "contexts", "tls", id, "docker", file), content)
	}
}

func writeFile(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	const tlsEnv = "DOCKER_TLS_VERIFY"
	type result struct {
		Address, ChosenBy string
		Local             bool
		Host              string
		CA                string
		SkipVerify        bool
	}
	unix := func(path, chosenBy string) result {
		return result{Address: "unix://" + path, ChosenBy: chosenBy, Local: true, Host: "127.0.0.1"}
	}
	tests := map[string]struct {
		cfg     Config
		env     map[string]string
		current string
		// certs are written to the configuration directory.
		certs map[string]string
		want  result
	}{
		"nothing set": {
			want: unix("/var/run/docker.sock", "the default"),
		},
		"current context": {
			current: "here",
			want:    unix("/ctx.sock", "current context of CONFIG/config.json (here)"),
		},
		"current context default": {
			current: "default",
			want:    unix("/var/run/docker.sock", "the default"),
		},
		"DOCKER_CONTEXT over current context": {
			env: map[string]string{"DOCKER_CONTEXT": "far"}, current: "here",
			want: result{Address: "tcp://far.example:2376", ChosenBy: "DOCKER_CONTEXT (far)", Host: "far.example", CA: "context ca"},
		},
		"DOCKER_CONTEXT default over current context": {
			env: map[string]string{"DOCKER_CONTEXT": "default"}, current: "here",
			want: unix("/var/run/docker.sock", "DOCKER_CONTEXT"),
		},
		"DOCKER_HOST over DOCKER_CONTEXT": {
			env:     map[string]string{"DOCKER_HOST": "unix:///env.sock", "DOCKER_CONTEXT": "far"},
			current: "here",
			want:    unix("/env.sock", "DOCKER_HOST"),
		},
		"configured context over DOCKER_HOST": {
			cfg:  Config{Context: "here"},
			env:  map[string]string{"DOCKER_HOST": "unix:///env.sock"},
			want: unix("/ctx.sock", "the configured context (here)"),
		},
		"configured default context means DOCKER_HOST": {
			cfg:     Config{Context: "default"},
			env:     map[string]string{"DOCKER_HOST": "unix:///env.sock"},
			current: "here",
			want:    unix("/env.sock", "the configured context"),
		},
		"configured host over everything": {
			cfg:     Config{Host: "unix:///cfg.sock"},
			env:     map[string]string{"DOCKER_HOST": "unix:///env.sock", "DOCKER_CONTEXT": "far"},
			current: "here",
			want:    unix("/cfg.sock", "the configured host"),
		},
		"ssh": {
			cfg:  Config{Host: "ssh://me@build.example:2222"},
			want: result{Address: "ssh://me@build.example:2222", ChosenBy: "the configured host", Host: "build.example"},
		},
		"tcp to localhost is dialled by address": {
			cfg:  Config{Host: "tcp://localhost:2375"},
			want: result{Address: "tcp://localhost:2375", ChosenBy: "the configured host", Host: "127.0.0.1"},
		},
		"ipv6": {
			cfg:  Config{Host: "tcp://[2001:db8::1]:2375"},
			want: result{Address: "tcp://[2001:db8::1]:2375", ChosenBy: "the configured host", Host: "2001:db8::1"},
		},
		"DOCKER_TLS_VERIFY with certificates of the configuration directory": {
			cfg: Config{Host: "tcp://far.example"}, env: map[string]string{tlsEnv: "1"},
			certs: map[string]string{"ca.pem": "config ca"},
			want:  result{Address: "tcp://far.example:2375", ChosenBy: "the configured host", Host: "far.example", CA: "config ca"},
		},
		"DOCKER_CERT_PATH": {
			env:   map[string]string{"DOCKER_HOST": "tcp://far.example:1", tlsEnv: "1", "DOCKER_CERT_PATH": "CONFIG/certs"},
			certs: map[string]string{"certs/ca.pem": "env ca"},
			want:  result{Address: "tcp://far.example:1", ChosenBy: "DOCKER_HOST", Host: "far.example", CA: "env ca"},
		},
		"cert_path over DOCKER_CERT_PATH": {
			cfg:   Config{Host: "tcp://far.example:1", CertPath: "CONFIG/mine"},
			env:   map[string]string{"DOCKER_CERT_PATH": "CONFIG/certs"},
			certs: map[string]string{"certs/ca.pem": "env ca", "mine/ca.pem": "my ca"},
			want:  result{Address: "tcp://far.example:1", ChosenBy: "the configured host", Host: "far.example", CA: "my ca"},
		},
		"DOCKER_TLS does not verify": {
			env:   map[string]string{"DOCKER_HOST": "tcp://far.example:1", "DOCKER_TLS": "1"},
			certs: map[string]string{"ca.pem": "config ca"},
			want:  result{Address: "tcp://far.example:1", ChosenBy: "DOCKER_HOST", Host: "far.example", CA: "config ca", SkipVerify: true},
		},
		"a socket needs no certificates": {
			cfg: Config{Host: "unix:///cfg.sock"}, env: map[string]string{tlsEnv: "1"},
			want: unix("/cfg.sock", "the configured host"),
		},
		"a context ignores the certificates of a host": {
			cfg: Config{Context: "far", CertPath: "CONFIG/mine"}, certs: map[string]string{"mine/ca.pem": "my ca"},
			want: result{Address: "tcp://far.example:2376", ChosenBy: "the configured context (far)", Host: "far.example", CA: "context ca"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			inDir := func(s string) string { return strings.ReplaceAll(s, "CONFIG", dir) }
			writeContext(t, dir, "here", "unix:///ctx.sock", nil)
			writeContext(t, dir, "far", "tcp://far.example:2376", map[string]string{"ca.pem": "context ca"})
			if test.current != "" {
				writeFile(t, filepath.Join(dir, "config.json"), `{"currentContext":"`+test.current+`"}`)
			}
			for file, content := range test.certs {
				writeFile(t, filepath.Join(dir, file), content)
			}
			test.cfg.CertPath = inDir(test.cfg.CertPath)
			variables := maps.Clone(test.env)
			for name, value := range variables {
				variables[name] = inDir(value)
			}

			ep, err := resolve(test.cfg, environment{
				getenv:    func(name string) string { return variables[name] },
				configDir: func() string { return dir },
			})
			if err != nil {
				t.Fatal(err)
			}
			got := result{
				Address: ep.address(), ChosenBy: ep.chosenBy, Local: ep.local(), Host: ep.publishedOn(),
				SkipVerify: ep.SkipTLSVerify,
			}
			if ep.TLSData != nil {
				got.CA = string(ep.TLSData.CA)
			}
			test.want.ChosenBy = inDir(test.want.ChosenBy)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestResolveRefuses(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		cfg      Config
		env      map[string]string
		file     string
		kind     error
		mentions []string
	}{
		"host and context": {
			cfg:      Config{Host: "unix:///x", Context: "here"},
			mentions: []string{"both a host", "unix:///x", "here"},
		},
		"unknown configured context": {
			cfg: Config{Context: "nowhere"}, kind: backend.ErrNotFound,
			mentions: []string{`"nowhere"`, "known are: default, here"},
		},
		"unknown DOCKER_CONTEXT": {
			env: map[string]string{"DOCKER_CONTEXT": "nowhere"}, kind: backend.ErrNotFound,
			mentions: []string{`"nowhere"`, "known are: default, here"},
		},
		"unknown current context": {
			file: `{"currentContext":"nowhere"}`, kind: backend.ErrNotFound,
			mentions: []string{`"nowhere"`, "known are: default, here"},
		},
		"damaged configuration file": {
			file:     `{"currentContext":`,
			mentions: []string{"config.json"},
		},
		"no address": {
			cfg:      Config{Host: "gopher://x"},
			mentions: []string{"gopher://x", "configured host"},
		},
		"password in an address that is none": {
			env:      map[string]string{"DOCKER_HOST": "gopher://me:secret@x"},
			mentions: []string{"gopher://me:xxxxx@x", "DOCKER_HOST"},
		},
		"missing certificates": {
			cfg: Config{Host: "tcp://far.example:1", CertPath: "/nowhere"}, mentions: []string{"/nowhere/ca.pem"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := testEnvironment(t, test.env)
			writeContext(t, env.configDir(), "here", "unix:///ctx.sock", nil)
			if test.file != "" {
				writeFile(t, filepath.Join(env.configDir(), "config.json"), test.file)
			}
			_, err := resolve(test.cfg, env)
			var failure *backend.Error
			if !errors.As(err, &failure) {
				t.Fatalf("got %v, want a *backend.Error", err)
			}
			if !errors.Is(failure.Kind, test.kind) {
				t.Errorf("kind %v, want %v", failure.Kind, test.kind)
			}
			for _, part := range test.mentions {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q does not mention %q", err, part)
				}
			}
			if strings.Contains(err.Error(), "secret") {
				t.Errorf("%q tells a password", err)
			}
		})
	}
}

// TestCheckContext and TestLocality set variables of the process and so cannot
// run in parallel with others.
func TestCheckContext(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("DOCKER_CONFIG", dir)
	writeContext(t, dir, "here", "unix:///ctx.sock", nil)

	for _, name := range []string{"", "default", "here"} {
		if err := CheckContext(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	if err := CheckContext("../here"); !errors.Is(err, backend.ErrNotFound) {
		t.Errorf("got %v, want ErrNotFound", err)
	}
}

func TestLocality(t *testing.T) {
	t.Setenv("DOCKER_CONFIG", t.TempDir())
	t.Setenv("DOCKER_HOST", "tcp://192.0.2.1:2375")
	for host, want := range map[string]bool{"": false, "unix:///nowhere.sock": true, "ssh://x": false} {
		got, err := Locality(Config{Host: host})
		if err != nil || got != want {
			t.Errorf("host %q: %t, %v, want %t", host, got, err, want)
		}
	}
	if _, err := Locality(Config{Context: "nowhere"}); !errors.Is(err, backend.ErrNotFound) {
		t.Errorf("got %v, want ErrNotFound", err)
	}
}
