package provider

import (
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// planConnectionURI is what an update leaves connection_uri at. Addresses stay,
// and so does the environment, unless another checkpoint brings its own.
func (m containerModel) planConnectionURI(state containerModel) types.String {
	switch {
	case m.Preset.IsNull():
		return types.StringNull()
	case !m.Preset.Equal(state.Preset), m.mayRestoreOther(state):
		return types.StringUnknown()
	default:
		return state.ConnectionURI
	}
}

// mayRestoreOther says whether the update may restore another capture than the
// one that the container in state was made from.
func (m containerModel) mayRestoreOther(state containerModel) bool {
	if m.FromCheckpoint.IsNull() || !m.resets(state) {
		return false
	}
	pinned := strings.Contains(m.FromCheckpoint.ValueString(), "@")
	return !pinned || !m.FromCheckpoint.Equal(state.FromCheckpoint)
}

// publishesOther says whether a change of the preset changes what is published.
// What the checkpoint publishes is not known here; if the port is among it, the
// container has it.
func (m containerModel) publishesOther(state containerModel) bool {
	if m.Preset.Equal(state.Preset) {
		return false
	}
	if m.Preset.IsUnknown() {
		return m.ExposedPorts.IsNull() && len(m.Ports.Elements()) == 0
	}
	before, hadPort := state.usualPort()
	after, hasPort := m.usualPort()
	if before == after && hadPort == hasPort {
		return false
	}
	_, published := state.MappedPorts.Elements()[after.String()]
	return !hasPort || !published || m.FromCheckpoint.IsNull()
}

// usualPort is the port that the preset publishes where no port is configured. A
// user who lists ports only as fixed wants these and no others.
func (m containerModel) usualPort() (backend.Port, bool) {
	if len(m.Ports.Elements()) > 0 {
		return backend.Port{}, false
	}
	return m.workloadModel.usualPort()
}

// waitsOnceMore says whether the update has to wait for the running container,
// because what it waits for is another.
func (m containerModel) waitsOnceMore(state containerModel) bool {
	if m.job().ValueBool() {
		return false
	}
	return !m.WaitFor.Equal(state.WaitFor) || !m.Preset.Equal(state.Preset) && !m.waits()
}
