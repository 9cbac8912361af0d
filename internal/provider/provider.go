package provider

import (
	"context"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/selection"
	"github.com/rightsize/terraform-provider-rightsize/internal/checkpoint"
	"github.com/rightsize/terraform-provider-rightsize/internal/fixture"
	"github.com/rightsize/terraform-provider-rightsize/internal/intent"
	"github.com/rightsize/terraform-provider-rightsize/internal/lifetime"
)

var (
	_ provider.Provider                       = (*rightsizeProvider)(nil)
	_ provider.ProviderWithActions            = (*rightsizeProvider)(nil)
	_ provider.ProviderWithEphemeralResources = (*rightsizeProvider)(nil)
	_ provider.ProviderWithListResources      = (*rightsizeProvider)(nil)
	_ provider.ProviderWithValidateConfig     = (*rightsizeProvider)(nil)
)

// New returns a constructor of the provider, for providerserver.
func New(version string) func() provider.Provider {
	return func() provider.Provider { return &rightsizeProvider{version: version, choose: chooseBackend} }
}

// Serve serves the provider until Terraform ends it. Then it removes what is still
// open: Terraform does not close the ephemeral resources of a run that failed. It
// waits two seconds for the end of a provider, and then kills it; what is left by
// that is for the next operation.
func Serve(ctx context.Context, version string, opts providerserver.ServeOpts) error {
	p := &rightsizeProvider{version: version, choose: chooseBackend}
	err := providerserver.Serve(ctx, func() provider.Provider { return p }, opts)
	p.end(ctx)
	return err
}

func chooseBackend(config selection.Config) opener { return selection.New(config).Open }

type rightsizeProvider struct {
	version string
	// choose prepares the choice of a backend; tests put one in memory here.
	choose func(selection.Config) opener
	// now is the clock by which lifetimes end; nil is that of the system.
	now func() time.Time

	mu sync.Mutex
	// configured is what each configuration works with: in a debugger, one process
	// serves several.
	configured []*fixture.Fixtures
}

// end removes what is still open.
func (p *rightsizeProvider) end(ctx context.Context) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, fixtures := range p.configured {
		fixtures.ReturnAll(ctx)
	}
}

// opener opens a backend when an operation needs one.
type opener func(context.Context) (backend.Backend, error)

func (p *rightsizeProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "rightsize"
	resp.Version = p.version
}

func (p *rightsizeProvider) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Seeded fixture environments: boot a container, seed it, keep its filesystem as a named checkpoint, and start any number of copies from it. " +
			"Nothing is contacted until the first operation that needs an engine.",
		Attributes: map[string]schema.Attribute{
			"backend": schema.StringAttribute{
				MarkdownDescription: "The backend that runs containers: `docker`, `microsandbox` (a microVM for each container), or `auto`. " +
					"`auto` takes `microsandbox` where this host can run microVMs and an `msb` is there or may be downloaded, else `docker` where an engine answers; " +
					"otherwise the error says what each of them lacks. A backend that is named must be usable, and nothing is taken in its place. " +
					"Defaults to the environment variable `RIGHTSIZE_BACKEND`, else `auto`.",
				Optional: true,
				Validators: []validator.String{
					stringvalidator.OneOf(selection.Auto, string(backend.Docker), string(backend.Microsandbox)),
				},
			},
			"cache_dir": schema.StringAttribute{
				MarkdownDescription: "The directory that holds the registry of checkpoints, shared with the rightsize test libraries. " +
					"Defaults to the environment variable `RIGHTSIZE_CACHE_DIR`, else `~/.cache/rightsize` (`%LOCALAPPDATA%\\rightsize` on Windows).",
				Optional:   true,
				Validators: []validator.String{hostPath()},
			},
			"docker":       dockerAttribute(),
			"microsandbox": microsandboxAttribute(),
		},
	}
}

// ValidateConfig checks what can be known without an engine.
func (p *rightsizeProvider) ValidateConfig(ctx context.Context, req provider.ValidateConfigRequest, resp *provider.ValidateConfigResponse) {
	var config providerModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if err := selection.CheckDockerContext(config.toSelection(p.version).Docker.Context); err != nil {
		resp.Diagnostics.Append(errorDiagnostic("Use", "Docker Context", err, at(path.Root("docker").AtName("context"))))
	}
}

// Configure does no I/O: the engine is contacted by the first operation that
// needs it.
func (p *rightsizeProvider) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	var config providerModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	// Terraform plans with a provider whose configuration depends on resources
	// yet to be created. Until it is known there is nothing to ask.
	if config.unknown() {
		return
	}
	cacheDir, err := checkpoint.CacheDir(config.CacheDir.ValueString())
	if err != nil {
		resp.Diagnostics.Append(errorDiagnostic("Find", "Cache Directory", err, at(path.Root("cache_dir"))))
		return
	}
	chosen := config.toSelection(p.version)
	chosen.CacheDir = cacheDir
	chosen.Log = logStep
	fixtures := fixture.New(fixture.Config{
		Open:      p.choose(chosen),
		Registry:  checkpoint.Open(cacheDir),
		Lifetimes: lifetime.Open(cacheDir),
		Intents:   intent.Open(chosen.LockDir()),
		Log:       logStep,
		Now:       p.now,
		LockDir:   chosen.LockDir(),
	})
	p.mu.Lock()
	p.configured = append(p.configured, fixtures)
	p.mu.Unlock()
	resp.ResourceData = resourceData{fixtures: fixtures, gone: &gone{}, named: chosen.Backend}
	resp.DataSourceData = fixtures
	resp.ActionData = fixtures
	resp.EphemeralResourceData = fixtures
	resp.ListResourceData = fixtures
}

func (p *rightsizeProvider) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{newContainerResource, newCheckpointResource, newExecResource, newFileCopyResource, newNetworkResource}
}

func (p *rightsizeProvider) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{newCheckpointDataSource, newCheckpointsDataSource, newContainersDataSource}
}

func (p *rightsizeProvider) EphemeralResources(context.Context) []func() ephemeral.EphemeralResource {
	return []func() ephemeral.EphemeralResource{newEphemeralContainer}
}

func (p *rightsizeProvider) ListResources(context.Context) []func() list.ListResource {
	return []func() list.ListResource{newContainerListResource, newCheckpointListResource}
}

func (p *rightsizeProvider) Actions(context.Context) []func() action.Action {
	return []func() action.Action{newCheckpointSaveAction, newContainerResetAction, newExecAction}
}

// logStep writes a step of a use case to Terraform's log, and tells it to the user
// of an action.
func logStep(ctx context.Context, message string, keysAndValues ...any) {
	reportStep(ctx, message, keysAndValues)
	fields := make(map[string]any, len(keysAndValues)/2)
	for i := 0; i+1 < len(keysAndValues); i += 2 {
		if key, ok := keysAndValues[i].(string); ok {
			fields[key] = keysAndValues[i+1]
		}
	}
	tflog.Debug(ctx, message, fields)
}
