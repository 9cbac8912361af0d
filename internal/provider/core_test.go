package provider_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// The resources of the provider.
const (
	containerType  = "rightsize_container"
	checkpointType = "rightsize_checkpoint"
	execType       = "rightsize_exec"
	fileCopyType   = "rightsize_file_copy"
	networkType    = "rightsize_network"
)

// core plays Terraform's part in the protocol: it proposes, plans and applies
// in its order, and refuses what Terraform refuses, such as a result that
// differs from what was planned. Tests with it need no Terraform and take
// milliseconds.
type core struct {
	t       *testing.T
	ctx     context.Context
	server  tfprotov6.ProviderServer
	schemas *tfprotov6.GetProviderSchemaResponse
	// identities are the schemas of identities; nil for a client that knows none,
	// as Terraform does not before 1.12.
	identities map[string]*tfprotov6.ResourceIdentitySchema
	// writeOnly says that the client knows write-only attributes, as Terraform
	// does from 1.11 on.
	writeOnly bool
}

// newCore returns a Terraform with a provider that is configured for the
// harness.
func newCore(t *testing.T, h *harness) *core {
	t.Helper()
	server, err := h.server()
	if err != nil {
		t.Fatal(err)
	}
	c := newUnconfiguredCore(t, server)
	c.configure(object{"cache_dir": h.cacheDir})
	return c
}

func newUnconfiguredCore(t *testing.T, server tfprotov6.ProviderServer) *core {
	t.Helper()
	schemas, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	identities, err := server.GetResourceIdentitySchemas(t.Context(), &tfprotov6.GetResourceIdentitySchemasRequest{})
	if err != nil {
		t.Fatal(err)
	}
	return &core{t: t, ctx: t.Context(), server: server, schemas: schemas, identities: identities.IdentitySchemas, writeOnly: true}
}

func (c *core) configure(config object) {
	c.t.Helper()
	resp, err := c.server.ConfigureProvider(c.ctx, &tfprotov6.ConfigureProviderRequest{
		TerraformVersion: "1.11.4",
		Config:           c.encode(toValue(c.t, c.schemas.Provider.ValueType(), config)),
	})
	c.must(resp.Diagnostics, err)
}

func (c *core) schema(typeName string) *tfprotov6.Schema {
	c.t.Helper()
	schema, ok := c.schemas.ResourceSchemas[typeName]
	if !ok {
		c.t.Fatalf("there is no resource %s", typeName)
	}
	return schema
}

// instance is a resource as state has it. Its value is null if there is none.
type instance struct {
	typeName string
	value    tftypes.Value
	private  []byte
	tainted  bool
	// identity is nil if the instance has none.
	identity *tfprotov6.ResourceIdentityData
}

func (i instance) exists() bool { return !i.value.IsNull() }

// attributes are the attributes of an instance.
func (i instance) attributes() object {
	attributes, _ := fromValue(i.value).(object)
	return attributes
}

func (c *core) none(typeName string) instance {
	c.t.Helper()
	return instance{typeName: typeName, value: tftypes.NewValue(c.schema(typeName).ValueType(), nil)}
}

// validate checks a configuration without a plan.
func (c *core) validate(typeName string, config object) []*tfprotov6.Diagnostic {
	c.t.Helper()
	resp, err := c.server.ValidateResourceConfig(c.ctx, &tfprotov6.ValidateResourceConfigRequest{
		TypeName:           typeName,
		Config:             c.encode(toValue(c.t, c.schema(typeName).ValueType(), config)),
		ClientCapabilities: &tfprotov6.ValidateResourceConfigClientCapabilities{WriteOnlyAttributesAllowed: c.writeOnly},
	})
	if err != nil {
		c.t.Fatal(err)
	}
	return resp.Diagnostics
}

// action is what a plan does to an instance.
type action string

const (
	actionNone    action = "no-op"
	actionCreate  action = "create"
	actionUpdate  action = "update in place"
	actionReplace action = "replace"
)

// change is a plan for one instance.
type change struct {
	action  action
	prior   instance
	config  object
	planned tftypes.Value
	private []byte
	// identity is nil if there is none.
	identity *tfprotov6.ResourceIdentityData
	// replacing are the top-level attributes because of which the instance is
	// replaced.
	replacing   []string
	diagnostics []*tfprotov6.Diagnostic
}

// attributes are the planned attributes. What is not known yet is unknown.
func (c change) attributes() object {
	attributes, _ := fromValue(c.planned).(object)
	return attributes
}

// plan plans to make the prior instance what the configuration says.
func (c *core) plan(prior instance, config object) change {
	c.t.Helper()
	result := c.planOnce(prior, config)
	if failed(result.diagnostics) {
		return result
	}
	switch {
	case !prior.exists():
		result.action = actionCreate
	case len(result.replacing) > 0 || prior.tainted:
		// Terraform asks again as if there were no instance.
		again := c.planOnce(c.none(prior.typeName), config)
		again.prior, again.action, again.replacing = prior, actionReplace, result.replacing
		again.diagnostics = append(result.diagnostics, again.diagnostics...)
		return again
	case result.planned.Equal(prior.value):
		result.action = actionNone
	default:
		result.action = actionUpdate
	}
	return result
}

