package microsandbox

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/msb"
)

// workloadScript runs the workload in the guest. It is handed over with each
// command: a snapshot that 0.7 restores is given no files.
//
//go:embed workload.sh
var workloadScript string

const (
	// guestShare is where the guest sees the container's shareDir. It is not part
	// of a snapshot.
	guestShare = "/.rightsize"
	guestShell = "/bin/sh"
	// scriptName is what the script is called in the guest's list of processes.
	scriptName = "rightsize-workload"
	// runMarker begins the line that the script prints before the workload.
	runMarker = "rightsize: run "
	rootUser  = "root"
)

// The pauses between two looks at a file or a lock of this host: msb tells
// neither when a command has begun nor when it has ended.
const (
	firstPause = 5 * time.Millisecond
	lastPause  = 100 * time.Millisecond
	// killPatience is how long a workload that was killed may take to be gone.
	killPatience = 20 * time.Second
)

// errStopped is the end of a wait that outlasted its grace.
var errStopped = errors.New("it did not end in time")

// begin runs the workload of a container whose VM is up, and returns when its
// process is there.
func (b *Backend) begin(ctx context.Context, rec *record) error {
	argv, id := rec.Workload.argv(), randomID()[:12]
	err := b.detach(ctx, rec, id, rec.Workload.defaults(msb.Exec{
		Command: append([]string{guestShell, "-c", workloadScript, scriptName, id}, argv...),
	}))
	if err != nil {
		return err
	}
	return b.awaitBegin(ctx, rec, argv[0])
}

// detach runs a command that ends with the workload, in this run of it.
func (b *Backend) detach(ctx context.Context, rec *record, id string, cmd msb.Exec) error {
	tried := "start container " + rec.Name
	client, err := b.msb(ctx)
	if err != nil {
		return err
	}
	alive, err := b.holdAlive(ctx, rec)
	if err != nil {
		return b.fail(tried, err)
	}
	// From the start of the command on, the lock is the command's.
	defer alive.Close()
	rec.Run, rec.Resumes = &run{ID: id, StartedAt: time.Now().UTC()}, nil
	if err := rec.save(); err != nil {
		return b.fail(tried, err)
	}
	return b.fail(tried, client.Detach(rec.Name, cmd, alive))
}

// holdAlive takes the container's lock. The msb that ran the previous workload
// has let go of it with the end of its VM.
func (b *Backend) holdAlive(ctx context.Context, rec *record) (*os.File, error) {
	bounded, cancel := context.WithTimeout(ctx, killPatience)
	defer cancel()
	alive, err := rec.hold(bounded)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return nil, fmt.Errorf("its previous process has ended, but not the msb that ran it, which holds %s locked", filepath.Join(rec.dir, aliveFile))
	}
	return alive, err
}

// awaitBegin waits until the workload's process is there, or until it never
// will be.
func (b *Backend) awaitBegin(ctx context.Context, rec *record, program string) error {
	tried := "start container " + rec.Name
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		// In this order: what the script leaves, it leaves before it ends.
		running := rec.alive()
		if _, err := rec.pid(); err == nil {
			return nil
		}
		if rec.left(".missing") {
			// Nor does it look as if it ran.
			if err := rec.awaitEnd(ctx, killPatience); err != nil {
				return b.fail(tried, err)
			}
			return &backend.Error{
				Tried:  tried,
				Cause:  fmt.Errorf("its command %q was not found in its filesystem, or cannot be executed", program),
				Remedy: "Use a command that the image has.",
				Field:  backend.FieldCommand,
			}
		}
		if !running {
			if _, err := rec.exitCode(); err == nil {
				return nil
			}
			return b.explainNoBegin(ctx, rec)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return b.fail(tried, ctx.Err())
		}
	}
}

