package docker

import (
	"strings"
	"testing"

	cerrdefs "github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

const psql = "psql -U postgres -v ON_ERROR_STOP=1 -At -c "

func startDatabase(t *testing.T, b *Backend, spec backend.Spec) backend.Container {
	t.Helper()
	spec.Name = testName()
	spec.Env = map[string]string{"POSTGRES_PASSWORD": "secret"}
	c := start(t, b, spec)
	shell(t, b, c.ID, "until pg_isready -q -h 127.0.0.1; do sleep 0.1; done")
	return c
}

// TestSeededDatabase is what the provider is for: the image declares its data
// directory a volume, and a plain commit would lose every row.
func TestSeededDatabase(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, b *Backend) {
		seed := startDatabase(t, b, backend.Spec{Image: postgres})
		shell(t, b, seed.ID, psql+"'CREATE TABLE t AS SELECT i, md5(i::text) FROM generate_series(1, 100000) i'")
		if err := b.Stop(t.Context(), seed.ID, backend.DefaultStopTimeout); err != nil {
			t.Fatal(err)
		}
		name, artifact := capture(t, b, seed.ID)
		ref, err := b.Publish(t.Context(), name, artifact)
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Remove(t.Context(), seed.ID); err != nil {
			t.Fatal(err)
		}
		published, err := b.Artifact(t.Context(), ref)
		if err != nil {
			t.Fatal(err)
		}

		one := startDatabase(t, b, backend.Spec{From: &published})
		two := startDatabase(t, b, backend.Spec{From: &published})
		for _, c := range []backend.Container{one, two} {
			if got := shell(t, b, c.ID, psql+"'SELECT count(*), count(DISTINCT md5) FROM t'"); got != "100000|100000\n" {
				t.Errorf("rows after the restore: %q", got)
			}
			// No volume, so that Remove cannot leave one behind.
			info, err := b.inspect(t.Context(), c.ID)
			if err != nil {
				t.Fatal(err)
			}
			if len(info.Mounts) > 0 {
				t.Errorf("the restored container has mounts: %v", info.Mounts)
			}
			if c.ImageID != artifact.ID {
				t.Errorf("the container's image is %s, want the artifact %s", c.ImageID, artifact.ID)
			}
			if logs := logText(t, b, c.ID, backend.LogOptions{}); strings.Contains(logs, "was not properly shut down") {
				t.Errorf("the restored database had to recover:\n%s", logs)
			}
		}
		shell(t, b, one.ID, psql+"'DELETE FROM t'")
		if got := shell(t, b, two.ID, psql+"'SELECT count(*) FROM t'"); got != "100000\n" {
			t.Errorf("rows in the one container after those of the other were deleted: %q", got)
		}

	})
}

// TestDatabaseOfOthers captures a database while it runs whose container has the
// declared volume.
func TestDatabaseOfOthers(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, b *Backend) {
		id := startForeignDatabase(t, b)
		shell(t, b, id, psql+"'CREATE TABLE t AS SELECT generate_series(1, 100000) i'")
		_, artifact := capture(t, b, id)
		restored := startDatabase(t, b, backend.Spec{From: &artifact})
		if got := shell(t, b, restored.ID, psql+"'SELECT count(*) FROM t'"); got != "100000\n" {
			t.Errorf("rows after the restore: %q", got)
		}
		if got := shell(t, b, id, psql+"'SELECT count(*) FROM t'"); got != "100000\n" {
			t.Errorf("rows in the captured container: %q", got)
		}
	})
}

func startForeignDatabase(t *testing.T, b *Backend) string {
	t.Helper()
	id := startForeign(t, b, container.Config{
		Image: postgres,
		Env:   []string{"POSTGRES_PASSWORD=secret"},
	}, container.HostConfig{})
	shell(t, b, id, "until pg_isready -q -h 127.0.0.1; do sleep 0.1; done")
	return id
}

// TestRemoveTakesAnonymousVolumes is about containers that have some, which are
// those of others.
func TestRemoveTakesAnonymousVolumes(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, b *Backend) {
		id := startForeignDatabase(t, b)
		info, err := b.inspect(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if len(info.Mounts) != 1 {
			t.Fatalf("the container has mounts %v, want one", info.Mounts)
		}
		if err := b.Remove(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		_, err = apiOf(t, b).VolumeInspect(t.Context(), info.Mounts[0].Name)
		if !cerrdefs.IsNotFound(err) {
			t.Errorf("the anonymous volume is still there: %v", err)
		}
	})
}
