package provider

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/rightsize/terraform-provider-rightsize/internal/fixture"
	"github.com/rightsize/terraform-provider-rightsize/internal/preset"
)

var _ action.ActionWithConfigure = (*containerResetAction)(nil)

func newContainerResetAction() action.Action { return &containerResetAction{} }

// containerResetAction brings a container back to its defined contents without a
// change of its configuration. It knows of it what the engine tells.
type containerResetAction struct {
	fixtures *fixture.Fixtures
}

type containerResetModel struct {
	ContainerID types.String `tfsdk:"container_id"`
	SaveAs      types.String `tfsdk:"save_as"`
	WaitFor     types.Object `tfsdk:"wait_for"`
	Preset      types.String `tfsdk:"preset"`
}

func (a *containerResetAction) Metadata(_ context.Context, req action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_container_reset"
}

func (a *containerResetAction) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Brings a container back to its defined contents in place, now, with Terraform 1.14 or newer: same name, same host ports. " +
			"Its `rightsize_container` follows: the next plan has nothing to do for it.\n\n" +
			"An action knows no other resource's configuration. It makes the container from what the engine tells of it, which is everything but `files` and `exec` steps: " +
			"a container that has those is left as it is, and the error names the ways to reset it. " +
			"So is one whose checkpoint was captured again since it was restored. One that is restored from a checkpoint, and has its data from there, is what this action is for.",
		Attributes: map[string]schema.Attribute{
			"container_id": schema.StringAttribute{
				MarkdownDescription: "The container: the `container_id` or the name of a `rightsize_container`. The name stays the same at each reset, the `container_id` does not.",
				Required:            true,
				Validators:          []validator.String{containerReference()},
			},
			"save_as": schema.StringAttribute{
				MarkdownDescription: "The name of a checkpoint to keep the present contents as before the reset. If it cannot be captured, the container is left as it is. Defaults to none: they are lost.",
				Optional:            true,
				Validators:          []validator.String{checkpointName()},
			},
			"wait_for": waitForAttribute(" Give the same as the container has: its own is known to its configuration alone."),
			"preset": schema.StringAttribute{
				MarkdownDescription: "What kind of server is in the container, for the wait that is usual for it, where `wait_for` is not set: " + presetNames() + ". Give the same as the container has.",
				Optional:            true,
				Validators:          []validator.String{stringvalidator.OneOf(preset.Names()...)},
			},
		},
	}
}

func (a *containerResetAction) Configure(_ context.Context, req action.ConfigureRequest, resp *action.ConfigureResponse) {
	fixtures, diags := fixturesFrom(req.ProviderData)
	resp.Diagnostics.Append(diags...)
	a.fixtures = fixtures
}

func (a *containerResetAction) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	var config containerResetModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if a.fixtures == nil {
		resp.Diagnostics.Append(notConfigured())
	}
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, finish := reporting(ctx, resp.SendProgress)
	defer finish()
	ctx, cancel := context.WithTimeout(ctx, containerUpdateTimeout)
	defer cancel()
	resp.Diagnostics.Append(a.reset(ctx, config)...)
}

func (a *containerResetAction) reset(ctx context.Context, config containerResetModel) diag.Diagnostics {
	c, err := a.fixtures.Inspect(ctx, config.ContainerID.ValueString())
	if err != nil {
		return diag.Diagnostics{errorDiagnostic("Reset", "Container", err, at(path.Root("container_id")))}
	}
	// Which port a wait asks may follow from those that are published.
	workload := workloadModel{WaitFor: config.WaitFor, Preset: config.Preset, ExposedPorts: exposedPortsValue(c.Ports)}
	wait, diags := workload.toWait(ctx, path.Root("wait_for"))
	if diags.HasError() {
		return diags
	}
	if err := fixture.Resettable(c); err != nil {
		return append(diags, errorDiagnostic("Reset", "Container", err, under(path.Empty())))
	}
	if name := config.SaveAs.ValueString(); name != "" {
		cp, err := a.fixtures.Capture(ctx, name, fixture.Source{ContainerID: c.ID})
		if _, down := errors.AsType[*fixture.DownError](err); err != nil && !down {
			return append(diags, savedDiagnostic(cp, err))
		}
		report(ctx, fmt.Sprintf("The present contents are kept as %s.", cp.ID()))
	}
	made, err := a.fixtures.ResetAsTold(ctx, c.Name, fixture.Definition{Wait: wait, Preset: workload.preset()})
	if err != nil {
		err = &outcome{err, afterActionReset(c.Name, made.ID != "")}
		return append(diags, errorDiagnostic("Reset", "Container", err, under(path.Empty())))
	}
	report(ctx, fmt.Sprintf("Container %s is as it was defined, and ready.", made.Name))
	return diags
}

// afterActionReset says what exists after a reset by an action that failed.
func afterActionReset(name string, made bool) string {
	if made {
		return fmt.Sprintf("Container %s is there anew, for inspection. The next apply of its rightsize_container mends what it can.", name)
	}
	return fmt.Sprintf("If container %s is gone, the next apply of its rightsize_container creates it.", name)
}
