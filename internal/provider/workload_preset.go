package provider

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/preset"
)

const describeConnectionURI = "How a client connects to the server that `preset` names, such as `postgresql://user:password@127.0.0.1:63642/orders`; for `kafka` and `redpanda` bootstrap servers, such as `127.0.0.1:63642`. " +
	"User, password and database are those of `env` and of the checkpoint's environment, by the variables that the image documents, and percent-encoded. " +
	"Null without `preset`, and if its port is not published."

// presetNames lists the presets for a description.
func presetNames() string {
	names := preset.Names()
	last := len(names) - 1
	return "`" + strings.Join(names[:last], "`, `") + "` or `" + names[last] + "`"
}

// preset returns the preset that is configured, or nil.
func (m workloadModel) preset() *preset.Preset {
	if p, ok := preset.ByName(m.Preset.ValueString()); ok {
		return &p
	}
	return nil
}

// usualPort is the port that the preset publishes unless the checkpoint has
// ports of its own, if the configuration leaves it to it.
func (m workloadModel) usualPort() (backend.Port, bool) {
	p := m.preset()
	if p == nil || !m.ExposedPorts.IsNull() || m.NetworkDisabled.ValueBool() {
		return backend.Port{}, false
	}
	return backend.Port{Number: p.Port, Protocol: backend.TCP}, true
}

// connectionURI is the value of connection_uri for a container of the engine.
// It follows from what the container was given alone, not from what its image
// sets: only so is it the same after a reset from an image that changed.
func (m workloadModel) connectionURI(c backend.Container) types.String {
	p := m.preset()
	if p == nil {
		return types.StringNull()
	}
	for _, binding := range c.Ports {
		if binding.Port == (backend.Port{Number: p.Port, Protocol: backend.TCP}) {
			return types.StringValue(p.ConnectionURI(c.Given.Env, c.Host, binding.Host))
		}
	}
	return types.StringNull()
}

// waits says whether wait_for names a condition, as far as is known: a timeout
// alone bounds the wait that is usual.
func (m workloadModel) waits() bool {
	if m.WaitFor.IsUnknown() {
		return true
	}
	for name, value := range m.WaitFor.Attributes() {
		flag, isFlag := value.(types.Bool)
		switch {
		case name == "timeout" || value.IsNull():
		case !isFlag || flag.IsUnknown() || flag.ValueBool():
			return true
		}
	}
	return false
}

// validatePreset refuses a preset whose wait asks a port that can be reached from
// nowhere. fixed are the ports that are published beside exposed_ports.
func (m workloadModel) validatePreset(root path.Path, fixed []backend.PortBinding) diag.Diagnostics {
	p := m.preset()
	if p == nil || p.Ready.Path == "" || m.waits() {
		return nil
	}
	port := backend.Port{Number: p.Port, Protocol: backend.TCP}
	if m.mayPublish(port, fixed) {
		return nil
	}
	var diags diag.Diagnostics
	diags.AddAttributeError(root.AtName("preset"), "Port Not Published", fmt.Sprintf(
		"The preset %s waits until port %s of the container answers, and the port is not published. Publish it, or say with wait_for when the container is ready.", p.Name, port))
	return diags
}
