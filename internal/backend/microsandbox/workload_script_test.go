//go:build unix

package microsandbox_test

import (
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

//go:embed workload.sh
var workloadScript string

// TestWorkloadScript runs the script on this host, with another directory in
// place of the one that the guest shares with it.
func TestWorkloadScript(t *testing.T) {
	t.Parallel()
	const marker = "rightsize: run r1\n"
	// dmesg is one that tells what the kernel did to process $PID.
	const dmesg = `#!/bin/sh
sed "s/@PID@/$(cat "$SHARE/r1.pid")/" "$SHARE/../kernel.log"
`
	tests := map[string]struct {
		argv   []string
		kernel string
		code   int
		stdout string
		stderr string
		left   []string
	}{
		"it ends":                {[]string{"sh", "-c", `echo "$0|$1"; exit 3`, "a b", `c"d`}, "", 3, "a b|c\"d\n", marker, []string{"r1.exit", "r1.pid"}},
		"it ends well":           {[]string{"true"}, "", 0, "", marker, []string{"r1.exit", "r1.pid"}},
		"a signal ends it":       {[]string{"sh", "-c", "kill -INT $$"}, "", 130, "", marker, []string{"r1.exit", "r1.pid"}},
		"it is killed":           {[]string{"sh", "-c", "kill -KILL $$"}, "", 137, "", marker + "Killed", []string{"r1.exit", "r1.pid"}},
		"the kernel killed it":   {[]string{"sh", "-c", "kill -KILL $$"}, "[ 1.0] Out of memory: Killed process @PID@ (sh) total-vm:1kB\n", 137, "", marker + "Killed", []string{"r1.exit", "r1.oom", "r1.pid"}},
		"the kernel killed more": {[]string{"sh", "-c", "kill -KILL $$"}, "[ 1.0] Out of memory: Killed process 1@PID@ (sh) total-vm:1kB\n", 137, "", marker + "Killed", []string{"r1.exit", "r1.pid"}},
		"another one was killed": {[]string{"sh", "-c", "exit 1"}, "[ 1.0] Out of memory: Killed process @PID@ (sh) total-vm:1kB\n", 1, "", marker, []string{"r1.exit", "r1.pid"}},
		"there is no command":    {[]string{"no-such-command"}, "", 127, "", "", []string{"r1.exit", "r1.missing"}},
		"there is no file":       {[]string{"/no/such"}, "", 127, "", "", []string{"r1.exit", "r1.missing"}},
		"the file is no program": {[]string{"/etc/passwd"}, "", 127, "", "", []string{"r1.exit", "r1.missing"}},
		"it is a directory":      {[]string{"/etc"}, "", 127, "", "", []string{"r1.exit", "r1.missing"}},
		"its name is empty":      {[]string{""}, "", 127, "", "", []string{"r1.exit", "r1.missing"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			share := filepath.Join(dir, "share")
			write(t, filepath.Join(share, "of-another-run"), "")
			write(t, filepath.Join(dir, "kernel.log"), test.kernel)
			write(t, filepath.Join(dir, "bin", "dmesg"), dmesg)
			if err := os.Chmod(filepath.Join(dir, "bin", "dmesg"), 0o700); err != nil {
				t.Fatal(err)
			}
			script := filepath.Join(dir, "workload.sh")
			write(t, script, strings.ReplaceAll(workloadScript, "/.rightsize", share))
			cmd := exec.CommandContext(t.Context(), "/bin/sh", append([]string{script, "r1"}, test.argv...)...)
			cmd.Env = []string{"PATH=" + filepath.Join(dir, "bin") + ":" + os.Getenv("PATH"), "SHARE=" + share}
			var stdout, stderr strings.Builder
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			_ = cmd.Run()
			if got := cmd.ProcessState.ExitCode(); got != test.code {
				t.Errorf("the exit code is %d, want %d", got, test.code)
			}
			if stdout.String() != test.stdout || !strings.HasPrefix(stderr.String(), test.stderr) || test.stderr == "" && stderr.Len() > 0 {
				t.Errorf("it wrote %q and %q, want %q and %q", stdout.String(), stderr.String(), test.stdout, test.stderr)
			}
			entries, err := os.ReadDir(share)
			if err != nil {
				t.Fatal(err)
			}
			var left []string
			for _, entry := range entries {
				if entry.Name() != "of-another-run" {
					left = append(left, entry.Name())
				}
			}
			if diff := cmp.Diff(test.left, left); diff != "" {
				t.Errorf("it left (-want +got):\n%s", diff)
			}
			if exit, err := os.ReadFile(filepath.Join(share, "r1.exit")); err != nil || string(exit) != strconv.Itoa(test.code)+"\n" {
				t.Errorf("the exit code it left is %q, %v", exit, err)
			}
		})
	}
}
