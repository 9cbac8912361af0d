package docker

import (
	"net/http"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/container"
	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

func TestHostConfigOfRootAndNetwork(t *testing.T) {
	t.Parallel()
	hosts := []string{"host.docker.internal:host-gateway"}
	tests := map[string]struct {
		spec    backend.Spec
		storage map[string]string
		mode    container.NetworkMode
		hosts   []string
	}{
		"neither":    {backend.Spec{}, nil, "", hosts},
		"disk":       {backend.Spec{DiskMB: 128}, map[string]string{"size": "128M"}, "", hosts},
		"no network": {backend.Spec{NetworkDisabled: true}, nil, "none", nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			host, _ := hostConfig(test.spec, loopback)
			if diff := cmp.Diff(test.storage, host.StorageOpt); diff != "" {
				t.Errorf("storage options (-want +got):\n%s", diff)
			}
			if host.NetworkMode != test.mode {
				t.Errorf("the network is %q, want %q", host.NetworkMode, test.mode)
			}
			if diff := cmp.Diff(test.hosts, host.ExtraHosts); diff != "" {
				t.Errorf("hosts (-want +got):\n%s", diff)
			}
			if got := diskOf(host.StorageOpt); got != test.spec.DiskMB {
				t.Errorf("%d MiB are read back, want %d", got, test.spec.DiskMB)
			}
		})
	}
}

// Sizes that somebody else has given.
func TestDiskOf(t *testing.T) {
	t.Parallel()
	for size, want := range map[string]int64{"": 0, "64m": 64, "10G": 0, "M": 0, "1.5M": 0, "1073741824": 0} {
		if got := diskOf(map[string]string{"size": size}); got != want {
			t.Errorf("%q is read as %d MiB, want %d", size, got, want)
		}
	}
}

func TestCreateRefusesTheDisk(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		message string
		spec    backend.Spec
		kind    error
		field   backend.Field
	}{
		"by the storage driver": {
			"--storage-opt is supported only for overlay over xfs with 'pquota' mount option",
			backend.Spec{Name: "web", DiskMB: 128}, backend.ErrUnsupported, backend.FieldDiskLimit,
		},
		"by anything else": {"the engine is out of order", backend.Spec{Name: "web", DiskMB: 128}, nil, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := fakeEngine(t, map[string]http.HandlerFunc{
				"POST /containers/create": func(w http.ResponseWriter, _ *http.Request) {
					reply(w, http.StatusInternalServerError, map[string]string{"message": test.message})
				},
			})
			_, err := b.createContainer(t.Context(), test.spec, "sha256:1", "sha256:1")
			wantError(t, err, test.kind, test.field)
			if !strings.Contains(err.Error(), test.message) {
				t.Errorf("the error does not say what the engine said: %v", err)
			}
		})
	}
}

// What cannot be is refused before the engine is asked for anything that it
// would have to make.
func TestCheckRoot(t *testing.T) {
	t.Parallel()
	info := func(driver string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			reply(w, http.StatusOK, map[string]any{"ID": "one", "DriverStatus": [][2]string{{"driver-type", driver}}})
		}
	}
	const containerd, overlay = "io.containerd.snapshotter.v1", ""
	tests := map[string]struct {
		spec   backend.Spec
		driver string
		field  backend.Field
	}{
		"nothing asked":                    {backend.Spec{}, containerd, ""},
		"no network":                       {backend.Spec{NetworkDisabled: true}, containerd, ""},
		"a disk":                           {backend.Spec{DiskMB: 128}, overlay, ""},
		"a disk with the containerd store": {backend.Spec{DiskMB: 128}, containerd, backend.FieldDiskLimit},
		"memory":                           {backend.Spec{TmpfsRootMB: 64}, overlay, backend.FieldTmpfsRoot},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := fakeEngine(t, map[string]http.HandlerFunc{
				"GET /info":    info(test.driver),
				"GET /version": func(w http.ResponseWriter, _ *http.Request) { reply(w, http.StatusOK, map[string]string{}) },
			})
			err := b.checkRoot(t.Context(), test.spec)
			if test.field == "" {
				if err != nil {
					t.Errorf("it is refused: %v", err)
				}
				return
			}
			wantError(t, err, backend.ErrUnsupported, test.field)
		})
	}
}
