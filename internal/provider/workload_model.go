package provider

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timetypes/timetypes"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/fixture"
)

// workloadModel is what a container and the seed of a checkpoint have in
// common.
type workloadModel struct {
	Image            types.String         `tfsdk:"image"`
	FromCheckpoint   types.String         `tfsdk:"from_checkpoint"`
	Env              types.Map            `tfsdk:"env"`
	Command          types.List           `tfsdk:"command"`
	Entrypoint       types.List           `tfsdk:"entrypoint"`
	WorkingDir       types.String         `tfsdk:"working_dir"`
	User             types.String         `tfsdk:"user"`
	ExposedPorts     types.Set            `tfsdk:"exposed_ports"`
	Preset           types.String         `tfsdk:"preset"`
	Files            types.List           `tfsdk:"files"`
	WaitFor          types.Object         `tfsdk:"wait_for"`
	Exec             types.List           `tfsdk:"exec"`
	MemoryLimitMB    types.Int64          `tfsdk:"memory_limit_mb"`
	CPUs             types.Float64        `tfsdk:"cpus"`
	DiskLimitMB      types.Int64          `tfsdk:"disk_limit_mb"`
	TmpfsRootMB      types.Int64          `tfsdk:"tmpfs_root_mb"`
	NetworkDisabled  types.Bool           `tfsdk:"network_disabled"`
	Networks         types.Set            `tfsdk:"networks"`
	RequireIsolation types.Bool           `tfsdk:"require_isolation"`
	PullPolicy       types.String         `tfsdk:"pull_policy"`
	StopTimeout      timetypes.GoDuration `tfsdk:"stop_timeout"`
	OnFailure        types.String         `tfsdk:"on_failure"`
}

// toDefinition converts a configuration that is fully known. It must be the
// configuration, not the plan: only there are write-only values present.
// onFailure is what an unset on_failure means, and root where the attributes
// are, for diagnostics.
func (m workloadModel) toDefinition(ctx context.Context, onFailure string, root path.Path) (fixture.Definition, diag.Diagnostics) {
	var diags diag.Diagnostics
	def := fixture.Definition{
		Spec: backend.Spec{
			Image:      m.Image.ValueString(),
			PullPolicy: backend.PullPolicy(cmp.Or(m.PullPolicy.ValueString(), string(backend.PullMissing))),
			WorkingDir: m.WorkingDir.ValueString(),
			User:       m.User.ValueString(),
			Limits: backend.Limits{
				MemoryMB: m.MemoryLimitMB.ValueInt64(),
				CPUs:     m.CPUs.ValueFloat64(),
			},
			DiskMB:          m.DiskLimitMB.ValueInt64(),
			TmpfsRootMB:     m.TmpfsRootMB.ValueInt64(),
			NetworkDisabled: m.NetworkDisabled.ValueBool(),
		},
		Checkpoint:       m.FromCheckpoint.ValueString(),
		Preset:           m.preset(),
		RequireIsolation: m.RequireIsolation.ValueBool(),
		KeepOnFailure:    cmp.Or(m.OnFailure.ValueString(), onFailure) == onFailureKeep,
	}
	diags.Append(m.Env.ElementsAs(ctx, &def.Spec.Env, false)...)
	diags.Append(m.Command.ElementsAs(ctx, &def.Spec.Command, false)...)
	diags.Append(m.Entrypoint.ElementsAs(ctx, &def.Spec.Entrypoint, false)...)

	var d diag.Diagnostics
	def.Exposed, d = m.toExposedPorts(ctx, root.AtName("exposed_ports"))
	diags.Append(d...)
	def.Spec.Networks, d = m.toAttachments(ctx)
	diags.Append(d...)
	def.Spec.Files, d = m.toFiles(ctx, root.AtName("files"))
	diags.Append(d...)
	def.Steps, d = m.toSteps(ctx)
	diags.Append(d...)
	def.Wait, d = m.toWait(ctx, root.AtName("wait_for"))
	diags.Append(d...)
	return def, diags
}

// toExposedPorts converts the ports whose host ports the provider chooses: nil if
// they are not configured.
func (m workloadModel) toExposedPorts(ctx context.Context, root path.Path) ([]backend.Port, diag.Diagnostics) {
	if m.ExposedPorts.IsNull() {
		return nil, nil
	}
	var texts []string
	diags := m.ExposedPorts.ElementsAs(ctx, &texts, false)
	ports := make([]backend.Port, 0, len(texts))
	for _, text := range texts {
		port, err := backend.ParsePort(text)
		if err != nil {
			diags.AddAttributeError(root, "Invalid Port", err.Error())
			continue
		}
		ports = append(ports, port)
	}
	slices.SortFunc(ports, backend.Port.Compare)
	return ports, diags
}

// stopTimeout is how long the container may take to shut down.
func (m workloadModel) stopTimeout() time.Duration {
	return duration(m.StopTimeout, backend.DefaultStopTimeout)
}

// job says whether the container is meant to finish rather than to stay up.
func (m workloadModel) job() types.Bool {
	if m.WaitFor.IsUnknown() {
		return types.BoolUnknown()
	}
	exit, _ := m.WaitFor.Attributes()["exit"].(types.Bool)
	return exit
}

// contentDigest is the value of content_sha256: null if there is no content,
// unknown if part of it is not known yet. Sources are read.
func (m workloadModel) contentDigest(ctx context.Context, root path.Path) (types.String, diag.Diagnostics) {
	if !fullyKnown(ctx, m.Files) || !fullyKnown(ctx, m.Exec) {
		return types.StringUnknown(), nil
	}
	files, diags := m.toFiles(ctx, root.AtName("files"))
	steps, d := m.toSteps(ctx)
	diags.Append(d...)
	if diags.HasError() {
		return types.StringUnknown(), diags
	}
	digest, err := fixture.ContentDigest(files, steps)
	if err != nil {
		diags.Append(errorDiagnostic("Read", "File", err, under(root)))
		return types.StringUnknown(), diags
	}
	if digest == "" {
		return types.StringNull(), diags
	}
	return types.StringValue(digest), diags
}

// fullyKnown says whether a value and everything in it is known.
func fullyKnown(ctx context.Context, value attr.Value) bool {
	v, err := value.ToTerraformValue(ctx)
	return err == nil && v.IsFullyKnown()
}

// duration is a duration that was validated, or the default if it is not set.
func duration(value timetypes.GoDuration, unset time.Duration) time.Duration {
	d, _ := value.ValueGoDuration()
	return cmp.Or(d, unset)
}