// explainNoBegin finds out why the script did not even run: msb said so to
// nobody.
func (b *Backend) explainNoBegin(ctx context.Context, rec *record) error {
	tried := "start container " + rec.Name
	client, err := b.msb(ctx)
	if err != nil {
		return err
	}
	var output bounded
	code, err := client.Exec(ctx, rec.Name, msb.Exec{
		Command: []string{guestShell, "-c", ":"}, User: rec.Workload.User, WorkingDir: rec.Workload.WorkingDir, Stderr: &output,
	})
	if err != nil {
		return b.fail(tried, err)
	}
	if code != 0 {
		return &backend.Error{
			Tried:  tried,
			Cause:  fmt.Errorf("%s cannot be run in it as user %q: %s", guestShell, rec.Workload.User, summarised(output.String())),
			Remedy: "On microsandbox an image needs a shell, /etc/passwd and the user that it runs as.",
			Field:  backend.FieldImage,
		}
	}
	return &backend.Error{Tried: tried, Cause: errors.New("its process ended before it had begun")}
}

// pid returns the process id of the workload in the guest.
func (rec *record) pid() (int, error) { return rec.number(".pid") }

// exitCode returns how the latest run has ended; fs.ErrNotExist if it was not
// the workload that ended it.
func (rec *record) exitCode() (int, error) { return rec.number(".exit") }

// oomKilled says whether the guest's kernel ended the latest run for want of
// memory.
func (rec *record) oomKilled() bool { return rec.left(".oom") }

// left says whether the script has left this file in the latest run.
func (rec *record) left(suffix string) bool {
	if rec.Run == nil {
		return false
	}
	_, err := os.Lstat(rec.share(rec.Run.ID, suffix))
	return err == nil
}

func (rec *record) number(suffix string) (int, error) {
	if rec.Run == nil {
		return 0, fs.ErrNotExist
	}
	content, err := readBounded(rec.share(rec.Run.ID, suffix), 32)
	if err != nil {
		return 0, err
	}
	line, whole := strings.CutSuffix(string(content), "\n")
	if !whole {
		return 0, fs.ErrNotExist
	}
	return strconv.Atoi(line)
}

// halt ends the workload: it asks it to, and kills it when grace has passed. One
// that cannot be reached, or does not go even then, goes with its VM.
func (b *Backend) halt(ctx context.Context, rec *record, grace time.Duration) error {
	for _, step := range []struct {
		signal   string
		patience time.Duration
	}{{"TERM", grace}, {"KILL", killPatience}} {
		if step.patience <= 0 {
			continue
		}
		if !rec.alive() {
			return nil
		}
		err := b.signal(ctx, rec, step.signal)
		if err == nil {
			err = rec.awaitEnd(ctx, step.patience)
		}
		switch {
		case ctx.Err() != nil:
			return err
		case !errors.Is(err, errStopped):
			return nil
		}
	}
	return nil
}

// signal sends a signal to the workload.
func (b *Backend) signal(ctx context.Context, rec *record, name string) error {
	client, err := b.msb(ctx)
	if err != nil {
		return err
	}
	tried := "send SIG" + name + " to container " + rec.Name
	pid, err := rec.pid()
	if err != nil {
		return b.fail(tried, fmt.Errorf("its process id is not known: %w", err))
	}
	// One that has ended meanwhile is what was wanted.
	_, err = client.Exec(ctx, rec.Name, msb.Exec{
		Command: []string{guestShell, "-c", `kill -s "$0" "$1"`, name, strconv.Itoa(pid)}, User: rootUser,
	})
	if err != nil && rec.alive() {
		return b.fail(tried, err)
	}
	return nil
}

// awaitEnd waits until the workload has ended; at most limit, if that is not
// zero.
func (rec *record) awaitEnd(ctx context.Context, limit time.Duration) error {
	var over <-chan time.Time
	if limit > 0 {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		over = timer.C
	}
	for pause := firstPause; rec.alive(); pause = min(2*pause, lastPause) {
		select {
		case <-time.After(pause):
		case <-over:
			return errStopped
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
