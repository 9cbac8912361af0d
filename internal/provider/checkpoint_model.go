package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-timetypes/timetypes"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/rightsize/terraform-provider-rightsize/internal/checkpoint"
	"github.com/rightsize/terraform-provider-rightsize/internal/fixture"
)

type checkpointModel struct {
	checkpointComputed

	Name          types.String         `tfsdk:"name"`
	ContainerID   types.String         `tfsdk:"container_id"`
	Seed          types.Object         `tfsdk:"seed"`
	ExpiresAfter  timetypes.GoDuration `tfsdk:"expires_after"`
	Flatten       types.Bool           `tfsdk:"flatten"`
	Memory        types.Bool           `tfsdk:"memory"`
	Triggers      types.Map            `tfsdk:"triggers"`
	Timeouts      timeouts.Value       `tfsdk:"timeouts"`
	ContentSHA256 types.String         `tfsdk:"content_sha256"`
}

// checkpointComputed is what the registry and the backend say of a checkpoint,
// in the resource as in the data sources.
type checkpointComputed struct {
	ID         types.String      `tfsdk:"id"`
	Ref        types.String      `tfsdk:"ref"`
	Backend    types.String      `tfsdk:"backend"`
	ArtifactID types.String      `tfsdk:"artifact_id"`
	CreatedAt  timetypes.RFC3339 `tfsdk:"created_at"`
	SizeBytes  types.Int64       `tfsdk:"size_bytes"`
	Layers     types.Int64       `tfsdk:"layers"`
	PauseMS    types.Int64       `tfsdk:"pause_ms"`
	Resumes    types.Object      `tfsdk:"resumes"`
	ExpiresAt  timetypes.RFC3339 `tfsdk:"expires_at"`
	Spec       types.Object      `tfsdk:"spec"`
}

var specTypes = map[string]attr.Type{
	"env":             types.MapType{ElemType: types.StringType},
	"command":         types.ListType{ElemType: types.StringType},
	"exposed_ports":   types.ListType{ElemType: types.Int64Type},
	"memory_limit_mb": types.Int64Type,
}

// resumesTypes is what a container has to have to go on from memory.
var resumesTypes = map[string]attr.Type{
	"memory_limit_mb": types.Int64Type,
	"cpus":            types.Float64Type,
	"engine":          types.StringType,
}

// fromCheckpoint sets everything to what is registered.
func (c *checkpointComputed) fromCheckpoint(ctx context.Context, cp fixture.Checkpoint) diag.Diagnostics {
	c.ID = types.StringValue(cp.ID())
	c.Ref = types.StringValue(cp.Entry.Ref)
	c.Backend = types.StringValue(cp.Entry.Backend)
	c.CreatedAt = timetypes.NewRFC3339TimeValue(cp.Entry.CreatedAt)
	c.ExpiresAt = expiryValue(cp.ExpiresAt)
	c.ArtifactID = types.StringNull()
	c.SizeBytes = types.Int64Null()
	c.Layers = types.Int64Null()
	c.PauseMS = types.Int64Null()
	c.Resumes = types.ObjectNull(resumesTypes)
	if cp.Artifact.Pause > 0 {
		c.PauseMS = types.Int64Value(cp.Artifact.Pause.Milliseconds())
	}
	if memory := cp.Artifact.Memory; memory != nil {
		c.Resumes = types.ObjectValueMust(resumesTypes, map[string]attr.Value{
			"memory_limit_mb": types.Int64Value(memory.MemoryMB),
			"cpus":            types.Float64Value(memory.CPUs),
			"engine":          types.StringValue(memory.Engine),
		})
	}
	if cp.Artifact.Layers > 0 {
		c.Layers = types.Int64Value(int64(cp.Artifact.Layers))
	}
	if cp.Probed {
		c.ArtifactID = types.StringValue(cp.Artifact.ID)
		c.SizeBytes = types.Int64Value(cp.Artifact.SizeBytes)
	}
	spec, diags := specValue(ctx, cp.Entry.Spec)
	c.Spec = spec
	return diags
}

// checkpointListed is what the data sources tell of a checkpoint.
type checkpointListed struct {
	checkpointComputed

	AgeHours types.Int64 `tfsdk:"age_hours"`
	Expired  types.Bool  `tfsdk:"expired"`
}

