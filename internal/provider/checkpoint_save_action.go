package provider

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/rightsize/terraform-provider-rightsize/internal/fixture"
)

var _ action.ActionWithConfigure = (*checkpointSaveAction)(nil)

func newCheckpointSaveAction() action.Action { return &checkpointSaveAction{} }

// checkpointSaveAction captures a container now.
type checkpointSaveAction struct {
	fixtures *fixture.Fixtures
}

type checkpointSaveModel struct {
	ContainerID types.String `tfsdk:"container_id"`
	Name        types.String `tfsdk:"name"`
}

func (a *checkpointSaveAction) Metadata(_ context.Context, req action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_checkpoint_save"
}

func (a *checkpointSaveAction) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Captures a container as a checkpoint, now, with Terraform 1.14 or newer. What the name stood for before is replaced as by a `rightsize_checkpoint`, and a capture that fails changes nothing. " +
			"No state names the checkpoint: `rightsize_checkpoint` as a data source finds it, and an import takes it into a state that removes it. " +
			"Where a `rightsize_checkpoint` resource has the same name, its next plan captures it again.",
		Attributes: map[string]schema.Attribute{
			"container_id": schema.StringAttribute{
				MarkdownDescription: describeActionContainer + " One that runs is paused for the capture, and its data is as after a power cut.",
				Required:            true,
				Validators:          []validator.String{containerReference()},
			},
			"name": schema.StringAttribute{
				MarkdownDescription: "The checkpoint's name: 1 to 41 lower-case letters, digits and hyphens, not beginning with a hyphen.",
				Required:            true,
				Validators:          []validator.String{checkpointName()},
			},
		},
	}
}

// describeActionContainer is of the container that an action works on.
const describeActionContainer = "The container: the `container_id` of a `rightsize_container`, or the id or name of any other container of the engine."

func (a *checkpointSaveAction) Configure(_ context.Context, req action.ConfigureRequest, resp *action.ConfigureResponse) {
	fixtures, diags := fixturesFrom(req.ProviderData)
	resp.Diagnostics.Append(diags...)
	a.fixtures = fixtures
}

func (a *checkpointSaveAction) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	var config checkpointSaveModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if a.fixtures == nil {
		resp.Diagnostics.Append(notConfigured())
	}
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, finish := reporting(ctx, resp.SendProgress)
	defer finish()
	ctx, cancel := context.WithTimeout(ctx, checkpointCaptureTimeout)
	defer cancel()
	cp, err := a.fixtures.Capture(ctx, config.Name.ValueString(), fixture.Source{ContainerID: config.ContainerID.ValueString()})
	if err != nil {
		resp.Diagnostics.Append(savedDiagnostic(cp, err))
		return
	}
	report(ctx, fmt.Sprintf("Checkpoint %s is registered, %d MB with what it shares.", cp.ID(), cp.Artifact.SizeBytes/1_000_000))
}

// savedDiagnostic describes what went wrong with a capture that an action has
// made: an error if there is none, a warning if the container did not come back.
func savedDiagnostic(cp fixture.Checkpoint, err error) diag.Diagnostic {
	if cp.Entry.Name == "" {
		err = &outcome{err, "No capture was registered: what the name stood for before it still stands for."}
		return errorDiagnostic("Capture", "Checkpoint", err, captured(err))
	}
	if down, ok := errors.AsType[*fixture.DownError](err); ok {
		return diag.NewAttributeWarningDiagnostic(path.Root("container_id"), "Container Not Running After Its Capture",
			sentence(down.Error())+" The checkpoint "+cp.ID()+" is complete.")
	}
	return errorDiagnostic("Capture", "Checkpoint", &outcome{err, "The checkpoint " + cp.ID() + " is complete."}, nowhere)
}
