package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/fixture"
)

// validateMemory refuses two ways to say what a seed is to hold.
func (m checkpointModel) validateMemory() diag.Diagnostics {
	if !m.Memory.ValueBool() {
		return nil
	}
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root("memory"), "Invalid Attribute Combination",
		"It is for a container that exists. A seed is stopped before it is captured, so that there is no memory to hold. "+
			"Set seed.warm = true instead, to capture it as it runs.")}
}

// refuseMemory reports a capture that is to hold memory on a backend that cannot,
// as far as that is known when the plan is made.
func (r *checkpointResource) refuseMemory(ctx context.Context, config checkpointModel, seed *seedModel) diag.Diagnostics {
	wanted := config.Memory.ValueBool() || seed != nil && seed.Warm.ValueBool()
	if !wanted || r.fixtures == nil {
		return nil
	}
	source := fixture.Source{Memory: true}
	if seed != nil {
		source.Seed = new(fixture.Definition)
	}
	if err := r.fixtures.CheckMemory(ctx, config.Name.ValueString(), source); err != nil {
		find := at(path.Root("memory"))
		if source.Seed != nil {
			find = at(path.Root("seed").AtName("warm"))
		}
		return diag.Diagnostics{errorDiagnostic("Capture", "Checkpoint", err, find)}
	}
	return nil
}

// refuseOther reports what a copy of a checkpoint with memory cannot be given, if
// the checkpoint is there when the plan is made.
func (d resourceData) refuseOther(ctx context.Context, m workloadModel, name types.String, root path.Path) diag.Diagnostics {
	if d.fixtures == nil || m.FromCheckpoint.ValueString() == "" {
		return nil
	}
	def := fixture.Definition{
		Checkpoint: m.FromCheckpoint.ValueString(),
		Spec: backend.Spec{
			Name:       name.ValueString(),
			WorkingDir: m.WorkingDir.ValueString(),
			User:       m.User.ValueString(),
			Limits:     backend.Limits{MemoryMB: m.MemoryLimitMB.ValueInt64(), CPUs: m.CPUs.ValueFloat64()},
			Files:      make([]backend.File, len(m.Files.Elements())),
		},
	}
	// What is not known yet is not refused yet.
	var diags diag.Diagnostics
	if fullyKnown(ctx, m.Env) {
		diags.Append(m.Env.ElementsAs(ctx, &def.Spec.Env, false)...)
	}
	if fullyKnown(ctx, m.Command) {
		diags.Append(m.Command.ElementsAs(ctx, &def.Spec.Command, false)...)
	}
	if fullyKnown(ctx, m.Entrypoint) {
		diags.Append(m.Entrypoint.ElementsAs(ctx, &def.Spec.Entrypoint, false)...)
	}
	if diags.HasError() {
		return diags
	}
	if err := d.fixtures.CheckResumes(ctx, def); err != nil {
		return diag.Diagnostics{errorDiagnostic("Start", "Container", err, under(root))}
	}
	return nil
}