func (l *checkpointListed) fromListed(ctx context.Context, fixtures *fixture.Fixtures, cp fixture.Checkpoint) diag.Diagnostics {
	l.AgeHours = types.Int64Value(max(0, int64(fixtures.Age(cp.Entry.CreatedAt).Hours())))
	l.Expired = types.BoolValue(fixtures.Expired(cp.ExpiresAt))
	return l.fromCheckpoint(ctx, cp)
}

// unknownCheckpoint is what is computed of a checkpoint before its capture.
func unknownCheckpoint() checkpointComputed {
	return checkpointComputed{
		ID:         types.StringUnknown(),
		Ref:        types.StringUnknown(),
		Backend:    types.StringUnknown(),
		ArtifactID: types.StringUnknown(),
		CreatedAt:  timetypes.NewRFC3339Unknown(),
		SizeBytes:  types.Int64Unknown(),
		Layers:     types.Int64Unknown(),
		PauseMS:    types.Int64Unknown(),
		Resumes:    types.ObjectUnknown(resumesTypes),
		ExpiresAt:  timetypes.NewRFC3339Unknown(),
		Spec:       types.ObjectUnknown(specTypes),
	}
}

// absentCheckpoint is what is computed of a checkpoint that is not there.
func absentCheckpoint() checkpointComputed {
	return checkpointComputed{
		CreatedAt: timetypes.NewRFC3339Null(),
		ExpiresAt: timetypes.NewRFC3339Null(),
		Resumes:   types.ObjectNull(resumesTypes),
		Spec:      types.ObjectNull(specTypes),
	}
}

func specValue(ctx context.Context, spec checkpoint.Spec) (types.Object, diag.Diagnostics) {
	var diags diag.Diagnostics
	ports := spec.ExposedPorts
	if ports == nil {
		ports = []int{}
	}
	exposed, d := types.ListValueFrom(ctx, types.Int64Type, ports)
	diags.Append(d...)
	env := spec.Env
	if env == nil {
		env = map[string]string{}
	}
	envValue, d := types.MapValueFrom(ctx, types.StringType, env)
	diags.Append(d...)
	value, d := types.ObjectValue(specTypes, map[string]attr.Value{
		"env":             envValue,
		"command":         stringListOrNull(ctx, spec.Command, &diags),
		"exposed_ports":   exposed,
		"memory_limit_mb": types.Int64PointerValue(spec.MemoryLimitMB),
	})
	diags.Append(d...)
	return value, diags
}

// seedModel is a workload that lives only to be captured.
type seedModel struct {
	workloadModel

	Warm types.Bool `tfsdk:"warm"`
}

// seed returns the seed of a configuration, or nil.
func (m checkpointModel) seed(ctx context.Context) (*seedModel, diag.Diagnostics) {
	if m.Seed.IsNull() || m.Seed.IsUnknown() {
		return nil, nil
	}
	var seed seedModel
	diags := m.Seed.As(ctx, &seed, basetypes.ObjectAsOptions{})
	return &seed, diags
}

// toSource converts a configuration that is fully known.
func (m checkpointModel) toSource(ctx context.Context) (fixture.Source, diag.Diagnostics) {
	seed, diags := m.seed(ctx)
	if diags.HasError() || seed == nil {
		return fixture.Source{
			ContainerID:  m.ContainerID.ValueString(),
			Flatten:      m.Flatten.ValueBool(),
			Memory:       m.Memory.ValueBool(),
			ExpiresAfter: period(m.ExpiresAfter),
		}, diags
	}
	def, d := seed.toDefinition(ctx, onFailureRemove, path.Root("seed"))
	diags.Append(d...)
	return fixture.Source{
		Seed:         &def,
		StopTimeout:  seed.stopTimeout(),
		Flatten:      m.Flatten.ValueBool(),
		Memory:       seed.Warm.ValueBool(),
		ExpiresAfter: period(m.ExpiresAfter),
	}, diags
}

// contentDigest is the value of content_sha256.
func (m checkpointModel) contentDigest(ctx context.Context) (types.String, diag.Diagnostics) {
	if m.Seed.IsUnknown() {
		return types.StringUnknown(), nil
	}
	seed, diags := m.seed(ctx)
	if diags.HasError() || seed == nil {
		return types.StringNull(), diags
	}
	return seed.contentDigest(ctx, path.Root("seed"))
}
