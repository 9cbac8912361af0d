package provider

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// validate checks what no single attribute can: how they fit together. fixed are
// the ports that are published beside exposed_ports.
func (m workloadModel) validate(ctx context.Context, root path.Path, fixed []backend.PortBinding) diag.Diagnostics {
	if !fullyKnown(ctx, m.ExposedPorts) {
		return nil
	}
	diags := m.validateExposedPorts(ctx, root)
	diags.Append(m.validatePreset(root, fixed)...)
	waitFor, attribute := m.WaitFor.Attributes(), root.AtName("wait_for")
	if port, ok := waitFor["port"].(types.String); ok {
		diags.Append(m.validatePublished(port, attribute.AtName("port"), fixed)...)
	}
	http, ok := waitFor["http"].(types.Object)
	if !ok || http.IsNull() || http.IsUnknown() {
		return diags
	}
	port, _ := http.Attributes()["port"].(types.String)
	attribute = attribute.AtName("http").AtName("port")
	if port.IsNull() && m.onlyExposedPort() == "" {
		diags.AddAttributeError(attribute, "Missing Port",
			"Which port to ask is clear only if exposed_ports lists exactly one. Set port to one of the published ports.")
	}
	diags.Append(m.validatePublished(port, attribute, fixed)...)
	return diags
}

// validatePublished refuses to wait for a port that can be reached from nowhere.
func (m workloadModel) validatePublished(value types.String, attribute path.Path, fixed []backend.PortBinding) diag.Diagnostics {
	var diags diag.Diagnostics
	port, err := backend.ParsePort(value.ValueString())
	if err == nil && !m.mayPublish(port, fixed) {
		remedy := "Add it to exposed_ports."
		if m.NetworkDisabled.ValueBool() {
			remedy = "Without a network none can be: wait for a line of the log or for a command instead, or unset network_disabled."
		}
		diags.AddAttributeError(attribute, "Port Not Published", fmt.Sprintf("Port %s of the container is not published, so nothing can be asked of it. %s", port, remedy))
	}
	return diags
}

// mayPublish says whether the port is published, as far as is known here. What a
// checkpoint publishes by default is not.
func (m workloadModel) mayPublish(port backend.Port, fixed []backend.PortBinding) bool {
	if m.NetworkDisabled.IsUnknown() {
		return true
	}
	if m.ExposedPorts.IsNull() && fixed == nil && !m.NetworkDisabled.ValueBool() {
		usual, ok := m.usualPort()
		if !m.FromCheckpoint.IsNull() || m.Preset.IsUnknown() || ok && usual == port {
			return true
		}
	}
	return slices.ContainsFunc(fixed, func(b backend.PortBinding) bool { return b.Port == port }) ||
		slices.ContainsFunc(m.ExposedPorts.Elements(), func(element attr.Value) bool {
			text, _ := element.(types.String)
			exposed, err := backend.ParsePort(text.ValueString())
			return err == nil && exposed == port
		})
}

// validateExposedPorts refuses a port that is listed twice in different words:
// as "53" and as "53/tcp".
func (m workloadModel) validateExposedPorts(ctx context.Context, root path.Path) diag.Diagnostics {
	attribute := root.AtName("exposed_ports")
	ports, diags := m.toExposedPorts(ctx, attribute)
	listed := make(map[backend.Port]struct{}, len(ports))
	for _, port := range ports {
		if _, ok := listed[port]; ok {
			diags.AddAttributeError(attribute, "Duplicate Port", fmt.Sprintf("Port %s of the container is listed twice.", port))
		}
		listed[port] = struct{}{}
	}
	return diags
}

// validateRoot refuses a root filesystem that no backend can give.
func (m workloadModel) validateRoot(root path.Path) diag.Diagnostics {
	var diags diag.Diagnostics
	conflict := func(name, detail string) {
		diags.AddAttributeError(root.AtName(name), "Invalid Attribute Combination", detail)
	}
	restored := isSet(m.FromCheckpoint)
	if isSet(m.DiskLimitMB) && restored {
		conflict("disk_limit_mb", "A copy of a checkpoint has the disk that was captured: disk_limit_mb does not go together with from_checkpoint. Set it where the checkpoint is seeded.")
	}
	if isSet(m.TmpfsRootMB) && restored {
		conflict("tmpfs_root_mb", "The data of a checkpoint is on a disk: tmpfs_root_mb does not go together with from_checkpoint.")
	}
	if isSet(m.TmpfsRootMB) && isSet(m.DiskLimitMB) {
		conflict("tmpfs_root_mb", "The filesystem of a container is either on a disk or in memory: set one of disk_limit_mb and tmpfs_root_mb.")
	}
	return diags
}

// validateCapturable refuses what a capture could not hold, before anything is
// seeded.
func (m workloadModel) validateCapturable(root path.Path) diag.Diagnostics {
	var diags diag.Diagnostics
	if isSet(m.TmpfsRootMB) {
		diags.AddAttributeError(root.AtName("tmpfs_root_mb"), "Seed Cannot Be Captured",
			"A checkpoint does not hold what is in memory, which with tmpfs_root_mb is all that the seed writes. Unset it; disk_limit_mb bounds a filesystem on disk.")
	}
	return diags
}

// validateNetwork refuses to publish ports of a container without a network.
// fixed says that some are published beside exposed_ports.
func (m workloadModel) validateNetwork(root path.Path, fixed bool) diag.Diagnostics {
	var diags diag.Diagnostics
	if m.NetworkDisabled.ValueBool() && (fixed || len(m.ExposedPorts.Elements()) > 0) {
		diags.AddAttributeError(root.AtName("network_disabled"), "Invalid Attribute Combination",
			"A container without a network cannot publish ports: network_disabled goes together with neither exposed_ports nor ports.")
	}
	return diags
}

// isSet says whether a value is in the configuration and known.
func isSet(value attr.Value) bool { return !value.IsNull() && !value.IsUnknown() }
