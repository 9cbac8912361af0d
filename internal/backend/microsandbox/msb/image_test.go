package msb_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/msb"
)

func TestInspectImage(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		sample, stdout string
		want           msb.Image
		err            error
		fails          bool
	}{
		"without a configuration": {sample: "image/inspect", want: msb.Image{
			Reference: "bb:1", Digest: "sha256:7d2fea2c30fc5e0e88b3b14f2baf80fef6dbc5db5f38b49d7b825f6c92f6f935",
			Env: map[string]string{}, Command: []string{"/bin/sh", "-c", "while :; do sleep 1; done"},
		}},
		"with one": {sample: "image/inspect-env", want: msb.Image{
			Reference: "rightsize-test/busybox:1", Digest: "sha256:46ba66e3e1f4867889deee028b220e58a3e1736061a778ae979eb1872d7418dd",
			Env:     map[string]string{"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"},
			Command: []string{"sh"},
			Labels:  map[string]string{"rightsize-test.recipe": "1564987571-3650428651"},
		}},
		"missing":        {sample: "image/inspect-missing", err: msb.ErrNotFound, fails: true},
		"not JSON":       {stdout: "bb:1", fails: true},
		"without digest": {stdout: `{"reference":"bb:1"}`, fails: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, fake := newClient(t)
			reply := fake.Expect("image", "inspect", "--format=json", "bb:1").Stdout(test.stdout)
			if test.sample != "" {
				reply.Sample(test.sample)
			}
			got, err := client.InspectImage(t.Context(), "bb:1")
			if (err != nil) != test.fails || test.err != nil && !errors.Is(err, test.err) {
				t.Fatalf("InspectImage() failed with %v, want %v", err, test.err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("image (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPull(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		sample string
		want   error
	}{
		"pulled":          {"image/pull-cached", nil},
		"offline":         {"image/pull-offline", msb.ErrRegistry},
		"bad reference":   {"image/pull-bad-reference", msb.ErrImageReference},
		"no certificates": {"misc/no-ca-bundle-panic", msb.ErrNoCertificates},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, fake := newClient(t)
			fake.Expect("pull", "app:1").Sample(test.sample)
			if err := client.Pull(t.Context(), "app:1"); !errors.Is(err, test.want) {
				t.Errorf("Pull() = %v, want %v", err, test.want)
			}
		})
	}
}

// TestReferencesAreChecked is about what msb would take for a flag. The fake
// expects no call.
func TestReferencesAreChecked(t *testing.T) {
	t.Parallel()
	client, _ := newClient(t)
	for _, ref := range []string{"", "--force", "-q", "a b", "a\nb", "a\x00", "\xff"} {
		if err := client.Pull(t.Context(), ref); !errors.Is(err, msb.ErrImageReference) {
			t.Errorf("Pull(%q) = %v, want ErrImageReference", ref, err)
		}
		if _, err := client.InspectImage(t.Context(), ref); !errors.Is(err, msb.ErrImageReference) {
			t.Errorf("InspectImage(%q) = %v, want ErrImageReference", ref, err)
		}
	}
}
