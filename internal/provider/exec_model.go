package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/fixture"
)

type execModel struct {
	ContainerID      types.String   `tfsdk:"container_id"`
	Command          types.List     `tfsdk:"command"`
	Stdin            types.String   `tfsdk:"stdin"`
	User             types.String   `tfsdk:"user"`
	WorkingDir       types.String   `tfsdk:"working_dir"`
	Env              types.Map      `tfsdk:"env"`
	SuccessExitCodes types.Set      `tfsdk:"success_exit_codes"`
	Triggers         types.Map      `tfsdk:"triggers"`
	OnDestroy        types.Object   `tfsdk:"on_destroy"`
	Timeouts         timeouts.Value `tfsdk:"timeouts"`

	ID              types.String `tfsdk:"id"`
	Backend         types.String `tfsdk:"backend"`
	ExitCode        types.Int64  `tfsdk:"exit_code"`
	Stdout          types.String `tfsdk:"stdout"`
	StdoutTruncated types.Bool   `tfsdk:"stdout_truncated"`
	ContentSHA256   types.String `tfsdk:"content_sha256"`
}

// commandModel is a command without input.
type commandModel struct {
	Command    []string          `tfsdk:"command"`
	User       types.String      `tfsdk:"user"`
	WorkingDir types.String      `tfsdk:"working_dir"`
	Env        map[string]string `tfsdk:"env"`
}

func (m commandModel) toStep() fixture.Step {
	return fixture.Step{
		Command:    m.Command,
		User:       m.User.ValueString(),
		WorkingDir: m.WorkingDir.ValueString(),
		Env:        m.Env,
	}
}

// toStep converts a configuration that is fully known. It must be the
// configuration, not the plan: only there is the input present.
func (m execModel) toStep(ctx context.Context) (fixture.Step, diag.Diagnostics) {
	command := commandModel{User: m.User, WorkingDir: m.WorkingDir}
	diags := m.Command.ElementsAs(ctx, &command.Command, false)
	diags.Append(m.Env.ElementsAs(ctx, &command.Env, false)...)
	step := command.toStep()
	step.Stdin = m.Stdin.ValueString()
	if !m.SuccessExitCodes.IsNull() {
		diags.Append(m.SuccessExitCodes.ElementsAs(ctx, &step.SuccessCodes, false)...)
	}
	return step, diags
}

// toUndo converts the command that runs when the resource is destroyed; ok says
// that there is one.
func (m execModel) toUndo(ctx context.Context) (step fixture.Step, ok bool, diags diag.Diagnostics) {
	if m.OnDestroy.IsNull() {
		return fixture.Step{}, false, nil
	}
	var command commandModel
	diags = m.OnDestroy.As(ctx, &command, basetypes.ObjectAsOptions{})
	return command.toStep(), true, diags
}

// contentDigest is the value of content_sha256: null if there is no input,
// unknown if it is not known yet.
func (m execModel) contentDigest() (types.String, error) {
	if m.Stdin.IsUnknown() {
		return types.StringUnknown(), nil
	}
	digest, err := fixture.ContentDigest(nil, []fixture.Step{{Stdin: m.Stdin.ValueString()}})
	return stringOrNull(digest), err
}

// replacedBy returns the attributes whose change runs the command again.
func (m execModel) replacedBy(state execModel) path.Paths {
	var replace path.Paths
	changed := func(name string, before, after attr.Value) {
		if !before.Equal(after) {
			replace.Append(path.Root(name))
		}
	}
	changed("container_id", state.ContainerID, m.ContainerID)
	changed("command", state.Command, m.Command)
	changed("user", state.User, m.User)
	changed("working_dir", state.WorkingDir, m.WorkingDir)
	changed("env", state.Env, m.Env)
	changed("success_exit_codes", state.SuccessExitCodes, m.SuccessExitCodes)
	changed("triggers", state.Triggers, m.Triggers)
	changed("content_sha256", state.ContentSHA256, m.ContentSHA256)
	return replace
}

// fromOutput sets what is computed to what came of the command.
func (m *execModel) fromOutput(id string, name backend.Name, output fixture.Output) {
	m.ID = types.StringValue(id)
	m.Backend = types.StringValue(string(name))
	m.ExitCode = types.Int64Value(int64(output.ExitCode))
	m.Stdout = types.StringValue(output.Stdout)
	m.StdoutTruncated = types.BoolValue(output.Truncated)
}
