package provider

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/fixture"
)

var (
	_ ephemeral.EphemeralResourceWithClose          = (*ephemeralContainer)(nil)
	_ ephemeral.EphemeralResourceWithConfigure      = (*ephemeralContainer)(nil)
	_ ephemeral.EphemeralResourceWithValidateConfig = (*ephemeralContainer)(nil)
)

func newEphemeralContainer() ephemeral.EphemeralResource { return &ephemeralContainer{} }

// ephemeralContainer is a container that lives for one run of Terraform.
type ephemeralContainer struct {
	fixtures *fixture.Fixtures
}

type ephemeralContainerModel struct {
	workloadModel

	Name          types.String `tfsdk:"name"`
	ContainerID   types.String `tfsdk:"container_id"`
	Backend       types.String `tfsdk:"backend"`
	Host          types.String `tfsdk:"host"`
	MappedPorts   types.Map    `tfsdk:"mapped_ports"`
	ConnectionURI types.String `tfsdk:"connection_uri"`
	ImageID       types.String `tfsdk:"image_id"`
}

// What Close needs to know of what Open has made, in private data.
const (
	openedKey      = "container_id"
	stopTimeoutKey = "stop_timeout"
)

// ephemeralOpenTimeout is how long starting, waiting and exec steps may take
// together. There is no timeouts attribute: wait_for and exec have their own.
const ephemeralOpenTimeout = 30 * time.Minute

func (e *ephemeralContainer) Metadata(_ context.Context, req ephemeral.MetadataRequest, resp *ephemeral.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_container"
}

func (e *ephemeralContainer) Schema(_ context.Context, _ ephemeral.SchemaRequest, resp *ephemeral.SchemaResponse) {
	resp.Schema = ephemeralContainerSchema()
}

func (e *ephemeralContainer) Configure(_ context.Context, req ephemeral.ConfigureRequest, resp *ephemeral.ConfigureResponse) {
	fixtures, diags := fixturesFrom(req.ProviderData)
	resp.Diagnostics.Append(diags...)
	e.fixtures = fixtures
}

func (e *ephemeralContainer) ValidateConfig(ctx context.Context, req ephemeral.ValidateConfigRequest, resp *ephemeral.ValidateConfigResponse) {
	var config ephemeralContainerModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(config.validateRoot(path.Empty())...)
	resp.Diagnostics.Append(config.validateNetwork(path.Empty(), false)...)
	resp.Diagnostics.Append(config.validateNetworks(path.Empty())...)
	resp.Diagnostics.Append(config.validate(ctx, path.Empty(), nil)...)
}

// Open starts the container and waits until it is ready. Terraform calls it only
// when the whole configuration is known, for a plan as for an apply.
func (e *ephemeralContainer) Open(ctx context.Context, req ephemeral.OpenRequest, resp *ephemeral.OpenResponse) {
	var model ephemeralContainerModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if e.fixtures == nil {
		resp.Diagnostics.Append(notConfigured())
		return
	}
	def, diags := model.toDefinition(ctx, onFailureRemove, path.Empty())
	resp.Diagnostics.Append(diags...)
	b, err := e.fixtures.Backend(ctx)
	if err != nil {
		resp.Diagnostics.Append(errorDiagnostic("Open", "Container", err, nowhere))
	}
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, ephemeralOpenTimeout)
	defer cancel()
	// Terraform (1.11) tells no provider of an interrupt while it plans what it is
	// about to apply. The terminal tells all of them.
	ctx, ignore := signal.NotifyContext(ctx, os.Interrupt)
	defer ignore()
	c, err := e.fixtures.Borrow(ctx, def)
	if err != nil {
		switch {
		case c.ID != "":
			err = &outcome{err, fmt.Sprintf("Container %s is kept for inspection. Nothing removes it: do so when you have seen enough.", c.Name)}
		case errors.Is(ctx.Err(), context.DeadlineExceeded):
			err = &outcome{err, fmt.Sprintf("An ephemeral container may take %s to be opened. Pull its image, or capture what its steps do as a checkpoint, beforehand.", ephemeralOpenTimeout)}
		}
		resp.Diagnostics.Append(errorDiagnostic("Open", "Container", err, under(path.Empty())))
		return
	}
	// Terraform closes only what was opened without an error.
	model.fromContainer(b.Name(), c)
	diags = resp.Result.Set(ctx, model)
	diags.Append(writePrivate(ctx, resp.Private, openedKey, c.ID)...)
	if isSet(model.StopTimeout) {
		diags.Append(writePrivate(ctx, resp.Private, stopTimeoutKey, model.StopTimeout.ValueString())...)
	}
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(e.close(ctx, c.ID, 0)...)
	}
}

// Close removes the container.
func (e *ephemeralContainer) Close(ctx context.Context, req ephemeral.CloseRequest, resp *ephemeral.CloseResponse) {
	id, diags := readPrivate(ctx, req.Private, openedKey)
	resp.Diagnostics.Append(diags...)
	text, diags := readPrivate(ctx, req.Private, stopTimeoutKey)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() || id == "" || e.fixtures == nil {
		return
	}
	var grace time.Duration
	if text != "" {
		var err error
		if grace, err = time.ParseDuration(text); err != nil {
			resp.Diagnostics.AddError("Unreadable Private State", err.Error())
		}
	}
	resp.Diagnostics.Append(e.close(ctx, id, grace)...)
}

func (e *ephemeralContainer) close(ctx context.Context, id string, grace time.Duration) diag.Diagnostics {
	err := e.fixtures.Return(ctx, id, grace)
	if err == nil {
		return nil
	}
	if errors.Is(err, backend.ErrUnavailable) {
		err = &outcome{err, "The next apply or destroy on this host removes the container."}
	}
	return diag.Diagnostics{errorDiagnostic("Close", "Container", err, nowhere)}
}

// fromContainer sets what is computed to what the engine says.
func (m *ephemeralContainerModel) fromContainer(name backend.Name, c backend.Container) {
	m.Name = types.StringValue(c.Name)
	m.ContainerID = types.StringValue(c.ID)
	m.Backend = types.StringValue(string(name))
	m.Host = types.StringValue(c.Host)
	m.MappedPorts = mappedPortsValue(c.Ports)
	m.ConnectionURI = m.connectionURI(c)
	m.ImageID = types.StringValue(c.ImageID)
}
