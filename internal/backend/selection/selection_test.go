package selection_test

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/fake"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/install"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/preflight"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/selection"
)

// searchPath is the PATH of this machine.
var searchPath = os.Getenv("PATH")

func TestMain(m *testing.M) {
	// Whatever this machine has of msb is not what is tested.
	for _, name := range []string{install.PathEnv, install.SkipDownloadEnv, install.DownloadURLEnv, install.HomeEnv} {
		_ = os.Unsetenv(name)
	}
	_ = os.Setenv("PATH", os.DevNull)
	os.Exit(m.Run())
}

var (
	capable  = preflight.Host{OS: "linux", Arch: "amd64", CPUFlags: []string{"vmx"}}
	noDevice = preflight.Host{OS: "linux", Arch: "amd64", CPUFlags: []string{"vmx"}, KVM: &fs.PathError{Op: "open", Path: "/dev/kvm", Err: syscall.ENOENT}}
	// bootless has a device that opens, and a processor that runs no guest.
	bootless = preflight.Host{OS: "linux", Arch: "amd64", CPUFlags: []string{"hypervisor"}}
)

// msb puts a script with this body into a new directory.
func msb(t *testing.T, body string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "msb")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// Scripts that answer as msb does.
const (
	working = "case $1 in --version) echo msb 0.6.18 ;; doctor) ;; ls|ps) echo '[]' ;; *) exit 9 ;; esac\n"
	// unready is one whose doctor knows better than a look at the host.
	unready = "case $1 in --version) echo msb 0.6.18 ;; *) printf '   ✗ KVM access   no\\nerror: KVM is not usable\\n' >&2; exit 1 ;; esac\n"
	// outdated is one whose home a newer msb has used.
	outdated = "case $1 in --version) echo msb 0.6.18 ;; doctor) ;; *) echo 'error: runtime error: database schema is newer than this msb binary' >&2; exit 1 ;; esac\n"
	// tooNew is of a release that the provider cannot drive.
	tooNew = "echo msb 0.8.0\n"
)

func engine(t *testing.T, answers bool) *fake.Backend {
	t.Helper()
	b := fake.New()
	t.Cleanup(b.Close)
	b.SetAvailable(answers)
	return b
}

func configOf(t *testing.T, name string) selection.Config {
	t.Helper()
	dir := t.TempDir()
	return selection.Config{
		Backend:      name,
		CacheDir:     dir,
		Microsandbox: selection.MicrosandboxConfig{Home: shortHome(t), NoDownload: true},
	}
}

