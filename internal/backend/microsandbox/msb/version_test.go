package msb_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/msb"
)

func TestParseVersion(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		want string
		ok   bool
	}{
		"msb 0.6.18":        {"0.6.18", true},
		"msb 0.6.18\n":      {"0.6.18", true},
		"0.6.8":             {"0.6.8", true},
		"v0.6.8":            {"0.6.8", true},
		"msb 0.7.0-rc.1":    {"0.7.0", true},
		"msb 1.2.3+build":   {"1.2.3", true},
		"":                  {},
		"msb":               {},
		"msb 0.6":           {},
		"msb 0.6.x":         {},
		"msb 0.6.18.4":      {},
		"other 0.6.18":      {},
		"msb 0.6.9999999":   {},
		"warn\nmsb 0.6.18":  {},
		"msb -1.6.18":       {},
		"msb 0.6.18_broken": {},
	}
	for text, test := range tests {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			got, err := msb.ParseVersion(text)
			if (err == nil) != test.ok {
				t.Fatalf("ParseVersion(%q) failed with %v, want ok %t", text, err, test.ok)
			}
			if test.ok && got.String() != test.want {
				t.Errorf("ParseVersion(%q) = %s, want %s", text, got, test.want)
			}
		})
	}
}

func TestVersionCompare(t *testing.T) {
	t.Parallel()
	want := []string{"0.6.8", "0.6.14", "0.6.18", "0.7.0", "1.0.0"}
	var versions []msb.Version
	for _, s := range []string{"0.7.0", "0.6.18", "1.0.0", "0.6.8", "0.6.14"} {
		v, err := msb.ParseVersion(s)
		if err != nil {
			t.Fatal(err)
		}
		versions = append(versions, v)
	}
	slices.SortFunc(versions, msb.Version.Compare)
	var got []string
	for _, v := range versions {
		got = append(got, v.String())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("order of versions (-want +got):\n%s", diff)
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	client, fake := newClient(t)
	fake.Expect("--version").Sample("misc/version")
	got, err := client.Version(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if want := (msb.Version{Major: 0, Minor: 6, Patch: 18}); got != want {
		t.Errorf("Version() = %v, want %v", got, want)
	}
}
