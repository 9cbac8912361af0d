package install_test

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/install"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/preflight"
)

// installed is what a whole installation looks like, below the cache directory.
func installed() map[string]string {
	return map[string]string{
		".":              "drwx------",
		"bin":            "drwx------",
		"bin/msb":        "-rwxr-xr-x",
		"lib":            "drwx------",
		"lib/" + library: "-rw-r--r--",
	}
}

func placeOf(cacheDir string) string {
	return filepath.Join(cacheDir, "msb", release, platform())
}

func TestDownload(t *testing.T) {
	t.Parallel()
	m, cache := newMirror(t), t.TempDir()
	m.publish(release, released(t, release))

	for range 2 {
		found, err := install.NewFinder(config(cache, m.URL)).Find(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if want := filepath.Join(placeOf(cache), "bin", "msb"); found != want {
			t.Errorf("found %s, want %s", found, want)
		}
	}
	if diff := cmp.Diff(installed(), tree(t, placeOf(cache))); diff != "" {
		t.Errorf("installed (-want +got):\n%s", diff)
	}
	if n := m.downloads(release); n != 1 {
		t.Errorf("it was downloaded %d times", n)
	}
}

// With a digest from the configuration nothing else has to vouch for an archive.
func TestDownloadWithConfiguredDigest(t *testing.T) {
	t.Parallel()
	m, cache := newMirror(t), t.TempDir()
	data := released(t, release)
	m.publish(release, data)
	delete(m.files, "v"+release+"/checksums.sha256")

	c := config(cache, m.URL)
	c.Download.SHA256 = strings.ToUpper(digestOf(data))
	if _, err := install.NewFinder(c).Find(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestFailedDownload has what a server may do wrong. Nothing of it is unpacked,
// and the next attempt succeeds.
func TestFailedDownload(t *testing.T) {
	t.Parallel()
	good := released(t, release)
	for name, tc := range map[string]struct {
		spoil  func(*mirror)
		says   string
		remedy string
	}{
		"wrong checksum": {
			spoil:  func(m *mirror) { m.files[archiveName(release)] = append(slices.Clone(good), 0) },
			says:   "nothing was unpacked",
			remedy: "Do not use that archive",
		},
		"no checksum of this archive": {
			spoil: func(m *mirror) {
				m.files["v"+release+"/checksums.sha256"] = []byte(digestOf(good) + "  microsandbox-plan9-mips.tar.gz\n")
			},
			says: "does not list microsandbox-",
		},
		"two checksums of this archive": {
			spoil: func(m *mirror) {
				name := filepath.Base(archiveName(release))
				m.files["v"+release+"/checksums.sha256"] = []byte(digestOf(good) + "  " + name + "\n" + strings.Repeat("0", 64) + "  " + name + "\n")
			},
			says: "twice",
		},
		"checksum that is none": {
			spoil: func(m *mirror) {
				m.files["v"+release+"/checksums.sha256"] = []byte("d41d8cd98f00b204e9800998ecf8427e  " + filepath.Base(archiveName(release)) + "\n")
			},
			says: "is not a SHA-256",
		},
		"no checksums": {
			spoil:  func(m *mirror) { delete(m.files, "v"+release+"/checksums.sha256") },
			says:   "404 Not Found",
			remedy: "microsandbox.download.base_url",
		},
		"no archive": {
			spoil:  func(m *mirror) { delete(m.files, archiveName(release)) },
			says:   "404 Not Found",
			remedy: "microsandbox.version",
		},
		"server error": {
			spoil: func(m *mirror) {
				m.serve[archiveName(release)] = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }
			},
			says:   "502 Bad Gateway",
			remedy: "HTTPS_PROXY",
		},
		"truncated": {
			spoil: func(m *mirror) {
				m.serve[archiveName(release)] = func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Length", strconv.Itoa(len(good)))
					_, _ = w.Write(good[:len(good)/2])
				}
			},
			says: "unexpected EOF",
		},
		"stalled": {
			spoil: func(m *mirror) {
				m.serve[archiveName(release)] = func(w http.ResponseWriter, r *http.Request) {
					_, _ = w.Write(good[:len(good)/2])
					w.(http.Flusher).Flush()
					<-r.Context().Done()
				}
			},
			says: "stopped sending",
		},
		"too long": {
			spoil: func(m *mirror) {
				m.serve[archiveName(release)] = func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Length", "1000000000000")
					_, _ = w.Write(good)
				}
			},
			says: "more than the",
		},
		"redirect to plain http": {
			spoil: func(m *mirror) {
				m.serve[archiveName(release)] = func(w http.ResponseWriter, r *http.Request) {
					http.Redirect(w, r, "http://192.0.2.1/msb?signature=secret", http.StatusFound)
				}
			},
			says: "plain http",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, cache := newMirror(t), t.TempDir()
			m.publish(release, good)
			tc.spoil(m)
			c := config(cache, m.URL)
			c.Download.StallTimeout = 200 * time.Millisecond
			_, err := install.NewFinder(c).Find(t.Context())
			unmet := expectUnmet(t, err, preflight.Download, tc.says, tc.remedy)
			if strings.Contains(unmet.Error(), "secret") {
				t.Errorf("the error tells a signature: %v", unmet)
			}
			if diff := cmp.Diff(map[string]string{".": "drwx------"}, tree(t, placeOf(cache))); diff != "" {
				t.Errorf("it left something (-want +got):\n%s", diff)
			}

			m.mu.Lock()
			clear(m.serve)
			m.mu.Unlock()
			m.publish(release, good)
			if _, err := install.NewFinder(config(cache, m.URL)).Find(t.Context()); err != nil {
				t.Errorf("the next attempt: %v", err)
			}
		})
	}
}

