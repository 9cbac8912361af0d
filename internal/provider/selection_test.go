package provider_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/selection"
	"github.com/rightsize/terraform-provider-rightsize/internal/provider"
)

// TestProviderConfiguration has what the provider block says, and what the
// choice of a backend is told of it.
func TestProviderConfiguration(t *testing.T) {
	digest := strings.Repeat("0a", 32)
	for name, tc := range map[string]struct {
		config object
		env    string
		want   selection.Config
	}{
		"nothing":             {object{}, "", selection.Config{Backend: selection.Auto}},
		"environment":         {object{}, "microsandbox", selection.Config{Backend: "microsandbox"}},
		"backend":             {object{"backend": "docker"}, "microsandbox", selection.Config{Backend: "docker"}},
		"docker":              {object{"docker": object{"host": "tcp://one:1", "cert_path": "/certs"}}, "", selection.Config{Backend: selection.Auto, Docker: selection.DockerConfig{Host: "tcp://one:1", CertPath: "/certs"}}},
		"empty block":         {object{"microsandbox": object{}}, "", selection.Config{Backend: selection.Auto}},
		"empty download":      {object{"microsandbox": object{"download": object{}}}, "", selection.Config{Backend: selection.Auto}},
		"download allowed":    {object{"microsandbox": object{"download": object{"enabled": true}}}, "", selection.Config{Backend: selection.Auto}},
		"download forbidden":  {object{"microsandbox": object{"download": object{"enabled": false}}}, "", selection.Config{Backend: selection.Auto, Microsandbox: selection.MicrosandboxConfig{NoDownload: true}}},
		"integrity recorded":  {object{"microsandbox": object{"record_integrity": true}}, "", selection.Config{Backend: selection.Auto, Microsandbox: selection.MicrosandboxConfig{RecordIntegrity: true}}},
		"integrity as it was": {object{"microsandbox": object{"record_integrity": false}}, "", selection.Config{Backend: selection.Auto}},
		"all of microsandbox": {
			object{"backend": "microsandbox", "microsandbox": object{
				"path": "/opt/msb", "home": "/srv/msb", "version": "0.6.18", "record_integrity": true,
				"download": object{"enabled": false, "base_url": "https://mirror.example", "sha256": digest},
			}}, "",
			selection.Config{Backend: "microsandbox", Microsandbox: selection.MicrosandboxConfig{
				Path: "/opt/msb", Home: "/srv/msb", Version: "0.6.18", RecordIntegrity: true,
				NoDownload: true, DownloadURL: "https://mirror.example", DownloadSHA256: digest,
			}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(selection.EnvBackend, tc.env)
			h := newHarness(t)
			var got selection.Config
			server, err := providerserver.NewProtocol6WithError(provider.NewWithBackend(func(_ context.Context, config selection.Config) (backend.Backend, error) {
				got = config
				return h.Backend, nil
			}))()
			if err != nil {
				t.Fatal(err)
			}
			c := newUnconfiguredCore(t, server)
			tc.config["cache_dir"] = h.cacheDir
			c.configure(tc.config)
			_, diagnostics := c.data("rightsize_checkpoint", object{"name": "orders", "required": false})
			c.must(diagnostics, nil)
			tc.want.CacheDir, tc.want.UserAgent = h.cacheDir, "terraform-provider-rightsize/test"
			if diff := cmp.Diff(tc.want, got, cmpopts.IgnoreFields(selection.Config{}, "Log")); diff != "" {
				t.Errorf("the choice is told (-want +got):\n%s", diff)
			}
			if got.Log == nil {
				t.Error("there is no log")
			}
		})
	}
}
