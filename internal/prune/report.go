package prune

import (
	"fmt"
	"io"
	"time"

	"github.com/rightsize/terraform-provider-rightsize/internal/fixture"
)

// report writes what became of each object, and counts.
type report struct {
	out    io.Writer
	dryRun bool
	age    func(time.Time) time.Duration

	removed, left, failed int
	bytes                 int64
}

func (r *report) add(p fixture.Pruned) {
	what, why := "removed", ""
	switch {
	case p.Err != nil:
		r.failed++
		what, why = "FAILED", ": "+p.Err.Error()
	case p.Left != "":
		r.left++
		what, why = "left", ": "+p.Left
	default:
		r.removed++
		r.bytes += p.SizeBytes
		if r.dryRun {
			what = "would remove"
		}
	}
	size := ""
	if p.SizeBytes > 0 {
		size = ", " + formatBytes(p.SizeBytes)
	}
	fmt.Fprintf(r.out, "%s %s %s (expired %s ago%s)%s\n", what, p.Kind, p.Name, formatAge(r.age(p.ExpiresAt)), size, why)
}

func (r *report) any() bool { return r.removed+r.left+r.failed > 0 }

func (r *report) end() {
	switch {
	case !r.any():
		fmt.Fprintln(r.out, "Nothing has expired.")
		return
	case r.dryRun:
		fmt.Fprintf(r.out, "%d would be removed", r.removed)
	default:
		fmt.Fprintf(r.out, "%d removed", r.removed)
	}
	if r.bytes > 0 {
		fmt.Fprintf(r.out, " (%s)", formatBytes(r.bytes))
	}
	if r.left > 0 {
		fmt.Fprintf(r.out, ", %d left", r.left)
	}
	if r.failed > 0 {
		fmt.Fprintf(r.out, ", %d failed", r.failed)
	}
	fmt.Fprintln(r.out, ".")
}

// formatBytes writes a size as the docker command does, in powers of ten.
func formatBytes(n int64) string {
	value := float64(n)
	for _, unit := range []string{"B", "kB", "MB", "GB"} {
		if value < 1000 {
			return fmt.Sprintf("%.3g %s", value, unit)
		}
		value /= 1000
	}
	return fmt.Sprintf("%.4g TB", value)
}

// formatAge writes a duration to the unit that matters.
func formatAge(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d >= 2*day:
		return fmt.Sprintf("%d days", d/day)
	case d >= 2*time.Hour:
		return fmt.Sprintf("%d hours", d/time.Hour)
	case d >= 2*time.Minute:
		return fmt.Sprintf("%d minutes", d/time.Minute)
	default:
		return fmt.Sprintf("%d seconds", max(0, d/time.Second))
	}
}
