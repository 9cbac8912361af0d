package microsandbox

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/msb"
)

// A copy of an artifact with memory begins with the workload in the middle of its
// run. msb knows of no command there, and neither keeps what it prints nor tells
// how it ends: a command beside it watches it, and its end is found where that of
// every other run is.

// resumedScript watches a workload that goes on.
//
//go:embed resumed.sh
var resumedScript string

// capturedRun is a run of a workload in memory that was captured.
type capturedRun struct {
	ID  string `json:"id"`
	PID int    `json:"pid"`
}

// running returns the run that a capture of the memory holds, or why there is
// none to go on with.
func (c *capture) running() (*capturedRun, error) {
	tried := "capture the memory of container " + c.name
	refuse := func(kind error, cause, remedy string) error {
		return &backend.Error{Kind: kind, Tried: tried, Cause: errors.New(cause), Remedy: remedy}
	}
	switch {
	case !c.client.Features().Memory:
		return nil, refuse(backend.ErrUnsupported, "msb "+c.client.Features().Line+" captures disks alone",
			"Use msb 0.7, with a home of its own, or unset memory.")
	case c.record == nil:
		return nil, refuse(backend.ErrUnsupported, "it was not made by this provider, and msb does not tell which process is to go on", "Unset memory.")
	case c.details.Status != msb.Running || !c.record.alive():
		return nil, refuse(nil, "it is not running: there is nothing in its memory to go on with", "Start it first, or unset memory.")
	}
	pid, err := c.record.pid()
	if err != nil {
		return nil, c.b.fail(tried, fmt.Errorf("its process id is not known: %w", err))
	}
	return &capturedRun{ID: c.record.Run.ID, PID: pid}, nil
}

// checkMemory refuses a copy that cannot go on with the memory of an artifact,
// before anything is made.
func checkMemory(spec backend.Spec, memory msb.Memory) error {
	tried := "create container " + spec.Name
	refuse := func(field backend.Field, remedy, format string, args ...any) error {
		return &backend.Error{
			Kind: backend.ErrUnsupported, Tried: tried, Cause: fmt.Errorf(format, args...), Remedy: remedy, Field: field,
		}
	}
	const same = "Unset it, or give it what was captured."
	switch {
	case spec.Limits.MemoryMB > 0 && spec.Limits.MemoryMB != memory.MB:
		return refuse(backend.FieldLimits, same, "its memory was captured with %d MiB, not %d", memory.MB, spec.Limits.MemoryMB)
	case spec.Limits.CPUs > 0 && wholeCPUs(spec.Limits.CPUs) != memory.CPUs:
		return refuse(backend.FieldLimits, same, "its memory was captured with %d processors, not %d", memory.CPUs, wholeCPUs(spec.Limits.CPUs))
	case len(spec.Files) > 0:
		return refuse(backend.FieldFiles, "Copy them into the container that is captured, or when the copy runs.",
			"its process goes on from the middle of its run, and no file can be in place before it")
	}
	return nil
}

// checkLine refuses an artifact that this line of msb cannot restore: one of a
// newer line, and any other line's if it holds memory.
func (b *Backend) checkLine(ctx context.Context, name string, s snapshot) error {
	client, err := b.msb(ctx)
	if err != nil {
		return err
	}
	line := client.Features().Line
	if s.manifest.Line == line || s.manifest.Memory == nil && s.manifest.Line < line {
		return nil
	}
	return &backend.Error{
		Kind: backend.ErrUnsupported, Tried: "create container " + name,
		Cause:  fmt.Errorf("%s was captured by msb %s, and this one is %s", s.path, s.manifest.Line, line),
		Remedy: "Use an msb " + s.manifest.Line + " for it, with a home of its own.",
	}
}

// unknownProcess is the error for an artifact of somebody else's.
func unknownProcess(name, path string) error {
	return &backend.Error{
		Kind: backend.ErrUnsupported, Tried: "create container " + name,
		Cause:  fmt.Errorf("%s holds memory, but not which process is to go on: it was not captured by this provider", path),
		Remedy: "Capture it with this provider.",
	}
}

// handOn tells a copy which process goes on in it.
func (rec *record) handOn(run capturedRun) error {
	return os.WriteFile(rec.share(run.ID, ".pid"), []byte(strconv.Itoa(run.PID)+"\n"), 0o600)
}

// beginResumed begins to watch the workload of a copy that goes on with the
// memory that it was restored with.
func (b *Backend) beginResumed(ctx context.Context, rec *record, status msb.Status) error {
	tried := "start container " + rec.Name
	if status != msb.Running {
		return &backend.Error{
			Tried: tried, Cause: errors.New("its VM has ended, and the memory that it was restored with is gone"),
			Remedy: "Remove the container, and make it again.",
		}
	}
	resumed := *rec.Resumes
	return b.detach(ctx, rec, resumed.ID, msb.Exec{
		Command: []string{guestShell, "-c", resumedScript, scriptName, resumed.ID, strconv.Itoa(resumed.PID)}, User: rootUser,
	})
}