func (c *core) planOnce(prior instance, config object) change {
	c.t.Helper()
	schema := c.schema(prior.typeName)
	configured := toValue(c.t, schema.ValueType(), config)
	resp, err := c.server.PlanResourceChange(c.ctx, &tfprotov6.PlanResourceChangeRequest{
		TypeName:         prior.typeName,
		PriorState:       c.encode(prior.value),
		ProposedNewState: c.encode(proposedNewState(c.t, schema, prior.value, configured)),
		Config:           c.encode(configured),
		PriorPrivate:     prior.private,
		PriorIdentity:    prior.identity,
	})
	if err != nil {
		c.t.Fatal(err)
	}
	result := change{prior: prior, config: config, private: resp.PlannedPrivate, diagnostics: resp.Diagnostics}
	result.identity = c.identityFrom(prior, resp.PlannedIdentity)
	for _, path := range resp.RequiresReplace {
		result.replacing = append(result.replacing, strings.TrimSuffix(strings.TrimPrefix(path.String(), `AttributeName("`), `")`))
	}
	slices.Sort(result.replacing)
	if failed(resp.Diagnostics) {
		return result
	}
	result.planned = c.decode(resp.PlannedState, schema.ValueType())
	checkPlanned(c.t, schema, configured, result.planned)
	return result
}

// apply carries out a plan, after asking for it once more with what became
// known in between.
func (c *core) apply(planned change, known object) (instance, []*tfprotov6.Diagnostic) {
	c.t.Helper()
	prior := planned.prior
	switch planned.action {
	case actionNone:
		return prior, nil
	case actionReplace:
		destroyed, diagnostics := c.destroy(prior)
		if failed(diagnostics) {
			return destroyed, diagnostics
		}
		prior = c.none(prior.typeName)
	}
	final := c.planOnce(prior, known)
	if failed(final.diagnostics) {
		return planned.prior, final.diagnostics
	}
	if planned.action == actionUpdate && len(final.replacing) > 0 {
		c.t.Errorf("the plan was an update, and the final plan is a replacement because of %s", final.replacing)
	}
	checkConforms(c.t, "the final plan", planned.planned, final.planned)
	return c.applyOnce(prior, final, known)
}

func (c *core) applyOnce(prior instance, planned change, config object) (instance, []*tfprotov6.Diagnostic) {
	c.t.Helper()
	typ := c.schema(prior.typeName).ValueType()
	resp, err := c.server.ApplyResourceChange(c.ctx, &tfprotov6.ApplyResourceChangeRequest{
		TypeName:        prior.typeName,
		PriorState:      c.encode(prior.value),
		PlannedState:    c.encode(planned.planned),
		Config:          c.encode(toValue(c.t, typ, config)),
		PlannedPrivate:  planned.private,
		PlannedIdentity: planned.identity,
	})
	if err != nil {
		c.t.Fatal(err)
	}
	result := instance{typeName: prior.typeName, value: c.decode(resp.NewState, typ), private: resp.Private}
	result.identity = c.identityFrom(prior, resp.NewIdentity)
	if !result.value.IsFullyKnown() {
		c.t.Errorf("the result of an apply holds unknown values: %v", fromValue(result.value))
	}
	if failed(resp.Diagnostics) {
		result.tainted = result.exists() && !prior.exists()
		return result, resp.Diagnostics
	}
	checkConforms(c.t, "the result", planned.planned, result.value)
	return result, resp.Diagnostics
}

// destroy removes an instance.
func (c *core) destroy(prior instance) (instance, []*tfprotov6.Diagnostic) {
	c.t.Helper()
	gone := c.none(prior.typeName)
	resp, err := c.server.ApplyResourceChange(c.ctx, &tfprotov6.ApplyResourceChangeRequest{
		TypeName:        prior.typeName,
		PriorState:      c.encode(prior.value),
		PlannedState:    c.encode(gone.value),
		Config:          c.encode(gone.value),
		PlannedPrivate:  prior.private,
		PlannedIdentity: prior.identity,
	})
	if err != nil {
		c.t.Fatal(err)
	}
	result := instance{typeName: prior.typeName, value: c.decode(resp.NewState, gone.value.Type()), private: resp.Private}
	if result.exists() {
		result.identity = c.identityFrom(prior, resp.NewIdentity)
	}
	if !failed(resp.Diagnostics) && result.exists() {
		c.t.Error("a destroy without an error left something in state")
	}
	return result, resp.Diagnostics
}

// refresh reads an instance anew.
func (c *core) refresh(current instance) (instance, []*tfprotov6.Diagnostic) {
	c.t.Helper()
	if !current.exists() {
		return current, nil
	}
	resp, err := c.server.ReadResource(c.ctx, &tfprotov6.ReadResourceRequest{
		TypeName:        current.typeName,
		CurrentState:    c.encode(current.value),
		Private:         current.private,
		CurrentIdentity: current.identity,
	})
	if err != nil {
		c.t.Fatal(err)
	}
	if !failed(resp.Diagnostics) {
		current.identity = c.identityFrom(current, resp.NewIdentity)
	}
	current.value = c.decode(resp.NewState, current.value.Type())
	current.private = resp.Private
	return current, resp.Diagnostics
}

