package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-timetypes/timetypes"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/rightsize/terraform-provider-rightsize/internal/fixture"
)

type stepModel struct {
	Command    []string             `tfsdk:"command"`
	Stdin      types.String         `tfsdk:"stdin"`
	User       types.String         `tfsdk:"user"`
	WorkingDir types.String         `tfsdk:"working_dir"`
	Env        map[string]string    `tfsdk:"env"`
	Timeout    timetypes.GoDuration `tfsdk:"timeout"`
}

// toSteps converts the exec steps of a configuration that is known.
func (m workloadModel) toSteps(ctx context.Context) ([]fixture.Step, diag.Diagnostics) {
	var models []stepModel
	diags := m.Exec.ElementsAs(ctx, &models, false)
	steps := make([]fixture.Step, 0, len(models))
	for _, model := range models {
		steps = append(steps, model.toStep())
	}
	return steps, diags
}

func (m stepModel) toStep() fixture.Step {
	return fixture.Step{
		Command:    m.Command,
		Stdin:      m.Stdin.ValueString(),
		User:       m.User.ValueString(),
		WorkingDir: m.WorkingDir.ValueString(),
		Env:        m.Env,
		Timeout:    duration(m.Timeout, fixture.DefaultStepTimeout),
	}
}
