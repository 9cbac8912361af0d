package microsandbox

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/filetar"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/msb"
)

// maxAccountsSize bounds what is read of a file that the container's image
// controls.
const maxAccountsSize = 4 << 20

// furnish puts the files in place and makes the working directory, which Docker
// makes too. The guest unpacks the archive: msb's own copy knows no owners.
func (b *Backend) furnish(ctx context.Context, rec *record, files []backend.File) error {
	guest := guest{ctx, b, rec.Name}
	if dir := rec.Workload.WorkingDir; dir != "" {
		if err := guest.succeed("make the working directory "+dir, backend.FieldWorkingDir, nil, "mkdir", "-p", "--", dir); err != nil {
			return err
		}
	}
	if len(files) == 0 {
		return nil
	}
	plan, err := filetar.NewPlan(guest, files)
	if err != nil {
		return err
	}
	return filetar.Pipe(plan.Write, func(archive io.Reader) error {
		return guest.succeed("copy files", backend.FieldFiles, archive, "tar", "-x", "-f", "-", "-C", "/")
	})
}

// guest answers questions about the files of a container whose VM is up, for the
// length of one operation.
type guest struct {
	ctx  context.Context
	b    *Backend
	name string
}

var _ filetar.Filesystem = guest{}

// run runs a command as root.
func (g guest) run(stdin io.Reader, argv ...string) (code int, stdout, stderr string, err error) {
	client, err := g.b.msb(g.ctx)
	if err != nil {
		return 0, "", "", err
	}
	var out, diagnostics bounded
	code, err = client.Exec(g.ctx, g.name, msb.Exec{
		Command: argv, User: rootUser, WorkingDir: "/", Stdin: stdin, Stdout: &out, Stderr: &diagnostics,
	})
	return code, out.String(), diagnostics.String(), err
}

// succeed runs a command that has to.
func (g guest) succeed(what string, field backend.Field, stdin io.Reader, argv ...string) error {
	tried := what + " in container " + g.name
	code, _, stderr, err := g.run(stdin, argv...)
	if err != nil {
		return g.b.fail(tried, err)
	}
	if code != 0 {
		return &backend.Error{
			Tried:  tried,
			Cause:  fmt.Errorf("%s ended with exit code %d in the guest: %s", argv[0], code, summarised(stderr)),
			Remedy: "The image needs a shell and tar for this.",
			Field:  field,
		}
	}
	return nil
}

// ReadFile returns the content of a small file.
func (g guest) ReadFile(name string) ([]byte, error) {
	tried := "read " + name + " of container " + g.name
	code, content, _, err := g.run(nil, "cat", "--", name)
	if err != nil {
		return nil, g.b.fail(tried, err)
	}
	if code != 0 {
		return nil, fs.ErrNotExist
	}
	return []byte(content), nil
}

// statScript prints the type of a file, without following it.
const statScript = `if [ -L "$0" ]; then echo link; elif [ -d "$0" ]; then echo directory; elif [ -e "$0" ]; then echo file; fi`

// Stat returns the type of a file.
func (g guest) Stat(name string) (mode fs.FileMode, found bool, err error) {
	tried := "look for " + name + " in container " + g.name
	code, kind, stderr, err := g.run(nil, guestShell, "-c", statScript, name)
	if err != nil {
		return 0, false, g.b.fail(tried, err)
	}
	if code != 0 {
		return 0, false, &backend.Error{Tried: tried, Cause: fmt.Errorf("the guest's shell ended with exit code %d: %s", code, summarised(stderr))}
	}
	switch strings.TrimSpace(kind) {
	case "link":
		return fs.ModeSymlink, true, nil
	case "directory":
		return fs.ModeDir, true, nil
	case "file":
		return 0, true, nil
	default:
		return 0, false, nil
	}
}

// bounded keeps the beginning of what is written to it.
type bounded struct{ text strings.Builder }

func (w *bounded) Write(p []byte) (int, error) {
	w.text.Write(p[:min(len(p), max(0, maxAccountsSize-w.text.Len()))])
	return len(p), nil
}

func (w *bounded) String() string { return w.text.String() }
