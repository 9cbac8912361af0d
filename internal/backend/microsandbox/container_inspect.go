package microsandbox

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/msb"
)

// killed is the exit code of a workload that was ended from outside, as of a
// process that got SIGKILL.
const killed = 137

// Inspect returns everything known about a container.
func (b *Backend) Inspect(ctx context.Context, id string) (backend.Container, error) {
	tried := "inspect container " + id
	name := id
	rec, err := b.records.find(id)
	switch {
	case err == nil:
		name = rec.Name
	case !errors.Is(err, fs.ErrNotExist) || !validName.MatchString(id):
		return backend.Container{}, b.absent(tried, id, err)
	}
	client, err := b.msb(ctx)
	if err != nil {
		return backend.Container{}, err
	}
	details, err := client.Inspect(ctx, name)
	switch {
	case err != nil:
		return backend.Container{}, b.fail(tried, err)
	case rec != nil && rec.describes(details):
		return rec.container(details), nil
	case name == id:
		return b.foreign(ctx, details), nil
	default:
		return backend.Container{}, replaced(tried, rec)
	}
}

// container describes a container of our making. Until it is first started, msb
// is not needed for that.
func (rec *record) container(details msb.Details) backend.Container {
	c := backend.Container{
		Summary:   rec.summary(details.Status),
		CreatedAt: rec.CreatedAt,
		ImageID:   rec.ImageID,
		Given:     rec.Given,
	}
	if rec.Run != nil {
		c.StartedAt = rec.Run.StartedAt
	}
	if c.State == backend.StateExited {
		c.Exit, c.EndedAt = rec.exit(), rec.endedAt(details.UpdatedAt)
	}
	return c
}

// summary is what the list tells of a container of our making.
func (rec *record) summary(status msb.Status) backend.Summary {
	return backend.Summary{
		ID:      rec.ID,
		Name:    rec.Name,
		State:   rec.state(status),
		Ports:   rec.Ports,
		Host:    loopback,
		Managed: true,
		Owner:   rec.Owner,
	}
}

// state is the state of the workload. That of its VM says little: it runs before
// the workload begins, and after it has ended.
func (rec *record) state(status msb.Status) backend.State {
	switch {
	case rec.Run == nil:
		return backend.StateCreated
	case status == msb.Running && rec.alive():
		return backend.StateRunning
	case status == msb.Paused:
		return backend.StatePaused
	default:
		return backend.StateExited
	}
}

// exit says how the latest run has ended. One that did not end by itself went
// with its VM.
func (rec *record) exit() backend.Exit {
	code, err := rec.exitCode()
	if err != nil {
		return backend.Exit{Code: killed}
	}
	return backend.Exit{Code: code, OOMKilled: rec.oomKilled()}
}

// endedAt says when the latest run has ended, if changed is the time of the VM's
// latest change of state.
func (rec *record) endedAt(changed time.Time) time.Time {
	info, err := os.Lstat(rec.share(rec.Run.ID, ".exit"))
	if err != nil {
		return later(changed, rec.Run.StartedAt)
	}
	return info.ModTime().UTC()
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a.UTC()
	}
	return b
}

// foreign describes a sandbox that something else has made.
func (b *Backend) foreign(ctx context.Context, details msb.Details) backend.Container {
	c := backend.Container{
		Summary: backend.Summary{
			ID:    details.Name,
			Name:  details.Name,
			State: foreignState(details.Status),
			Ports: details.Ports,
			Host:  loopback,
		},
		CreatedAt: details.CreatedAt,
		StartedAt: details.CreatedAt,
		ImageID:   details.ManifestDigest,
		Given: backend.Given{
			Image:      details.Image,
			Env:        details.Env,
			Command:    details.Command,
			Entrypoint: details.Entrypoint,
			WorkingDir: details.WorkingDir,
			User:       details.User,
			Labels:     details.Labels,
			Limits:     backend.Limits{MemoryMB: details.MemoryMB, CPUs: float64(details.CPUs)},

			NetworkDisabled: details.NoNetwork,
		},
	}
	switch {
	case details.RootDiskKind == tmpfsDisk:
		c.Given.TmpfsRootMB = details.RootDiskMB
	case details.RootDiskKind == managedDisk && details.RootDiskMB != defaultDiskMB:
		c.Given.DiskMB = details.RootDiskMB
	}
	if c.State == backend.StateExited {
		c.Exit.Code, c.EndedAt = killed, details.UpdatedAt
	}
	for _, p := range details.Ports {
		c.Given.ExposedPorts = append(c.Given.ExposedPorts, p.Port)
	}
	// Ours are there if the record was lost.
	maps.DeleteFunc(c.Given.Labels, func(key, _ string) bool { return strings.HasPrefix(key, ownLabels) })
	// msb does not tell what its image added. Without the image all counts as
	// given: that is what it runs with.
	if image, err := b.resolveImage(ctx, details.Image, backend.PullNever); err == nil {
		c.Given = without(c.Given, image)
	}
	return c
}

// without leaves out of what a sandbox has what it has of its image.
func without(given backend.Given, image msb.Image) backend.Given {
	of := func(values map[string]string) func(string, string) bool {
		return func(key, value string) bool { had, ok := values[key]; return ok && had == value }
	}
	given.Env, given.Labels = maps.Clone(given.Env), maps.Clone(given.Labels)
	maps.DeleteFunc(given.Env, of(image.Env))
	maps.DeleteFunc(given.Labels, of(image.Labels))
	if slices.Equal(given.Command, image.Command) {
		given.Command = nil
	}
	if slices.Equal(given.Entrypoint, image.Entrypoint) {
		given.Entrypoint = nil
	}
	if given.WorkingDir == image.WorkingDir {
		given.WorkingDir = ""
	}
	if given.User == image.User {
		given.User = ""
	}
	return given
}

// foreignState is the state of a sandbox whose VM is all that is known of it.
func foreignState(status msb.Status) backend.State {
	switch status {
	case msb.Running:
		return backend.StateRunning
	case msb.Paused:
		return backend.StatePaused
	case msb.Stopped, msb.Crashed:
		return backend.StateExited
	case msb.Created:
		return backend.StateCreated
	default:
		return backend.StateUnknown
	}
}

// List returns a summary of every sandbox. A record whose sandbox was removed
// behind our back counts for nothing.
func (b *Backend) List(ctx context.Context) ([]backend.Summary, error) {
	client, err := b.msb(ctx)
	if err != nil {
		return nil, err
	}
	sandboxes, err := client.List(ctx)
	if err != nil {
		return nil, b.fail("list containers", err)
	}
	all, _, err := b.records.all()
	if err != nil {
		return nil, b.fail("read the records of containers", err)
	}
	summaries := make([]backend.Summary, 0, len(sandboxes))
	for _, s := range sandboxes {
		if rec, ours := all[s.Name]; ours {
			summaries = append(summaries, rec.summary(s.Status))
			continue
		}
		summaries = append(summaries, backend.Summary{
			ID: s.Name, Name: s.Name, State: foreignState(s.Status), Ports: s.Ports, Host: loopback,
		})
	}
	slices.SortFunc(summaries, func(a, b backend.Summary) int { return cmp.Compare(a.Name, b.Name) })
	return summaries, nil
}
