package install_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/install"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/preflight"
)

// program puts a script called msb into a new directory.
func program(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "msb")
	if err := os.WriteFile(path, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// offline is a configuration that can download nothing.
func offline(t *testing.T) install.Config {
	t.Helper()
	c := config(t.TempDir(), "")
	c.Version, c.Download.Disabled = "", true
	return c
}

// TestOrder takes one place away after the other.
func TestOrder(t *testing.T) {
	m, cache := newMirror(t), t.TempDir()
	m.publish(release, released(t, release))
	configured, fromEnv, onPath := program(t, script(release)), program(t, script(release)), program(t, script(release))
	provisioned := filepath.Join(placeOf(cache), "bin", "msb")
	t.Setenv(install.PathEnv, fromEnv)
	t.Setenv("PATH", filepath.Dir(onPath))
	c := config(cache, m.URL)
	find := func() string {
		t.Helper()
		found, err := install.NewFinder(c).Find(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return found
	}

	c.Path = configured
	got := []string{find()}
	c.Path = ""
	got = append(got, find())
	t.Setenv(install.PathEnv, "")
	got = append(got, find())
	if n := m.downloads(release); n > 0 {
		t.Errorf("it was downloaded %d times although there is one on the PATH", n)
	}
	t.Setenv("PATH", t.TempDir())
	got = append(got, find())
	// Once provisioned it goes before the PATH, which may change.
	t.Setenv("PATH", filepath.Dir(onPath))
	got = append(got, find())
	if diff := cmp.Diff([]string{configured, fromEnv, onPath, provisioned, provisioned}, got); diff != "" {
		t.Errorf("found (-want +got):\n%s", diff)
	}
}

// What the user names must work: nothing else is taken instead.
func TestGivenPathThatDoesNotWork(t *testing.T) {
	good := program(t, script(install.DefaultVersion))
	t.Setenv("PATH", filepath.Dir(good))
	notExecutable := program(t, script(install.DefaultVersion))
	if err := os.Chmod(notExecutable, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		path         string
		precondition preflight.Precondition
		says, remedy string
	}{
		"missing":        {filepath.Join(t.TempDir(), "msb"), preflight.Program, "no such file", "built for this host"},
		"not executable": {notExecutable, preflight.Program, "permission denied", ""},
		"directory":      {t.TempDir(), preflight.Program, "permission denied", ""},
		"other program":  {program(t, "#!/bin/sh\necho GNU Midnight Commander\n"), preflight.Program, "is not a version of msb", ""},
		"crashing":       {program(t, "#!/bin/sh\necho 'error: broken' >&2\nexit 1\n"), preflight.Program, "broken", ""},
		"without a library": {
			program(t, "#!/bin/sh\necho 'msb: error while loading shared libraries: libcap-ng.so.0: cannot open shared object file' >&2\nexit 127\n"),
			preflight.Program, "libcap-ng.so.0", "apt-get install libcap-ng0",
		},
		"for a newer C library": {
			program(t, "#!/bin/sh\necho \"msb: /lib/x86_64-linux-gnu/libc.so.6: version \\`GLIBC_2.39' not found (required by msb)\" >&2\nexit 1\n"),
			preflight.Program, "GLIBC_2.39", "which needs 2.28",
		},
		"too old": {program(t, script("0.6.6")), preflight.Version, "msb 0.6.6 is not supported", "Install msb 0.6.18 beside it"},
		"too new": {program(t, script("0.8.0")), preflight.Version, "msb 0.8.0 is not supported", "Install msb 0.6.18 beside it"},
		"not ready": {
			program(t, "#!/bin/sh\nif [ $1 = --version ]; then echo msb 0.6.18; exit; fi\nprintf '   ✗ CPU virt     not found\\nerror: CPU virtualization is not available\\n' >&2\nexit 1\n"),
			preflight.Setup, "CPU virt: not found", "doctor",
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := offline(t)
			c.Path = tc.path
			_, err := install.NewFinder(c).Find(t.Context())
			unmet := expectUnmet(t, err, tc.precondition, tc.says, tc.remedy)
			if unmet.Named != (tc.precondition != preflight.Setup) {
				t.Errorf("named by the user: %t", unmet.Named)
			}
			if !strings.Contains(unmet.Missing, tc.path) {
				t.Errorf("it does not name %s: %s", tc.path, unmet.Missing)
			}

			c.Path = ""
			t.Setenv(install.PathEnv, tc.path)
			_, err = install.NewFinder(c).Find(t.Context())
			unmet = expectUnmet(t, err, tc.precondition, tc.says, tc.remedy)
			if tc.precondition != preflight.Setup && !strings.Contains(unmet.Missing, install.PathEnv) {
				t.Errorf("it does not name %s: %s", install.PathEnv, unmet.Missing)
			}
		})
	}
}

// An msb on the PATH that cannot be used is left as it is, and one that can is
// installed beside it.
func TestUnsupportedMsbOnThePath(t *testing.T) {
	m, cache := newMirror(t), t.TempDir()
	m.publish(release, released(t, release))
	newer := program(t, script("0.8.0"))
	t.Setenv("PATH", filepath.Dir(newer))

	c := config(cache, m.URL)
	c.Download.Disabled = true
	_, err := install.NewFinder(c).Find(t.Context())
	unmet := expectUnmet(t, err, preflight.Download, "download.enabled is false", "Install msb "+release)
	if !strings.Contains(unmet.Missing, newer+" cannot be used: msb 0.8.0 is not supported") {
		t.Errorf("it does not tell of the one on the PATH: %s", unmet.Missing)
	}

	c.Download.Disabled = false
	found, err := install.NewFinder(c).Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(placeOf(cache), "bin", "msb"); found != want {
		t.Errorf("found %s, want %s", found, want)
	}
	if content, err := os.ReadFile(newer); err != nil || string(content) != script("0.8.0") {
		t.Errorf("the user's msb is now %q, %v", content, err)
	}
}

// An msb of another release than the one asked for is as good as none.
func TestVersion(t *testing.T) {
	other := program(t, script("0.6.14"))
	c := offline(t)
	c.Version, c.Path = release, other
	_, err := install.NewFinder(c).Find(t.Context())
	_ = expectUnmet(t, err, preflight.Version, "not the release that microsandbox.version asks for, "+release, "Install msb "+release)

	t.Setenv("PATH", filepath.Dir(other))
	c.Path = ""
	_, err = install.NewFinder(c).Find(t.Context())
	_ = expectUnmet(t, err, preflight.Download, "not the release that microsandbox.version asks for", "")
	c.Version = "0.6.14"
	if found, err := install.NewFinder(c).Find(t.Context()); err != nil || found != other {
		t.Errorf("found %q, %v", found, err)
	}
}

func TestCheckVersion(t *testing.T) {
	t.Parallel()
	for version, says := range map[string]string{
		"0.6.7": "run --from-snapshot", "0.6.8": "", "0.6.18": "", "0.6.999": "", "0.7.0": "", "0.7.2": "", "0.8.0": "not known", "1.0.0": "not known", "0.0.0": "--dest-dir",
		"0.6": "not a version", "v0.6.18": "three numbers", "0.6.18-rc.1": "three numbers", "latest": "not a version",
	} {
		_, err := install.ParseVersion(version)
		if (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q in it", version, err, says)
		}
	}
}

func TestSkipDownload(t *testing.T) {
	m := newMirror(t)
	m.publish(release, released(t, release))
	for _, value := range []string{"true", "TRUE", "1"} {
		t.Setenv(install.SkipDownloadEnv, value)
		_, err := install.NewFinder(config(t.TempDir(), m.URL)).Find(t.Context())
		unmet := expectUnmet(t, err, preflight.Download, "RIGHTSIZE_MSB_SKIP_DOWNLOAD is "+value, "Install msb "+release)
		if !strings.Contains(unmet.Remedy, "MSB_PATH") {
			t.Errorf("the remedy is %s", unmet.Remedy)
		}
	}
	if n := m.downloads(release); n > 0 {
		t.Errorf("it was downloaded %d times", n)
	}
	t.Setenv(install.SkipDownloadEnv, "false")
	if _, err := install.NewFinder(config(t.TempDir(), m.URL)).Find(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestMirrorFromTheEnvironment(t *testing.T) {
	m, cache := newMirror(t), t.TempDir()
	m.publish(release, released(t, release))
	t.Setenv(install.DownloadURLEnv, m.URL)
	if _, err := install.NewFinder(config(cache, "")).Find(t.Context()); err != nil {
		t.Error(err)
	}
	t.Setenv(install.DownloadURLEnv, "ftp://user:secret@mirror/")
	_, err := install.NewFinder(config(t.TempDir(), "")).Find(t.Context())
	unmet := expectUnmet(t, err, preflight.Download, "RIGHTSIZE_MSB_DOWNLOAD_URL names no place", "https URL")
	if strings.Contains(unmet.Error(), "secret") {
		t.Errorf("the error tells a password: %v", unmet)
	}
}

// An msb that this host's C library cannot start is not downloaded.
func TestCLibrary(t *testing.T) {
	t.Parallel()
	m := newMirror(t)
	m.publish(release, released(t, release))
	for _, have := range []preflight.GNUC{{}, {Major: 2, Minor: 27}} {
		c := config(t.TempDir(), m.URL)
		c.CLibrary = func() preflight.GNUC { return have }
		_, err := install.NewFinder(c).Find(t.Context())
		_ = expectUnmet(t, err, preflight.CLibrary, "the GNU C library 2.28", "microsandbox.path")
	}
	if n := m.downloads(release); n > 0 {
		t.Errorf("it was downloaded %d times", n)
	}
}

// One failure answers all that ask: nobody waits for a dead server again.
func TestFailureIsRemembered(t *testing.T) {
	t.Parallel()
	m := newMirror(t)
	m.serve["v"+release+"/checksums.sha256"] = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }
	finder := install.NewFinder(config(t.TempDir(), m.URL))
	_, first := finder.Find(t.Context())
	_ = expectUnmet(t, first, preflight.Download, "503", "")
	_, second := finder.Find(t.Context())
	if first.Error() != second.Error() {
		t.Errorf("first %v, then %v", first, second)
	}
	if n := m.asked["v"+release+"/checksums.sha256"]; n != 1 {
		t.Errorf("the server was asked %d times", n)
	}
}

func TestHome(t *testing.T) {
	t.Setenv("HOME", "/home/ann")
	long := "/" + strings.Repeat("x", 57)
	for name, tc := range map[string]struct {
		configured, env string
		want, says      string
	}{
		"default":           {want: "/home/ann/.microsandbox"},
		"environment":       {env: "/srv/msb", want: "/srv/msb"},
		"configured":        {configured: "/srv/a/", env: "/srv/b", want: "/srv/a"},
		"home directory":    {configured: "~/msb", want: "/home/ann/msb"},
		"only a tilde":      {configured: "~", want: "/home/ann"},
		"longest":           {configured: long[:57], want: long[:57]},
		"relative":          {configured: "msb", says: "not absolute"},
		"of another user":   {configured: "~bob/msb", says: "not absolute"},
		"too long":          {configured: long, says: "has 58 bytes"},
		"environment's too": {env: long, says: "at most 57"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(install.HomeEnv, tc.env)
			got, err := install.Home(tc.configured)
			if got != tc.want || (err == nil) != (tc.says == "") || err != nil && !strings.Contains(err.Error(), tc.says) {
				t.Errorf("got %q, %v, want %q, %q", got, err, tc.want, tc.says)
			}
		})
	}
	t.Run("relative in the environment", func(t *testing.T) {
		t.Chdir("/")
		t.Setenv(install.HomeEnv, "msb")
		if got, err := install.Home(""); err != nil || got != "/msb" {
			t.Errorf("got %q, %v", got, err)
		}
	})
}

func TestParseBaseURL(t *testing.T) {
	t.Parallel()
	for text, ok := range map[string]bool{
		install.DefaultBaseURL: true, "http://127.0.0.1:8080": true, "https://user:password@mirror.example/msb/": true,
		"": false, "mirror.example": false, "file:///srv": false, "https://": false, "https://mirror.example/?token=x": false, "https://mirror.example/#x": false, "https://%zz": false,
	} {
		if _, err := install.ParseBaseURL(text); (err == nil) != ok {
			t.Errorf("%q: %v", text, err)
		} else if err != nil && text != "" && strings.Contains(err.Error(), text) {
			t.Errorf("%q is in its error: %v", text, err)
		}
	}
}

func TestCheckDigest(t *testing.T) {
	t.Parallel()
	for digest, ok := range map[string]bool{
		fmt.Sprintf("%064x", 1): true, strings.Repeat("A", 64): true, "": false, "abc": false, strings.Repeat("g", 64): false, "sha256:" + strings.Repeat("a", 64): false,
	} {
		if err := install.CheckDigest(digest); (err == nil) != ok {
			t.Errorf("%q: %v", digest, err)
		}
	}
}