// TestHostileArchive has archives whose digest is right and whose content is
// not. Whatever they try, nothing is installed or written elsewhere.
func TestHostileArchive(t *testing.T) {
	t.Parallel()
	msb, kernel := file("msb", script(release)), file(library, "kernel")
	link := func(kind byte, name, to string) member {
		return member{header: tar.Header{Typeflag: kind, Name: name, Linkname: to}}
	}
	for name, tc := range map[string]struct {
		members []member
		says    string
	}{
		"symbolic link":           {[]member{kernel, link(tar.TypeSymlink, "msb", "/bin/sh")}, "neither a regular file"},
		"symbolic link elsewhere": {[]member{link(tar.TypeSymlink, "lib", "/tmp"), msb, kernel}, "neither a regular file"},
		"hard link":               {[]member{kernel, link(tar.TypeLink, "msb", library)}, "neither a regular file"},
		"device":                  {[]member{msb, kernel, link(tar.TypeChar, "null", "")}, "neither a regular file"},
		"pipe":                    {[]member{msb, kernel, link(tar.TypeFifo, "pipe", "")}, "neither a regular file"},
		"climbing name":           {[]member{msb, kernel, file("../msb", "x")}, "leads out of the archive"},
		"climbing in the middle":  {[]member{msb, kernel, file("a/../../../../x", "x")}, "leads out of the archive"},
		"climbing directory":      {[]member{msb, kernel, {header: tar.Header{Typeflag: tar.TypeDir, Name: "../x/"}}}, "leads out of the archive"},
		"absolute name":           {[]member{msb, kernel, file("/tmp/msb", "x")}, "not relative"},
		"backslashes":             {[]member{msb, kernel, file(`..\..\msb`, "x")}, "not relative"},
		"binary twice":            {[]member{msb, kernel, file("./msb", "x")}, "exists"},
		"library twice":           {[]member{msb, kernel, kernel}, "exists"},
		"empty binary":            {[]member{file("msb", ""), kernel}, "empty"},
		"no library":              {[]member{msb}, "does not contain both"},
		"no binary":               {[]member{kernel}, "does not contain both"},
		"binary in a directory":   {[]member{file("bin/msb", "x"), kernel}, "does not contain both"},
		"library of another name": {[]member{msb, file("libkrunfw.so.5/../x", "x"), file("libkrunfw.txt", "x")}, "leads out of the archive"},
		"nothing":                 {nil, "does not contain both"},
		"many members":            {slices.Repeat([]member{file("x", "")}, 2000), "more than 1000 members"},
		"sparse giant":            {[]member{msb, sparse(library, 1<<40)}, "expands to more than"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, cache := newMirror(t), t.TempDir()
			m.publish(release, archive(t, tc.members...))
			_, err := install.NewFinder(config(cache, m.URL)).Find(t.Context())
			_ = expectUnmet(t, err, preflight.Download, tc.says, "")
			if diff := cmp.Diff(map[string]string{".": "drwx------"}, tree(t, placeOf(cache))); diff != "" {
				t.Errorf("it left something (-want +got):\n%s", diff)
			}
			beside := tree(t, cache)
			maps.DeleteFunc(beside, func(name, _ string) bool { return name == "." || name == "locks" || strings.HasPrefix(name, "msb") })
			if len(beside) > 0 {
				t.Errorf("it wrote %v", beside)
			}
		})
	}

	t.Run("not an archive", func(t *testing.T) {
		t.Parallel()
		m, cache := newMirror(t), t.TempDir()
		m.publish(release, []byte("<html>sign in</html>"))
		_, err := install.NewFinder(config(cache, m.URL)).Find(t.Context())
		_ = expectUnmet(t, err, preflight.Download, "gzip", "")
	})
}

