package faults

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// planted are secrets, by where a user puts them.
var planted = map[string]string{
	"env":      "kuckuck4env8f31",
	"file":     "kuckuck4file2c90",
	"base64":   "kuckuck4base64d77",
	"stdin":    "kuckuck4stdin6b12",
	"exec env": "kuckuck4execenv9a55",
}

// secretive is a checkpoint and a container that are given every secret, and a
// command that is given its own, as variables that Terraform does not print. tell
// is what the step of both does, and run what the command does.
func (s *stack) secretive(version int, tell, run string) string {
	return fmt.Sprintf(`
variable "env" { sensitive = true }
variable "file" { sensitive = true }
variable "base64" { sensitive = true }
variable "stdin" { sensitive = true }
variable "exec_env" { sensitive = true }

locals {
  files = [
    { path = "/etc/app/secret", content = "# a file\n${var.file}\n" },
    { path = "/etc/app/other", content_base64 = base64encode(var.base64) },
  ]
  exec = [{
    command = ["sh", "-c", %[4]q]
    stdin   = "create user orders;\n${var.stdin}\n"
    env     = { TOKEN = var.exec_env }
  }]
}

resource "rightsize_checkpoint" "it" {
  name     = %[1]q
  triggers = { version = "%[3]d" }
  seed = {
    image       = %[2]q
    pull_policy = "never"
    env         = { PASSWORD = var.env }
    files       = local.files
    exec        = local.exec
  }
}

resource "rightsize_container" "web" {
  name  = "%[1]s-web"
  image = %[2]q
  env   = { PASSWORD = var.env, VERSION = "%[3]d" }
  files = local.files
  exec  = local.exec
  on_failure = "remove"
}

resource "rightsize_exec" "command" {
  container_id = rightsize_container.web.container_id
  command      = ["sh", "-c", %[5]q]
  stdin        = "create user orders;\n${var.stdin}\n"
  env          = { TOKEN = var.exec_env }
  on_destroy   = { command = ["env"], env = { TOKEN = var.exec_env } }
}
`, s.name, s.image, version, tell, run)
}

// What a step and a command do that do their work. The command prints what is in
// state anyway.
const (
	seedQuietly = "cat > /srv/data"
	runQuietly  = "cat > /dev/null; env"
)

// tellAll makes a step print everything that it knows and fail.
const tellAll = "echo it tells; env; cat; cat /etc/app/*; exit 1"

// TestSecretsStaySecret looks for planted secrets in everything that runs leave
// behind: output, the provider's log at its most verbose, state, the cache
// directory, temporary files and labels.
func TestSecretsStaySecret(t *testing.T) {
	requireEngine(t)
	t.Parallel()
	s := newStack(t, defaultEngine())
	temporary, logFile := t.TempDir(), filepath.Join(t.TempDir(), "terraform.log")
	s.env = []string{
		"TF_LOG=TRACE", "TF_LOG_PATH=" + logFile, "TMPDIR=" + temporary,
		"TF_VAR_env=" + planted["env"], "TF_VAR_file=" + planted["file"], "TF_VAR_base64=" + planted["base64"],
		"TF_VAR_stdin=" + planted["stdin"], "TF_VAR_exec_env=" + planted["exec env"],
	}
	ctx, stop := context.WithCancel(t.Context())
	var watchers sync.WaitGroup
	watchers.Go(func() { watchFiles(ctx, t, s.cacheDir, []string{planted["env"]}) })
	watchers.Go(func() { watchFiles(ctx, t, temporary, nil) })

	s.write(s.secretive(1, seedQuietly, runQuietly))
	good := s.apply()
	if good.code != 0 {
		t.Fatalf("apply failed:\n%s", good.output)
	}
	s.wantNoSecret("the output of an apply", good.output, nil)
	labels := s.engine.docker(t, "inspect", "--format", "{{json .Config.Labels}}", s.name+"-web", s.registered(t))
	s.wantNoSecret("the labels of container and image", labels, nil)

	for version, scripts := range map[int][2]string{
		2: {tellAll, runQuietly},
		// The process goes, and takes the step with it: its log is shown as well.
		3: {"{ " + strings.TrimSuffix(tellAll, "; exit 1") + "; } > /proc/1/fd/1; kill -TERM 1; sleep 5; exit 1", runQuietly},
		// Files are none of what a command was given.
		4: {seedQuietly, strings.Replace(tellAll, "cat /etc/app/*; ", "", 1)},
	} {
		s.write(s.secretive(version, scripts[0], scripts[1]))
		bad := s.apply()
		if bad.code == 0 || !strings.Contains(bad.output, "it tells") {
			t.Errorf("the apply ended with %d, and its diagnostics do not quote the step:\n%s", bad.code, bad.output)
		}
		s.wantNoSecret("the diagnostics of an apply", bad.output, nil)
	}
	// What there is of files and stdin in state is a digest.
	for _, file := range []string{s.statePath(), s.statePath() + ".backup"} {
		state, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s.wantNoSecret(filepath.Base(file), string(state), []string{planted["env"], planted["exec env"]})
	}
	s.mustDestroy()
	stop()
	watchers.Wait()

	own := providerLog(t, logFile)
	if !strings.Contains(own, "running exec step") || !strings.Contains(own, "running command") {
		t.Errorf("the provider logged no step or no command:\n%.2000s", own)
	}
	s.wantNoSecret("the provider's log", own, nil)
	s.nothingLeft()
}

// wantNoSecret checks that a text holds no secret but those that may be there.
func (s *stack) wantNoSecret(where, text string, allowed []string) {
	s.t.Helper()
	for name, secret := range planted {
		if !slices.Contains(allowed, secret) && strings.Contains(text, secret) {
			at := strings.Index(text, secret)
			s.t.Errorf("%s shows the secret of %s: …%s…", where, name, text[max(0, at-200):min(len(text), at+len(secret)+50)])
		}
	}
}

// providerLog returns the lines that come from the provider's process: Terraform
// logs those under the name of its program. What Terraform itself logs of
// configuration and plan is not the provider's to decide.
func providerLog(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var own strings.Builder
	ours := false
	for line := range strings.Lines(string(data)) {
		// A line that does not begin with a time continues the one before.
		if len(line) > 4 && strings.HasPrefix(line, "20") && line[4] == '-' {
			ours = strings.Contains(line, "] provider.terraform-provider-rightsize")
		}
		if ours {
			own.WriteString(line)
		}
	}
	return own.String()
}

// watchFiles looks at every file below a directory while it is there. Nobody but
// the owner may read it, and it holds no secret but those that may be there.
func watchFiles(ctx context.Context, t *testing.T, dir string, allowed []string) {
	reported := map[string]bool{}
	report := func(format string, args ...any) {
		if text := fmt.Sprintf(format, args...); !reported[text] {
			reported[text] = true
			t.Error(text)
		}
	}
	for ctx.Err() == nil {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err != nil || path == dir && allowed == nil {
				return nil //nolint:nilerr // it is gone, or is the test's own
			}
			if info.Mode().Perm()&0o077 != 0 && (info.IsDir() || info.Mode().IsRegular()) {
				report("%s has the mode %v", path, info.Mode())
			}
			if !info.Mode().IsRegular() {
				return nil
			}
			data, err := os.ReadFile(path)
			for name, secret := range planted {
				if err == nil && strings.Contains(string(data), secret) && !slices.Contains(allowed, secret) {
					report("%s holds the secret of %s", path, name)
				}
			}
			return nil
		})
		if err != nil {
			report("%v", err)
		}
		time.Sleep(time.Millisecond)
	}
}
