package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-timetypes/timetypes"
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/rightsize/terraform-provider-rightsize/internal/fixture"
)

var _ action.ActionWithConfigure = (*execAction)(nil)

func newExecAction() action.Action { return &execAction{} }

// execAction runs a command in a container now.
type execAction struct {
	fixtures *fixture.Fixtures
}

type execActionModel struct {
	stepModel

	ContainerID      types.String `tfsdk:"container_id"`
	SuccessExitCodes []int        `tfsdk:"success_exit_codes"`
	ShowOutput       types.Bool   `tfsdk:"show_output"`
}

func (a *execAction) Metadata(_ context.Context, req action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_exec"
}

func (a *execAction) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Runs a command in a container, now, with Terraform 1.14 or newer. What it writes is shown as it comes, without the values of `env`, of the container's environment and of `stdin`. " +
			"Nothing of it enters state: for a command whose effect belongs to a stack there is the resource `rightsize_exec`.",
		Attributes: map[string]schema.Attribute{
			"container_id": schema.StringAttribute{
				MarkdownDescription: describeActionContainer + " It must be running.",
				Required:            true,
				Validators:          []validator.String{containerReference()},
			},
			"command": schema.ListAttribute{
				MarkdownDescription: "The program and its arguments. There is no shell unless you name one.",
				Required:            true,
				ElementType:         types.StringType,
				Validators:          programAndArguments(),
			},
			"stdin": schema.StringAttribute{
				MarkdownDescription: "Text for the command's standard input.",
				Optional:            true,
			},
			"user": schema.StringAttribute{
				MarkdownDescription: "The user that the command runs as. Defaults to the container's.",
				Optional:            true,
				Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"working_dir": schema.StringAttribute{
				MarkdownDescription: "The absolute path of the directory in which the command runs. Defaults to the container's.",
				Optional:            true,
				Validators:          []validator.String{absolutePath()},
			},
			"env": schema.MapAttribute{
				MarkdownDescription: "Environment variables for the command, in addition to the container's.",
				Optional:            true,
				ElementType:         types.StringType,
				Validators:          []validator.Map{mapvalidator.NoNullValues(), mapvalidator.KeysAre(envName())},
			},
			"timeout": schema.StringAttribute{
				MarkdownDescription: "How long the command may take, as a duration such as `90s`. Defaults to `10m`.",
				Optional:            true,
				CustomType:          timetypes.GoDurationType{},
				Validators:          []validator.String{positiveDuration()},
			},
			"success_exit_codes": schema.SetAttribute{
				MarkdownDescription: "The exit codes of success. Any other is an error that shows the end of the command's output. Defaults to `[0]`.",
				Optional:            true,
				ElementType:         types.Int64Type,
				Validators: []validator.Set{
					setvalidator.SizeAtLeast(1), setvalidator.NoNullValues(), setvalidator.ValueInt64sAre(int64validator.Between(0, 255)),
				},
			},
			"show_output": schema.BoolAttribute{
				MarkdownDescription: "Whether to show what the command writes, 64 KiB of it at most. Defaults to `true`.",
				Optional:            true,
			},
		},
	}
}

func (a *execAction) Configure(_ context.Context, req action.ConfigureRequest, resp *action.ConfigureResponse) {
	fixtures, diags := fixturesFrom(req.ProviderData)
	resp.Diagnostics.Append(diags...)
	a.fixtures = fixtures
}

func (a *execAction) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	var config execActionModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if a.fixtures == nil {
		resp.Diagnostics.Append(notConfigured())
	}
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, finish := reporting(ctx, resp.SendProgress)
	defer finish()
	var show func(line string)
	if config.ShowOutput.IsNull() || config.ShowOutput.ValueBool() {
		show = func(line string) { report(ctx, line) }
	}
	step := config.toStep()
	step.SuccessCodes = config.SuccessExitCodes
	output, err := a.fixtures.RunShowing(ctx, config.ContainerID.ValueString(), step, show)
	if err != nil {
		resp.Diagnostics.Append(errorDiagnostic("Run", "Command", err, ranIn(err, path.Root("command"))))
		return
	}
	report(ctx, fmt.Sprintf("The command exited with code %d.", output.ExitCode))
}