// An archive of half a megabyte that expands to half a gigabyte is not read to
// its end.
func TestBomb(t *testing.T) {
	t.Parallel()
	m, cache := newMirror(t), t.TempDir()
	// Headers come as one gzip member, the zeros as many copies of another.
	bomb := gzipped(t, tarred(t, member{header: tar.Header{Typeflag: tar.TypeReg, Name: "zeros", Size: 1 << 30}}))
	zeros := gzipped(t, make([]byte, 16<<20))
	for range 64 {
		bomb = append(bomb, zeros...)
	}
	m.publish(release, bomb)
	_, err := install.NewFinder(config(cache, m.URL)).Find(t.Context())
	_ = expectUnmet(t, err, preflight.Download, "expands to more than", "")
}

// What else an archive holds is not written, and does no harm.
func TestOtherMembersAreIgnored(t *testing.T) {
	t.Parallel()
	m, cache := newMirror(t), t.TempDir()
	m.publish(release, archive(t,
		member{header: tar.Header{Typeflag: tar.TypeDir, Name: "./"}},
		file("./LICENSE", "text"), file("./msb", script(release)), file("./doc/msb", "text"), file("./"+library, "kernel"),
	))
	if _, err := install.NewFinder(config(cache, m.URL)).Find(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(installed(), tree(t, placeOf(cache))); diff != "" {
		t.Errorf("installed (-want +got):\n%s", diff)
	}
}

// The provider knows the archives of its own release: a mirror that serves
// another, with checksums to match, is found out.
func TestPinnedRelease(t *testing.T) {
	t.Parallel()
	m, cache := newMirror(t), t.TempDir()
	m.publish(install.DefaultVersion, released(t, install.DefaultVersion))
	c := config(cache, m.URL)
	c.Version = ""
	_, err := install.NewFinder(c).Find(t.Context())
	_ = expectUnmet(t, err, preflight.Download, "the provider, which knows the vendor's archive", "Do not use that archive")
}

// A checksum from the same server proves nothing if anybody could have changed
// both on the way. No request is made.
func TestPlainHTTPNeedsADigest(t *testing.T) {
	t.Parallel()
	_, err := install.NewFinder(config(t.TempDir(), "http://user:secret@192.0.2.1/mirror")).Find(t.Context())
	unmet := expectUnmet(t, err, preflight.Download, "nothing vouches for", "")
	if strings.Contains(unmet.Error(), "secret") {
		t.Errorf("the error tells a password: %v", unmet)
	}
}

// Processes that need msb at once download it once.
func TestProcessesDownloadOnce(t *testing.T) {
	t.Parallel()
	m, cache := newMirror(t), t.TempDir()
	m.publish(release, released(t, release))
	const processes = 8
	outputs := make([]string, processes)
	var group sync.WaitGroup
	for i := range processes {
		cmd := finding(t, cache, m.URL)
		group.Go(func() {
			output, err := cmd.CombinedOutput()
			outputs[i] = string(output)
			if err != nil {
				t.Errorf("process %d: %v: %s", i, err, output)
			}
		})
	}
	group.Wait()
	want := slices.Repeat([]string{filepath.Join(placeOf(cache), "bin", "msb")}, processes)
	if diff := cmp.Diff(want, outputs); diff != "" {
		t.Errorf("found (-want +got):\n%s", diff)
	}
	if n := m.downloads(release); n != 1 {
		t.Errorf("it was downloaded %d times", n)
	}
	if diff := cmp.Diff(installed(), tree(t, placeOf(cache))); diff != "" {
		t.Errorf("installed (-want +got):\n%s", diff)
	}
}

// So do goroutines, with one Finder or with one each.
func TestGoroutinesDownloadOnce(t *testing.T) {
	t.Parallel()
	m, cache := newMirror(t), t.TempDir()
	m.publish(release, released(t, release))
	shared := install.NewFinder(config(cache, m.URL))
	var group sync.WaitGroup
	for i := range 8 {
		finder := shared
		if i%2 == 0 {
			finder = install.NewFinder(config(cache, m.URL))
		}
		group.Go(func() {
			if _, err := finder.Find(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if n := m.downloads(release); n != 1 {
		t.Errorf("it was downloaded %d times", n)
	}
}

// A process that is killed in the middle of a download leaves nothing that is
// taken for msb, and what it leaves is gone after the next installation.
func TestKilledDownload(t *testing.T) {
	t.Parallel()
	m, cache := newMirror(t), t.TempDir()
	good := released(t, release)
	m.publish(release, good)
	half := make(chan struct{})
	m.serve[archiveName(release)] = func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write(good[:len(good)/2])
		w.(http.Flusher).Flush()
		close(half)
		<-r.Context().Done()
	}
	cmd := finding(t, cache, m.URL)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-half
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	left := tree(t, placeOf(cache))
	if len(left) < 2 {
		t.Errorf("the process was killed before it began: %v", left)
	}
	for name := range left {
		if filepath.Base(name) == "msb" {
			t.Errorf("it left %s", name)
		}
	}

	m.mu.Lock()
	clear(m.serve)
	m.mu.Unlock()
	if _, err := install.NewFinder(config(cache, m.URL)).Find(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(installed(), tree(t, placeOf(cache))); diff != "" {
		t.Errorf("installed (-want +got):\n%s", diff)
	}
}

// An installation that was killed between its two moves has the library and no
// binary: it is none.
func TestBinaryComesLast(t *testing.T) {
	t.Parallel()
	m, cache := newMirror(t), t.TempDir()
	m.publish(release, released(t, release))
	lib := filepath.Join(placeOf(cache), "lib")
	if err := os.MkdirAll(lib, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(lib, library), []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := install.NewFinder(config(cache, m.URL)).Find(t.Context()); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(filepath.Join(lib, library))
	if err != nil || !bytes.Equal(content, []byte("kernel")) {
		t.Errorf("the library is %q, %v", content, err)
	}
}

// An interruption is not remembered as if the host could not run msb.
func TestInterruptedDownload(t *testing.T) {
	t.Parallel()
	m, cache := newMirror(t), t.TempDir()
	good := released(t, release)
	m.publish(release, good)
	ctx, cancel := context.WithCancel(t.Context())
	m.serve[archiveName(release)] = func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write(good[:10])
		w.(http.Flusher).Flush()
		cancel()
		<-r.Context().Done()
	}
	finder := install.NewFinder(config(cache, m.URL))
	if _, err := finder.Find(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("it failed with %v", err)
	}
	m.mu.Lock()
	clear(m.serve)
	m.mu.Unlock()
	if _, err := finder.Find(t.Context()); err != nil {
		t.Error(err)
	}
}

func expectUnmet(t *testing.T, err error, precondition preflight.Precondition, says, remedy string) *preflight.Unmet {
	t.Helper()
	unmet, ok := errors.AsType[*preflight.Unmet](err)
	if !ok {
		t.Fatalf("it failed with %v", err)
	}
	if unmet.Precondition != precondition {
		t.Errorf("the precondition is %q, want %q", unmet.Precondition, precondition)
	}
	if !strings.Contains(unmet.Missing, says) {
		t.Errorf("it says %q, want %q in it", unmet.Missing, says)
	}
	if unmet.Remedy == "" || !strings.Contains(unmet.Remedy, remedy) {
		t.Errorf("the remedy is %q, want %q in it", unmet.Remedy, remedy)
	}
	return unmet
}
