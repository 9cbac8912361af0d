package docker

import (
	"errors"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/container"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// An engine that takes a bound of the disk must keep it, and one that does not
// must say so. Docker Engine 20.10.24 with overlay2 on ext4 refuses it in words
// that are in the table; 26.1.5 with the containerd store would take it and keep
// none.
func TestDiskIsBoundedOrRefused(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, b *Backend) {
		spec := sleeper()
		spec.DiskMB = 100
		removeLater(t, b, spec.Name)
		c, err := b.Create(t.Context(), spec)
		if err != nil {
			wantError(t, err, backend.ErrUnsupported, backend.FieldDiskLimit)
			if failure, ok := errors.AsType[*backend.Error](err); !ok || !strings.Contains(failure.Remedy, "pquota") {
				t.Errorf("the error does not say where it works: %v", err)
			}
			if _, err := b.Inspect(t.Context(), spec.Name); !errors.Is(err, backend.ErrNotFound) {
				t.Errorf("the container was made all the same: %v", err)
			}
			return
		}
		if err := b.Start(t.Context(), c.ID, spec); err != nil {
			t.Fatal(err)
		}
		code, err := b.Exec(t.Context(), c.ID, backend.Exec{Command: []string{"dd", "if=/dev/zero", "of=/big", "bs=1M", "count=150"}})
		if err != nil {
			t.Fatal(err)
		}
		if code == 0 {
			t.Error("150 MiB were written to a disk of 100 MiB")
		}
	})
}

func TestNoNetwork(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, b *Backend) {
		spec := sleeper()
		spec.NetworkDisabled = true
		c := start(t, b, spec)
		if got := shell(t, b, c.ID, "ls /sys/class/net"); got != "lo\n" {
			t.Errorf("its interfaces are %q, want lo alone", got)
		}
		if !c.Given.NetworkDisabled {
			t.Error("inspect does not tell that it has none")
		}
		id := foreign(t, b, container.Config{Image: busybox}, container.HostConfig{NetworkMode: "none"})
		other, err := b.Inspect(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if !other.Given.NetworkDisabled {
			t.Error("inspect does not tell that one of somebody else has none")
		}
	})
}
