package docker

import (
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestConnectOverSSH puts a program of its own in the place of ssh, which joins
// its standard input and output to the fake engine as "docker system dial-stdio"
// does on the far side. It changes the process's PATH and so is not parallel.
func TestConnectOverSSH(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in for ssh is a shell script")
	}
	b := fakeEngine(t, nil)
	engine := strings.TrimPrefix(b.cfg.Host, "tcp://")

	dir := t.TempDir()
	arguments := filepath.Join(dir, "arguments")
	script := "#!/bin/sh\necho \"$@\" > '" + arguments + "'\nexec '" + os.Args[0] + "' -test.run '^TestSSHStandIn$'\n"
	writeFile(t, filepath.Join(dir, "ssh"), script)
	if err := os.Chmod(filepath.Join(dir, "ssh"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv(standInEnv, engine)

	b.cfg.Host = "ssh://me@build.example:2222"
	api, err := b.api(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = api.Close() })
	host, err := b.host(t.Context())
	if err != nil || host != "build.example" {
		t.Errorf("host %q, %v, want build.example", host, err)
	}
	bind, err := b.bindAddress(t.Context())
	if err != nil || bind != "" {
		t.Errorf("publishes on %q, %v, want every address", bind, err)
	}
	got, err := os.ReadFile(arguments)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"me", "2222", "build.example", "dial-stdio"} {
		if !strings.Contains(string(got), want) {
			t.Errorf("ssh was called with %q, which lacks %q", got, want)
		}
	}
}

const standInEnv = "RIGHTSIZE_TEST_SSH_STAND_IN"

// TestSSHStandIn is the program that TestConnectOverSSH runs; it tests nothing.
func TestSSHStandIn(t *testing.T) {
	engine := os.Getenv(standInEnv)
	if engine == "" {
		t.Skip("not called in the place of ssh")
	}
	conn, err := net.Dial("tcp", engine)
	if err != nil {
		os.Exit(1)
	}
	go func() {
		_, _ = io.Copy(conn, os.Stdin)
		_ = conn.Close()
	}()
	_, _ = io.Copy(os.Stdout, conn)
	os.Exit(0)
}
