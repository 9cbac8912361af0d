package microsandbox_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/msbtest"
)

// newBackend returns a backend on a fake msb, and a directory of its own.
func newBackend(t *testing.T) (*microsandbox.Backend, *msbtest.Fake) {
	t.Helper()
	fake := msbtest.New(t)
	fake.Handle("--version").Sample("misc/version")
	return microsandbox.New(microsandbox.Config{
		Locate:   func(context.Context) (string, error) { return fake.Path(), nil },
		Home:     fake.Home(),
		CacheDir: t.TempDir(),
	}), fake
}

// What no boot can give is refused before msb is asked for anything: the fake
// expects no call.
func TestCreateRefusesTheRoot(t *testing.T) {
	t.Parallel()
	artifact := &backend.Artifact{ID: "sha256:1"}
	tests := map[string]struct {
		spec  backend.Spec
		field backend.Field
	}{
		"a disk that cannot be formatted":  {backend.Spec{Name: "web", Image: "app:1", DiskMB: 64}, backend.FieldDiskLimit},
		"a disk and memory":                {backend.Spec{Name: "web", Image: "app:1", DiskMB: 128, TmpfsRootMB: 64}, backend.FieldTmpfsRoot},
		"a disk for a copy":                {backend.Spec{Name: "web", From: artifact, DiskMB: 128}, backend.FieldDiskLimit},
		"memory for what is on a disk":     {backend.Spec{Name: "web", From: artifact, TmpfsRootMB: 64}, backend.FieldTmpfsRoot},
		"too little memory for the kernel": {backend.Spec{Name: "web", Image: "app:1", Limits: backend.Limits{MemoryMB: 47}}, backend.FieldLimits},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, _ := newBackend(t)
			_, err := b.Create(t.Context(), test.spec)
			failure, ok := errors.AsType[*backend.Error](err)
			if !ok || !errors.Is(err, backend.ErrUnsupported) || failure.Field != test.field || failure.Remedy == "" {
				t.Errorf("Create() = %#v, want one about %s that says what to do", err, test.field)
			}
		})
	}
}

// What was asked for reaches msb, and is told again by whoever inspects it.
func TestCreateWithRootAndNetwork(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		spec backend.Spec
		want []string
	}{
		"neither":    {backend.Spec{}, nil},
		"disk":       {backend.Spec{DiskMB: 128}, []string{"--root-disk=128M"}},
		"memory":     {backend.Spec{TmpfsRootMB: 64}, []string{"--root-disk=tmpfs:64M"}},
		"no network": {backend.Spec{NetworkDisabled: true}, []string{"--no-net"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, fake := newBackend(t)
			test.spec.Name, test.spec.Image = "web", "app:1"
			inspect := []string{"inspect", "--format=json", "web"}
			// By the boot alone: whoever has no record has no container.
			fake.Expect(inspect...).Sample("sandbox/inspect-missing")
			fake.Handle("image", "inspect").Sample("image/inspect")
			fake.Handle("create")
			c, err := b.Create(t.Context(), test.spec)
			if err != nil {
				t.Fatal(err)
			}
			got := slices.DeleteFunc(fake.WaitForCall("create").Args, func(arg string) bool {
				return !strings.HasPrefix(arg, "--root-disk") && arg != "--no-net"
			})
			if diff := cmp.Diff(test.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("arguments (-want +got):\n%s", diff)
			}
			want := backend.Given{
				Image: "app:1", DiskMB: test.spec.DiskMB, TmpfsRootMB: test.spec.TmpfsRootMB, NetworkDisabled: test.spec.NetworkDisabled,
			}
			if diff := cmp.Diff(want, c.Given); diff != "" {
				t.Errorf("given (-want +got):\n%s", diff)
			}
		})
	}
}

// A sandbox that somebody else has made tells what it was given, too.
func TestInspectForeignRootAndNetwork(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		config string
		want   backend.Given
	}{
		"msb's own disk": {`{"image":{"Oci":{"root_disk":{"kind":"managed","size_mib":4096}}}}`, backend.Given{}},
		"another disk":   {`{"image":{"Oci":{"root_disk":{"kind":"managed","size_mib":8192}}}}`, backend.Given{DiskMB: 8192}},
		"memory":         {`{"image":{"Oci":{"root_disk":{"kind":"tmpfs","size_mib":64}}}}`, backend.Given{TmpfsRootMB: 64}},
		"from a snapshot, without a network": {
			`{"network":{"policy":{"default_egress":"deny","default_ingress":"deny","rules":[]}}}`, backend.Given{NetworkDisabled: true},
		},
		"an exception": {
			`{"network":{"policy":{"default_egress":"deny","default_ingress":"deny","rules":[{"allow":"x"}]}}}`, backend.Given{},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, fake := newBackend(t)
			fake.Handle("inspect").Stdout(`{"name":"other","status":"Stopped","config":` + test.config + `}`)
			c, err := b.Inspect(t.Context(), "other")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, c.Given, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("given (-want +got):\n%s", diff)
			}
		})
	}
}
