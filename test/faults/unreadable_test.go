//go:build unix

package faults

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestUnreadableEntries runs Terraform as a user who may not read an entry, or
// the directory that holds it.
func TestUnreadableEntries(t *testing.T) {
	requireEngine(t)
	for name, spoil := range map[string]string{"entry": "checkpoints/it.json", "directory": "checkpoints"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(workDir, uniqueName())
			s := &stack{t: t, kind: onDocker{}, engine: defaultEngine(), host: defaultEngine().host, cli: cliConfig, dir: dir, cacheDir: filepath.Join(dir, "cache")}
			if err := os.MkdirAll(filepath.Dir(s.entryPath("it")), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(s.entryPath("it"), []byte(entryText("NAME", "it")), 0o644); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(s.cacheDir, spoil)
			if err := os.Chmod(path, 0); err != nil {
				t.Fatal(err)
			}
			for what, config := range map[string]string{
				"finding it":           "data \"rightsize_checkpoint\" \"it\" {\n  name = \"it\"\n}\n",
				"finding it, if it is": "data \"rightsize_checkpoint\" \"it\" {\n  name = \"it\"\n  required = false\n}\n",
				"listing":              "data \"rightsize_checkpoints\" \"all\" {}\n",
			} {
				badInputs.Add(1)
				s.write(config)
				r := s.tryAsNobody("apply", "-auto-approve", "-no-color", "-input=false")
				text := strings.Join(strings.Fields(r.output), " ")
				if r.code != 1 || !strings.Contains(text, "ermission denied") || !strings.Contains(text, s.cacheDir+"/checkpoints") {
					t.Errorf("%s ended with %d:\n%s", what, r.code, r.output)
				}
			}
			if info, err := os.Lstat(path); err != nil || info.Mode().Perm() != 0 {
				t.Errorf("%s was touched: %v, %v", path, info, err)
			}
			if err := os.Chmod(path, 0o755); err != nil {
				t.Fatal(err)
			}
			if data, err := os.ReadFile(s.entryPath("it")); err != nil || string(data) != entryText("NAME", "it") {
				t.Errorf("the entry is %q, %v", data, err)
			}
		})
	}
}

// tryAsNobody runs Terraform as a user without rights, whom nothing is hidden
// from but what the test hides.
func (s *stack) tryAsNobody(args ...string) result {
	s.t.Helper()
	const nobody = 65534
	ctx, cancel := context.WithTimeout(context.Background(), s.kind.limit())
	defer cancel()
	cmd := s.command(ctx, args...)
	if os.Geteuid() == 0 {
		for _, path := range []string{s.dir, filepath.Join(s.dir, "main.tf")} {
			if err := os.Chown(path, nobody, nobody); err != nil {
				s.t.Fatal(err)
			}
		}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	cmd.Env = append(cmd.Env, "HOME="+s.dir)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		s.t.Fatal(err)
	}
	return result{output: string(out), code: cmd.ProcessState.ExitCode()}
}
