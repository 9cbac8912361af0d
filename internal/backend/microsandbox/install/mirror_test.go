package install_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// mirror serves releases on loopback and counts what is asked for.
type mirror struct {
	URL string

	mu    sync.Mutex
	files map[string][]byte
	// serve replaces the answer for a file.
	serve map[string]http.HandlerFunc
	asked map[string]int
}

func newMirror(t *testing.T) *mirror {
	t.Helper()
	m := &mirror{files: map[string][]byte{}, serve: map[string]http.HandlerFunc{}, asked: map[string]int{}}
	server := httptest.NewServer(m)
	t.Cleanup(server.Close)
	m.URL = server.URL + "/mirror"
	return m
}

func (m *mirror) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/mirror/")
	m.mu.Lock()
	m.asked[name]++
	serve, file := m.serve[name], m.files[name]
	m.mu.Unlock()
	switch {
	case serve != nil:
		serve(w, r)
	case file != nil:
		_, _ = w.Write(file)
	default:
		http.NotFound(w, r)
	}
}

// publish serves an archive of a release with a file of checksums beside it.
func (m *mirror) publish(version string, archive []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.files[archiveName(version)] = archive
	m.files["v"+version+"/checksums.sha256"] = fmt.Appendf(nil, "%064d  agentd-x86_64\n%s  %s\n", 0, digestOf(archive), filepath.Base(archiveName(version)))
}

func (m *mirror) downloads(version string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.asked[archiveName(version)]
}

func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// platform is what the vendor calls the platform of this test.
func platform() string {
	return runtime.GOOS + "-" + map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[runtime.GOARCH]
}

func archiveName(version string) string {
	return "v" + version + "/microsandbox-" + platform() + ".tar.gz"
}

// script is an msb of that version that finds the host ready.
func script(version string) string {
	return fmt.Sprintf("#!/bin/sh\ncase $1 in\n--version) echo msb %s ;;\ndoctor) echo done Host setup is ready. >&2 ;;\nesac\n", version)
}

const library = "libkrunfw.so.5.6.1"

// member is one member of an archive.
type member struct {
	header  tar.Header
	content string
}

func file(name, content string) member {
	return member{tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o755, Size: int64(len(content))}, content}
}

// released is an archive as the vendor makes it.
func released(t *testing.T, version string) []byte {
	t.Helper()
	return archive(t, file("msb", script(version)), file(library, "kernel"))
}

// sparse is a member that has no bytes in the archive and size bytes on a disk.
func sparse(name string, size int64) member {
	hole := fmt.Sprintf("1\n%d\n0\n", size)
	return member{tar.Header{
		Typeflag: tar.TypeReg, Name: name, Size: 512, Format: tar.FormatPAX,
		PAXRecords: map[string]string{
			sparseKey + "major": "1", sparseKey + "minor": "0", sparseKey + "name": name, sparseKey + "realsize": strconv.FormatInt(size, 10),
		},
	}, hole + strings.Repeat("\x00", 512-len(hole))}
}

// sparseKey stands for the prefix of the records of a sparse member, which Go's
// writer refuses to write.
const sparseKey = "XXX.sparse."

func archive(t *testing.T, members ...member) []byte {
	t.Helper()
	return gzipped(t, tarred(t, members...))
}

func tarred(t *testing.T, members ...member) []byte {
	t.Helper()
	var buffer bytes.Buffer
	w := tar.NewWriter(&buffer)
	whole := true
	for _, m := range members {
		if err := w.WriteHeader(&m.header); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(m.content)); err != nil {
			t.Fatal(err)
		}
		whole = whole && m.header.Size == int64(len(m.content))
	}
	if whole {
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return bytes.ReplaceAll(buffer.Bytes(), []byte(sparseKey), []byte("GNU.sparse."))
}

func gzipped(t *testing.T, data []byte) []byte {
	t.Helper()
	var buffer bytes.Buffer
	w := gzip.NewWriter(&buffer)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buffer.Bytes()
}

// tree lists the files below dir with their permissions, without locks.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		files[filepath.ToSlash(name)] = info.Mode().String()
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return files
}
