package msb_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/msb"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/msbtest"
)

// TestEnvironment is not parallel: it changes this process's environment.
func TestEnvironment(t *testing.T) {
	for name, value := range map[string]string{
		"PATH": "/usr/bin", "HOME": "/home/user", "TMPDIR": "/var/tmp", "HTTPS_PROXY": "http://proxy:3128", "https_proxy": "",
		"SSL_CERT_FILE": "/etc/ca.pem", "SSL_CERT_DIR": "", "HTTP_PROXY": "", "NO_PROXY": "", "ALL_PROXY": "",
		"http_proxy": "", "no_proxy": "", "all_proxy": "",
		// These must not get through.
		"MSB_PROFILE": "cloud", "MSB_API_KEY": "key", "MSB_BACKEND": "cloud", "MSB_HOME": "/elsewhere", "RUST_LOG": "trace",
		"AWS_SECRET_ACCESS_KEY": "secret", "TF_VAR_password": "secret", "LANG": "de_DE.UTF-8",
	} {
		t.Setenv(name, value)
	}
	fake := msbtest.New(t)
	fake.Handle("doctor")
	want := map[string]string{
		"PATH": "/usr/bin", "HOME": "/home/user", "TMPDIR": "/var/tmp", "HTTPS_PROXY": "http://proxy:3128", "SSL_CERT_FILE": "/etc/ca.pem",
		"LANG": "C.UTF-8", "NO_COLOR": "1", "MSB_BACKEND": "local",
	}

	if err := msb.New(msb.Config{Path: fake.Path()}).Doctor(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, fake.Calls()[0].Env); diff != "" {
		t.Errorf("environment without a home (-want +got):\n%s", diff)
	}

	if err := msb.New(msb.Config{Path: fake.Path(), Home: "/srv/msb"}).Doctor(t.Context()); err != nil {
		t.Fatal(err)
	}
	want["MSB_HOME"] = "/srv/msb"
	if diff := cmp.Diff(want, fake.Calls()[1].Env); diff != "" {
		t.Errorf("environment with a home (-want +got):\n%s", diff)
	}
}

// TestSteeringVariables is about variables of a sandbox that would change msb
// if they were handed over in its environment.
func TestSteeringVariables(t *testing.T) {
	t.Parallel()
	const value = "of the sandbox"
	steering := []string{
		"PATH", "HOME", "TMPDIR", "LANG", "LC_ALL", "NO_COLOR", "TERM", "MSB_HOME", "MSB_BACKEND", "MSB_PATH", "MSB_LIBKRUNFW_PATH",
		"LD_PRELOAD", "LD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES", "RUST_LOG", "RUST_BACKTRACE", "SSL_CERT_FILE", "SSL_CERT_DIR",
		"HTTP_PROXY", "https_proxy", "NO_PROXY", "XDG_CONFIG_HOME", "GLIBC_TUNABLES", "MALLOC_ARENA_MAX", "DOCKER_CONFIG",
	}
	handed := []string{"TOKEN", "POSTGRES_PASSWORD", "path", "MSB", "A B", "x.y", "ÜBER"}
	env := map[string]string{}
	for _, name := range append(slices.Clone(steering), handed...) {
		env[name] = value
	}
	client, fake := newClient(t)
	fake.Handle("exec")
	if _, err := client.Exec(t.Context(), "web", msb.Exec{Command: []string{"env"}, Env: env}); err != nil {
		t.Fatal(err)
	}
	call := onlyCall(t, fake)
	for _, name := range slices.Sorted(maps.Keys(env)) {
		here := call.Env[name] == value
		switch {
		case slices.Contains(handed, name) && (!here || !slices.Contains(call.Args, "--env="+name)):
			t.Errorf("%s was not handed over through the environment: %q", name, call.Args)
		case slices.Contains(steering, name) && (here || !slices.Contains(call.Args, "--env="+name+"="+value)):
			t.Errorf("%s changes msb itself, or does not reach the sandbox: %q", name, call.Args)
		}
	}
}
