package provider_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"github.com/rightsize/terraform-provider-rightsize/internal/provider"
)

// newAccCore is a Terraform with a provider that is configured for a real engine.
func newAccCore(t *testing.T, e accEngine) *core {
	t.Helper()
	server, err := providerserver.NewProtocol6WithError(provider.New("test")())()
	if err != nil {
		t.Fatal(err)
	}
	c := newUnconfiguredCore(t, server)
	config := object{"backend": "docker", "cache_dir": e.cacheDir}
	if e.host != "" {
		config["docker"] = object{"host": e.host}
	}
	c.configure(config)
	return c
}

// TestAccActions saves, spoils and resets a container that Terraform manages. It
// plays the part of a Terraform that knows actions, lists and identities.
func TestAccActions(t *testing.T) {
	onEachEngine(t, func(t *testing.T, e accEngine) {
		const name = "acc-action"
		c := newAccCore(t, e)
		t.Cleanup(func() { _, _ = e.tryDocker(t, "rm", "-f", name, name+"-copy") })
		source := object{"name": name, "image": busyboxImage, "command": list{"sleep", "600"}, "stop_timeout": "1s"}
		web := c.reach(c.none(containerType), source)
		messages, diagnostics := c.invoke(execAction, object{"container_id": name, "command": list{"tee", "/rows"}, "stdin": "seeded\n"})
		c.must(diagnostics, nil)
		expectMessage(t, messages, "***") // What was given to it comes back, and is not shown.
		_, diagnostics = c.invoke(saveAction, object{"container_id": name, "name": name})
		c.must(diagnostics, nil)
		orders, diagnostics := c.importedByIdentity(checkpointType, object{"name": name})
		c.must(diagnostics, nil)

		copied := object{
			"name": name + "-copy", "from_checkpoint": name, "labels": object{"team": "a"}, "exposed_ports": list{"8080"},
			"wait_for": object{"exec": object{"command": list{"true"}}}, "stop_timeout": "1s",
		}
		restored := c.reach(c.none(containerType), copied)
		ports := e.inspect(t, name+"-copy", "{{.HostConfig.PortBindings}}")
		for range 2 {
			e.docker(t, "exec", name+"-copy", "sh", "-c", "echo spoilt >/rows")
			messages, diagnostics := c.invoke(resetAction, object{"container_id": name + "-copy", "wait_for": copied["wait_for"]})
			c.must(diagnostics, nil)
			expectMessage(t, messages, "as it was defined, and ready")
			if got := e.docker(t, "exec", name+"-copy", "cat", "/rows"); got != "seeded" {
				t.Errorf("after a reset it holds %q", got)
			}
		}
		if got := e.inspect(t, name+"-copy", "{{.HostConfig.PortBindings}}"); got != ports {
			t.Errorf("the ports were %s and are %s", ports, got)
		}
		if got := e.inspect(t, name+"-copy", `{{index .Config.Labels "team"}}`); got != "a" {
			t.Errorf("the label is %q", got)
		}
		restored = c.mustRefresh(restored)
		c.mustSettle(restored, copied)

		results, diagnostics := c.query(containerType, object{"name_prefix": name}, 0, true)
		c.must(diagnostics, nil)
		if len(results) != 2 || results[1].resource["container_id"] != restored.attributes()["container_id"] {
			t.Errorf("listed are %v", results)
		}
		listed, diagnostics := c.query(checkpointType, object{"name_prefix": name}, 0, false)
		c.must(diagnostics, nil)
		if len(listed) != 1 {
			t.Errorf("listed are %v", listed)
		}
		for _, current := range []instance{restored, web, orders} {
			c.mustDestroy(current)
		}
		if err := e.nothingLeft(t, name)(nil); err != nil {
			t.Error(err)
		}
	})
}
