package provider

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-timetypes/timetypes"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/fixture"
)

type containerModel struct {
	workloadModel

	Name         types.String         `tfsdk:"name"`
	Labels       types.Map            `tfsdk:"labels"`
	Ports        types.List           `tfsdk:"ports"`
	ResetTrigger types.String         `tfsdk:"reset_trigger"`
	SaveBefore   types.String         `tfsdk:"save_before_reset"`
	ExpiresAfter timetypes.GoDuration `tfsdk:"expires_after"`
	Timeouts     timeouts.Value       `tfsdk:"timeouts"`

	ID            types.String      `tfsdk:"id"`
	ContainerID   types.String      `tfsdk:"container_id"`
	Backend       types.String      `tfsdk:"backend"`
	Host          types.String      `tfsdk:"host"`
	MappedPorts   types.Map         `tfsdk:"mapped_ports"`
	ConnectionURI types.String      `tfsdk:"connection_uri"`
	ImageID       types.String      `tfsdk:"image_id"`
	Status        types.String      `tfsdk:"status"`
	ExpiresAt     timetypes.RFC3339 `tfsdk:"expires_at"`
	ContentSHA256 types.String      `tfsdk:"content_sha256"`
}

type portModel struct {
	ContainerPort types.Int64  `tfsdk:"container_port"`
	HostPort      types.Int64  `tfsdk:"host_port"`
	Protocol      types.String `tfsdk:"protocol"`
}

// toDefinition converts a configuration that is fully known. name is the plan's
// name, which a configuration need not have.
func (m containerModel) toDefinition(ctx context.Context, name string) (fixture.Definition, diag.Diagnostics) {
	def, diags := m.workloadModel.toDefinition(ctx, onFailureKeep, path.Empty())
	def.Spec.Name = name
	def.ExpiresAfter = period(m.ExpiresAfter)
	diags.Append(m.Labels.ElementsAs(ctx, &def.Spec.Labels, false)...)
	var d diag.Diagnostics
	def.Fixed, d = m.toFixedPorts(ctx)
	diags.Append(d...)
	// A user who lists ports only as fixed wants these and no others.
	if def.Exposed == nil && def.Fixed != nil {
		def.Exposed = []backend.Port{}
	}
	return def, diags
}

// toFixedPorts converts the ports that the user published on host ports of
// their choice.
func (m containerModel) toFixedPorts(ctx context.Context) ([]backend.PortBinding, diag.Diagnostics) {
	var models []portModel
	diags := m.Ports.ElementsAs(ctx, &models, false)
	var bindings []backend.PortBinding
	for _, model := range models {
		bindings = append(bindings, backend.PortBinding{
			Port: backend.Port{
				Number:   uint16(model.ContainerPort.ValueInt64()),
				Protocol: backend.Protocol(cmp.Or(model.Protocol.ValueString(), string(backend.TCP))),
			},
			Host:  uint16(model.HostPort.ValueInt64()),
			Fixed: true,
		})
	}
	return bindings, diags
}

// mappedPorts is the ports that the container has published so far, as ports
// that are given.
func (m containerModel) mappedPorts() ([]backend.PortBinding, error) {
	var bindings []backend.PortBinding
	for key, value := range m.MappedPorts.Elements() {
		port, err := backend.ParsePort(key)
		if err != nil {
			return nil, err
		}
		host, _ := value.(types.Int64)
		bindings = append(bindings, backend.PortBinding{Port: port, Host: uint16(host.ValueInt64()), Fixed: true})
	}
	slices.SortFunc(bindings, func(a, b backend.PortBinding) int { return a.Compare(b.Port) })
	return bindings, nil
}

// desiredStatus is the status of a container that is as it should be.
func (m containerModel) desiredStatus() types.String {
	switch job := m.job(); {
	case job.IsUnknown():
		return types.StringUnknown()
	case job.ValueBool():
		return types.StringValue(string(backend.StateExited))
	default:
		return types.StringValue(string(backend.StateRunning))
	}
}

// isDetached says whether a container has been taken off one of its networks.
// That it was put on others is left alone.
func (m containerModel) isDetached(c backend.Summary) bool {
	return slices.ContainsFunc(m.networkNames(), func(name string) bool { return !slices.Contains(c.Networks, name) })
}

// checkStatus fails for a container that became ready and then ended although
// it should stay up.
func (m containerModel) checkStatus(c backend.Container) error {
	if string(c.State) == m.desiredStatus().ValueString() {
		return nil
	}
	return &backend.Error{
		Tried:  fmt.Sprintf("keep container %s running", c.Name),
		Cause:  fmt.Errorf("it is %s, with exit code %d, although nothing failed before", c.State, c.Exit.Code),
		Remedy: "Correct the command, or use wait_for = { exit = true } if the container is meant to end.",
		Field:  backend.FieldCommand,
	}
}

// fromContainer sets what is computed to what the engine says.
func (m *containerModel) fromContainer(name backend.Name, c backend.Container) {
	m.ID = types.StringValue(c.Name)
	m.Name = types.StringValue(c.Name)
	m.ContainerID = types.StringValue(c.ID)
	m.Backend = types.StringValue(string(name))
	m.Host = types.StringValue(c.Host)
	m.ImageID = types.StringValue(c.ImageID)
	m.Status = types.StringValue(string(c.State))
	m.ExpiresAt = endOf(m.ExpiresAfter, c.CreatedAt)
	m.MappedPorts = mappedPortsValue(c.Ports)
	m.ConnectionURI = m.connectionURI(c)
}

// exposedPortsValue is the value of an exposed_ports attribute with these ports.
func exposedPortsValue(bindings []backend.PortBinding) types.Set {
	ports := make([]attr.Value, 0, len(bindings))
	for _, binding := range bindings {
		ports = append(ports, types.StringValue(binding.String()))
	}
	return types.SetValueMust(types.StringType, ports)
}

// mappedPortsValue is the value of a mapped_ports attribute.
func mappedPortsValue(bindings []backend.PortBinding) types.Map {
	ports := make(map[string]attr.Value, len(bindings))
	for _, binding := range bindings {
		ports[binding.String()] = types.Int64Value(int64(binding.Host))
	}
	return types.MapValueMust(types.Int64Type, ports)
}
