package microsandbox_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// What a root in memory held is gone with its VM: the files are put in place
// again when that is booted for another run. Here the guest refuses them, and
// the workload is not begun without them.
func TestStartFurnishesARootInMemory(t *testing.T) {
	t.Parallel()
	b, fake := newBackend(t)
	fake.Expect("inspect", "--format=json", "web").Sample("sandbox/inspect-missing")
	fake.Handle("image", "inspect").Sample("image/inspect")
	fake.Handle("create")
	spec := backend.Spec{Name: "web", Image: "app:1", TmpfsRootMB: 64}
	_, err := b.Create(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}

	mount := fake.Calls()[len(fake.Calls())-1].Args
	share := strings.TrimSuffix(strings.TrimPrefix(mount[slices.IndexFunc(mount, func(arg string) bool { return strings.HasPrefix(arg, "--mount-dir=") })], "--mount-dir="), ":/.rightsize")
	fake.Handle("inspect").Stdout(`{"name":"web","status":"Stopped","config":{"mounts":[{"type":"Bind","guest":"/.rightsize","host":"` + share + `"}]}}`)
	fake.Handle("start", "web")
	unpack := []string{"exec", "--stream", "--user=root", "--workdir=/", "web", "--", "tar"}
	fake.Handle(unpack...).ReadStdin().ExitCode(1)
	fake.Handle("exec") // There is no such file yet.
	spec.Files = []backend.File{{Path: "/seed.sql", Content: []byte("select 1")}}
	err = b.Start(t.Context(), "web", spec)
	if failure, ok := errors.AsType[*backend.Error](err); !ok || failure.Field != backend.FieldFiles {
		t.Fatalf("Start() = %v, want the failure to put the files in place", err)
	}
	var booted bool
	for _, call := range fake.Calls() {
		booted = booted || call.Args[0] == "start"
		if len(call.Args) >= len(unpack) && slices.Equal(call.Args[:len(unpack)], unpack) && !booted {
			t.Error("the files were put in place before the VM was booted")
		}
	}
	if !booted {
		t.Error("the VM was not booted")
	}
}