// shortHome is a directory whose name leaves room for msb's sockets.
func shortHome(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "msb") //nolint:usetesting // Its name would be too long.
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// TestOpen has each host with each way to ask, and which backend comes of it or
// what the error says.
func TestOpen(t *testing.T) {
	for name, tc := range map[string]struct {
		ask          string
		host         preflight.Host
		found, named string
		dockerless   bool

		want backend.Name
		says []string
	}{
		"auto on a host that can":                       {ask: "auto", host: capable, found: working, want: backend.Microsandbox},
		"auto without being said":                       {ask: "", host: capable, found: working, want: backend.Microsandbox},
		"auto on a host that can, without Docker":       {ask: "auto", host: capable, found: working, dockerless: true, want: backend.Microsandbox},
		"auto without a device":                         {ask: "auto", host: noDevice, found: working, want: backend.Docker},
		"auto with a device that cannot boot":           {ask: "auto", host: bootless, found: working, want: backend.Docker},
		"auto where the doctor knows better":            {ask: "auto", host: capable, found: unready, want: backend.Docker},
		"auto without msb":                              {ask: "auto", host: capable, want: backend.Docker},
		"auto with an msb that cannot be used":          {ask: "auto", host: capable, found: tooNew, want: backend.Docker},
		"auto with a home of a newer msb":               {ask: "auto", host: capable, found: outdated, want: backend.Docker},
		"auto with a named msb, on a host that cannot":  {ask: "auto", host: noDevice, named: tooNew, want: backend.Docker},
		"auto with a named msb that cannot be used":     {ask: "auto", host: capable, named: tooNew, says: []string{"microsandbox.path", "0.8.0 is not supported"}},
		"auto with a named msb that works":              {ask: "auto", host: capable, named: working, want: backend.Microsandbox},
		"auto with nothing at all":                      {ask: "auto", host: noDevice, dockerless: true, says: []string{"microsandbox: /dev/kvm does not exist", "docker: ", "not available", "Start the engine."}},
		"auto with nothing but a processor":             {ask: "auto", host: capable, dockerless: true, says: []string{"no msb on the PATH", "download.enabled is false", "docker: "}},
		"docker":                                        {ask: "docker", host: capable, found: working, want: backend.Docker},
		"docker that does not answer, left to its user": {ask: "docker", host: capable, found: working, dockerless: true, want: backend.Docker},
		"microsandbox":                                  {ask: "microsandbox", host: capable, found: working, want: backend.Microsandbox},
		"microsandbox without a device":                 {ask: "microsandbox", host: noDevice, found: working, says: []string{`use backend "microsandbox" on this host`, "/dev/kvm does not exist", "modprobe"}},
		"microsandbox that cannot boot":                 {ask: "microsandbox", host: bootless, found: working, says: []string{"neither vmx (Intel) nor svm (AMD)", "nested virtualization"}},
		"microsandbox where the doctor knows better":    {ask: "microsandbox", host: capable, found: unready, says: []string{"KVM is not usable", "doctor"}},
		"microsandbox without msb":                      {ask: "microsandbox", host: capable, says: []string{"no msb on the PATH", "Install msb 0.6.18", "MSB_PATH"}},
		"microsandbox with an msb that cannot be used":  {ask: "microsandbox", host: capable, found: tooNew, says: []string{"msb 0.8.0 is not supported", "Install msb 0.6.18"}},
		"microsandbox on Windows":                       {ask: "microsandbox", host: preflight.Host{OS: "windows", Arch: "amd64"}, says: []string{"this is windows/amd64"}},
		"another":                                       {ask: "podman", host: capable, says: []string{"no backend of that name", "RIGHTSIZE_BACKEND"}},
	} {
		t.Run(name, func(t *testing.T) {
			config := configOf(t, tc.ask)
			if tc.found != "" {
				t.Setenv("PATH", filepath.Dir(msb(t, tc.found)))
			}
			if tc.named != "" {
				config.Microsandbox.Path = msb(t, tc.named)
			}
			docker := engine(t, !tc.dockerless)
			b, err := selection.NewOn(tc.host, config, docker, nil).Open(t.Context())
			if err == nil {
				if b.Name() != tc.want {
					t.Errorf("it is %q, want %q", b.Name(), tc.want)
				}
				if tc.ask == "docker" && len(docker.Calls()) > 0 {
					t.Error("Docker was contacted before an operation needs it")
				}
				return
			}
			known, ok := errors.AsType[*backend.Error](err)
			if !ok || tc.want != "" {
				t.Fatalf("it failed: %v", err)
			}
			for _, says := range tc.says {
				if text := err.Error() + "\n" + known.Remedy; !strings.Contains(text, says) {
					t.Errorf("it says %q, want %q in it", text, says)
				}
			}
			if tc.ask != "podman" && !errors.Is(err, backend.ErrUnavailable) {
				t.Errorf("its kind is %v", known.Kind)
			}
			if tc.ask == "microsandbox" && len(docker.Calls()) > 0 {
				t.Error("Docker was asked although microsandbox was wanted")
			}
		})
	}
}

// A host that cannot run microVMs is neither searched for msb, nor is one
// downloaded, nor does it cost Docker's users a thing.
func TestNothingIsTriedOnAHostThatCannot(t *testing.T) {
	var requests atomic.Int32
	mirror := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requests.Add(1) }))
	t.Cleanup(mirror.Close)
	touched := filepath.Join(t.TempDir(), "touched")
	t.Setenv("PATH", filepath.Dir(msb(t, ": >"+touched+"\n"+working)))
	for _, host := range []preflight.Host{noDevice, bootless} {
		for _, ask := range []string{"auto", "microsandbox"} {
			config := configOf(t, ask)
			config.Microsandbox.NoDownload, config.Microsandbox.DownloadURL = false, mirror.URL
			made := func(microsandbox.Config) backend.Backend {
				t.Error("the backend was made")
				return nil
			}
			_, _ = selection.NewOn(host, config, engine(t, true), made).Open(t.Context())
			entries, err := os.ReadDir(config.CacheDir)
			if err != nil || len(entries) > 0 {
				t.Errorf("%s: the cache has %v, %v", ask, entries, err)
			}
		}
	}
	if n := requests.Load(); n > 0 {
		t.Errorf("%d requests were made", n)
	}
	if _, err := os.Stat(touched); err == nil {
		t.Error("msb was run")
	}
}

