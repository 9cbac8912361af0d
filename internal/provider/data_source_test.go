package provider_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/fake"
	"github.com/rightsize/terraform-provider-rightsize/internal/checkpoint"
)

const (
	checkpointData  = "rightsize_checkpoint"
	checkpointsData = "rightsize_checkpoints"
)

// foreignEntry is an entry of a backend that these tests do not run.
func foreignEntry(name string) checkpoint.Entry {
	limit := int64(512)
	return checkpoint.Entry{
		Name: name, Ref: "/cache/checkpoints/rz-ckpt-" + name, Backend: string(backend.Microsandbox),
		CreatedAt: time.Date(2026, 7, 11, 12, 0, 0, 0, time.UTC),
		Spec:      checkpoint.Spec{Env: map[string]string{"A": "1"}, ExposedPorts: []int{5432}, MemoryLimitMB: &limit},
	}
}

func TestCheckpointData(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.now = func() time.Time { return time.Date(2026, 7, 13, 14, 59, 59, 0, time.UTC) }
	artifact := h.registered(t, "orders", backend.Spec{
		Image: "app:1", Env: map[string]string{"A": "1"}, Command: []string{"serve", "/b"},
		Ports: []backend.PortBinding{{Port: backend.Port{Number: 5432, Protocol: backend.TCP}, Host: 1}},
	})
	h.put(t, foreignEntry("foreign"))
	h.registered(t, "dropped", backend.Spec{Image: "app:1"})
	h.DropArtifact("rightsize/checkpoint:dropped")
	writeFile(t, h.entryPath("corrupt"), "{")
	c := newCore(t, h)
	before := h.snapshot(t)

	absent := object{
		"exists": false, "id": nil, "ref": nil, "backend": nil, "artifact_id": nil, "created_at": nil, "size_bytes": nil, "layers": nil, "pause_ms": nil, "resumes": nil, "spec": nil,
		"age_hours": nil, "expires_at": nil, "expired": nil,
	}
	for name, tc := range map[string]struct {
		required any
		want     object
		// at and says are of the error instead.
		at, says string
	}{
		"orders": {want: object{
			"exists": true, "id": "orders@" + artifact.ID, "ref": "rightsize/checkpoint:orders", "backend": "docker",
			"artifact_id": artifact.ID, "created_at": "2026-07-11T12:00:00Z", "size_bytes": artifact.SizeBytes, "layers": int64(2), "pause_ms": nil, "resumes": nil,
			"age_hours": int64(50), "expires_at": nil, "expired": false,
			"spec": object{"env": object{"A": "1"}, "command": list{"serve", "/b"}, "exposed_ports": list{int64(5432)}, "memory_limit_mb": nil},
		}},
		"foreign": {want: object{
			"exists": true, "id": "foreign", "ref": "/cache/checkpoints/rz-ckpt-foreign", "backend": "microsandbox",
			"artifact_id": nil, "created_at": "2026-07-11T12:00:00Z", "size_bytes": nil, "layers": nil, "pause_ms": nil, "resumes": nil,
			"age_hours": int64(50), "expires_at": nil, "expired": false,
			"spec": object{"env": object{"A": "1"}, "command": nil, "exposed_ports": list{int64(5432)}, "memory_limit_mb": int64(512)},
		}},
		"nowhere": {at: "name", says: "Registry: " + h.registry.Dir()},
		"dropped": {at: "name", says: "its artifact rightsize/checkpoint:dropped is not in docker"},
		"corrupt": {at: "name", says: "left as it is"},
	} {
		for _, required := range []any{nil, true, false} {
			want, at := tc.want, tc.at
			if required == false && at != "" && name != "corrupt" {
				want, at = absent, ""
			}
			got, diagnostics := c.data(checkpointData, object{"name": name, "required": required})
			if at != "" {
				expectError(t, diagnostics, at, tc.says)
				expectError(t, diagnostics, at, "Unable to Find Checkpoint")
				continue
			}
			c.must(diagnostics, nil)
			delete(got, "name")
			delete(got, "required")
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s with required %v (-want +got):\n%s", name, required, diff)
			}
		}
	}
	if diff := cmp.Diff(before, h.snapshot(t)); diff != "" {
		t.Errorf("reading changed something (-before +after):\n%s", diff)
	}
}

// A checkpoint that cannot be found because the engine is away is not absent.
func TestCheckpointDataWithoutEngine(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.registered(t, "orders", backend.Spec{Image: "app:1"})
	c := newCore(t, h)
	h.Fail(fake.ListArtifacts, errLost, fake.Always)
	_, diagnostics := c.data(checkpointData, object{"name": "orders", "required": false})
	expectError(t, diagnostics, "name", "Start the engine.")
	_, diagnostics = c.data(checkpointsData, object{})
	expectError(t, diagnostics, "", "Start the engine.")
}

func TestCheckpointsData(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	c := newCore(t, h)
	got, diagnostics := c.data(checkpointsData, object{})
	c.must(diagnostics, nil)
	if diff := cmp.Diff(object{"checkpoints": list{}, "total_size_bytes": int64(0)}, got); diff != "" {
		t.Errorf("without checkpoints (-want +got):\n%s", diff)
	}

	users := h.registered(t, "users", backend.Spec{Image: "app:1"})
	artifact := h.registered(t, "orders", backend.Spec{Image: "app:1"})
	h.put(t, foreignEntry("foreign"))
	h.registered(t, "dropped", backend.Spec{Image: "app:1"})
	h.DropArtifact("rightsize/checkpoint:dropped")
	writeFile(t, h.entryPath("corrupt"), "{")
	before := h.snapshot(t)

	got, diagnostics = c.data(checkpointsData, object{})
	c.must(diagnostics, nil)
	if text := render(diagnostics); !strings.Contains(text, "WARNING at : Corrupt Checkpoint Entry") || !strings.Contains(text, "corrupt.json") {
		t.Errorf("the warning is:\n%s", text)
	}
	var names list
	for _, element := range got["checkpoints"].(list) {
		names = append(names, element.(object)["name"])
	}
	if diff := cmp.Diff(list{"foreign", "orders", "users"}, names); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	if got := got["checkpoints"].(list)[1].(object)["id"]; got != "orders@"+artifact.ID {
		t.Errorf("the id is %v", got)
	}
	if got, want := got["total_size_bytes"], artifact.SizeBytes+users.SizeBytes; got != want || want == 0 {
		t.Errorf("the total size is %v, want %d", got, want)
	}
	if diff := cmp.Diff(before, h.snapshot(t)); diff != "" {
		t.Errorf("reading changed something (-before +after):\n%s", diff)
	}
}

func TestCheckpointDataName(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	c := newCore(t, h)
	_, diagnostics := c.data(checkpointData, object{"name": "../orders"})
	if !failed(diagnostics) {
		t.Error("a name that is a path is read")
	}
}