// imported imports an object and reads it, as Terraform does.
func (c *core) imported(typeName, id string) (instance, []*tfprotov6.Diagnostic) {
	c.t.Helper()
	return c.importedBy(&tfprotov6.ImportResourceStateRequest{TypeName: typeName, ID: id})
}

func (c *core) importedBy(req *tfprotov6.ImportResourceStateRequest) (instance, []*tfprotov6.Diagnostic) {
	c.t.Helper()
	typeName := req.TypeName
	resp, err := c.server.ImportResourceState(c.ctx, req)
	if err != nil {
		c.t.Fatal(err)
	}
	if failed(resp.Diagnostics) {
		return c.none(typeName), resp.Diagnostics
	}
	if len(resp.ImportedResources) != 1 {
		c.t.Fatalf("one import made %d resources", len(resp.ImportedResources))
	}
	got := resp.ImportedResources[0]
	imported := instance{typeName: typeName, value: c.decode(got.State, c.schema(typeName).ValueType()), private: got.Private}
	// Terraform keeps what the user gave until the read completes it.
	imported.identity = req.Identity
	return c.refresh(imported)
}

// data reads a data source.
func (c *core) data(typeName string, config object) (object, []*tfprotov6.Diagnostic) {
	c.t.Helper()
	schema, ok := c.schemas.DataSourceSchemas[typeName]
	if !ok {
		c.t.Fatalf("there is no data source %s", typeName)
	}
	resp, err := c.server.ReadDataSource(c.ctx, &tfprotov6.ReadDataSourceRequest{
		TypeName: typeName,
		Config:   c.encode(toValue(c.t, schema.ValueType(), config)),
	})
	if err != nil {
		c.t.Fatal(err)
	}
	if failed(resp.Diagnostics) {
		return nil, resp.Diagnostics
	}
	attributes, _ := fromValue(c.decode(resp.State, schema.ValueType())).(object)
	return attributes, resp.Diagnostics
}

// reach plans and applies a configuration that must succeed.
func (c *core) reach(prior instance, config object) instance {
	c.t.Helper()
	planned := c.plan(prior, config)
	c.must(planned.diagnostics, nil)
	result, diagnostics := c.apply(planned, config)
	c.must(diagnostics, nil)
	return result
}

// mustRefresh is refresh without an error.
func (c *core) mustRefresh(current instance) instance {
	c.t.Helper()
	result, diagnostics := c.refresh(current)
	c.must(diagnostics, nil)
	return result
}

// mustSettle fails unless a refresh and a plan find nothing to do.
func (c *core) mustSettle(current instance, config object) {
	c.t.Helper()
	planned := c.plan(c.mustRefresh(current), config)
	c.must(planned.diagnostics, nil)
	if planned.action != actionNone {
		c.t.Errorf("the next plan is %s, want none (-state +plan):\n%s", planned.action, cmp.Diff(current.attributes(), planned.attributes()))
	}
}

// mustDestroy is destroy without an error.
func (c *core) mustDestroy(current instance) {
	c.t.Helper()
	_, diagnostics := c.destroy(current)
	c.must(diagnostics, nil)
}

// must fails the test if a call failed.
func (c *core) must(diagnostics []*tfprotov6.Diagnostic, err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
	if failed(diagnostics) {
		c.t.Fatalf("unexpected errors:\n%s", render(diagnostics))
	}
}

// failed says whether an error is among the diagnostics.
func failed(diagnostics []*tfprotov6.Diagnostic) bool {
	return slices.ContainsFunc(diagnostics, func(d *tfprotov6.Diagnostic) bool {
		return d.Severity == tfprotov6.DiagnosticSeverityError
	})
}

// render writes diagnostics as text: severity, attribute, summary and detail.
func render(diagnostics []*tfprotov6.Diagnostic) string {
	var text strings.Builder
	for _, d := range diagnostics {
		fmt.Fprintf(&text, "%s at %s: %s\n%s\n", d.Severity, attributePath(d), d.Summary, d.Detail)
	}
	return text.String()
}

// attributePath writes a diagnostic's attribute as a user would.
func attributePath(d *tfprotov6.Diagnostic) string {
	if d.Attribute == nil {
		return ""
	}
	var text strings.Builder
	for _, step := range d.Attribute.Steps() {
		switch step := step.(type) {
		case tftypes.AttributeName:
			if text.Len() > 0 {
				text.WriteByte('.')
			}
			text.WriteString(string(step))
		case tftypes.ElementKeyInt:
			fmt.Fprintf(&text, "[%d]", int(step))
		case tftypes.ElementKeyString:
			fmt.Fprintf(&text, "[%q]", string(step))
		default:
			fmt.Fprintf(&text, "[%v]", step)
		}
	}
	return text.String()
}
