package prune

import (
	"testing"
	"time"
)

func TestFormatBytes(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{
		1: "1 B", 999: "999 B", 1000: "1 kB", 1_234_567: "1.23 MB", 183_000_000: "183 MB", 4_500_000_000: "4.5 GB", 1_234_000_000_000_000: "1234 TB",
	} {
		if got := formatBytes(n); got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
		}
	}
}

func TestFormatAge(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		-time.Second: "0 seconds", 119 * time.Second: "119 seconds", 2 * time.Minute: "2 minutes",
		90 * time.Minute: "90 minutes", 47 * time.Hour: "47 hours", 100 * time.Hour: "4 days",
	} {
		if got := formatAge(d); got != want {
			t.Errorf("%s is %q, want %q", d, got, want)
		}
	}
}