// Under auto, an msb is downloaded for a host that could run it. A mirror that
// does not have it is asked once, however often the backend is needed.
func TestAutoDownloads(t *testing.T) {
	t.Parallel()
	var requests atomic.Int32
	mirror := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		http.NotFound(w, r)
	}))
	t.Cleanup(mirror.Close)
	config := configOf(t, "auto")
	config.Microsandbox.NoDownload, config.Microsandbox.DownloadURL = false, mirror.URL
	var log []string
	config.Log = func(_ context.Context, message string, _ ...any) { log = append(log, message) }
	docker := engine(t, false)
	s := selection.NewOn(capable, config, docker, nil)
	for range 3 {
		if _, err := s.Open(t.Context()); !errors.Is(err, backend.ErrUnavailable) {
			t.Fatalf("it failed with %v", err)
		}
	}
	docker.SetAvailable(true)
	b, err := s.Open(t.Context())
	if err != nil || b.Name() != backend.Docker {
		t.Fatalf("got %v, %v", b, err)
	}
	if n := requests.Load(); n != 1 {
		t.Errorf("%d requests were made", n)
	}
	if text := strings.Join(log, "\n"); !strings.Contains(text, "downloading msb") || !strings.Contains(text, "microsandbox cannot be used") {
		t.Errorf("the log is %q", log)
	}
}

// What the configuration says reaches the backend.
func TestMicrosandboxConfiguration(t *testing.T) {
	config := configOf(t, "microsandbox")
	config.Microsandbox.Path = msb(t, working)
	config.Microsandbox.RecordIntegrity = true
	vms := fake.New(fake.WithName(backend.Microsandbox))
	t.Cleanup(vms.Close)
	var got microsandbox.Config
	s := selection.NewOn(capable, config, engine(t, true), func(c microsandbox.Config) backend.Backend {
		got = c
		return vms
	})
	if _, err := s.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	path, err := got.Locate(t.Context())
	if err != nil || path != config.Microsandbox.Path {
		t.Errorf("it locates %q, %v", path, err)
	}
	if got.Home != config.Microsandbox.Home || got.CacheDir != config.CacheDir || got.LockDir != config.LockDir() || !got.RecordIntegrity {
		t.Errorf("got %+v", got)
	}
}

// An interruption is no reason to take another backend.
func TestInterrupted(t *testing.T) {
	for _, ask := range []string{"auto", "microsandbox"} {
		config := configOf(t, ask)
		config.Microsandbox.Path = msb(t, working)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		b, err := selection.NewOn(capable, config, engine(t, true), nil).Open(ctx)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v, %v", ask, b, err)
		}
	}
}

func TestHomeThatIsTooLong(t *testing.T) {
	t.Setenv(install.HomeEnv, "/"+strings.Repeat("x", 80))
	config := configOf(t, "microsandbox")
	config.Microsandbox.Home = ""
	_, err := selection.NewOn(capable, config, engine(t, true), nil).Open(t.Context())
	if err == nil || !strings.Contains(err.Error(), "at most 57") {
		t.Errorf("got %v", err)
	}
	config.Backend = "auto"
	if b, err := selection.NewOn(capable, config, engine(t, true), nil).Open(t.Context()); err != nil || b.Name() != backend.Docker {
		t.Errorf("under auto: %v, %v", b, err)
	}
}

// TestHostThatBoots runs where the contract of microsandbox is tested, on a host
// that boots microVMs and has an msb on its PATH.
func TestHostThatBoots(t *testing.T) {
	if engine := os.Getenv("RIGHTSIZE_TEST_ENGINE"); engine != "microsandbox" {
		t.Skipf("RIGHTSIZE_TEST_ENGINE is %q, not microsandbox", engine)
	}
	t.Setenv("PATH", searchPath)
	for _, ask := range []string{"auto", "microsandbox"} {
		config := configOf(t, ask)
		b, err := selection.NewOn(preflight.ThisHost(), config, engine(t, true), nil).Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if b.Name() != backend.Microsandbox {
			t.Errorf("%s takes %s", ask, b.Name())
		}
	}
}
