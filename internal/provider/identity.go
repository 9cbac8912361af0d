package provider

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// identityModel tells the objects of one resource apart, from Terraform 1.12 on.
// It is what an object keeps for as long as it lives: a reset gives a container
// another id, a capture gives a checkpoint another artifact, and an engine may
// come back from an upgrade with another id of its own.
type identityModel struct {
	Name    types.String `tfsdk:"name"`
	Backend types.String `tfsdk:"backend"`
}

func identityOf(name string, backendName backend.Name) identityModel {
	return identityModel{Name: types.StringValue(name), Backend: types.StringValue(string(backendName))}
}

// identitySchema is the schema of the identity of an object, such as "container".
func identitySchema(object string) identityschema.Schema {
	return identityschema.Schema{
		Attributes: map[string]identityschema.Attribute{
			"name": identityschema.StringAttribute{
				Description:       fmt.Sprintf("The %s's name.", object),
				RequiredForImport: true,
			},
			"backend": identityschema.StringAttribute{
				Description: fmt.Sprintf("The backend that has the %s: docker or microsandbox. "+
					"An import that names another backend than the active one fails. Defaults to the active one.", object),
				OptionalForImport: true,
			},
		},
	}
}

// importByName puts the name that an import is given, as an id or in an identity,
// into an attribute of the state.
func (d resourceData) importByName(ctx context.Context, object string, attribute path.Path, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	var identified types.String
	if req.Identity != nil && !req.Identity.Raw.IsNull() {
		resp.Diagnostics.Append(req.Identity.GetAttribute(ctx, path.Root("name"), &identified)...)
	}
	if req.ID == "" && identified.ValueString() == "" {
		resp.Diagnostics.AddError("Invalid Value", fmt.Sprintf("What is imported must be the name of a %s: it is empty.", object))
		return
	}
	resource.ImportStatePassthroughWithIdentity(ctx, attribute, path.Root("name"), req, resp)
	if req.ID != "" || resp.Diagnostics.HasError() {
		return
	}
	var given identityModel
	resp.Diagnostics.Append(req.Identity.Get(ctx, &given)...)
	if resp.Diagnostics.HasError() || given.Backend.IsNull() {
		return
	}
	if wrong := otherBackend(ctx, d.fixtures, object+" "+given.Name.ValueString(), given.Backend.ValueString()); wrong != nil {
		resp.Diagnostics.Append(wrong)
	}
}

// notThere adds to the error of an import that finds nothing, of which an engine
// says no more than that, where to look.
func notThere(err error, lists string) error {
	if failed, ok := errors.AsType[*backend.Error](err); !ok || !errors.Is(failed, backend.ErrNotFound) || failed.Remedy != "" {
		return err
	}
	return &outcome{err, "Import it by the name that it has in the engine, and from the engine that has it: " +
		"the provider block, or the environment, says which one is asked. " + lists}
}

// checkImported fails if an import by identity has found an object of another
// name: an engine takes an id, or the beginning of one, for a name as well.
func checkImported(ctx context.Context, req resource.ReadRequest, found string) diag.Diagnostics {
	var given types.String
	diags := req.Identity.GetAttribute(ctx, path.Root("name"), &given)
	if diags.HasError() || given.IsNull() || given.ValueString() == found {
		return diags
	}
	diags.Append(errorDiagnostic("Import", "Container", &backend.Error{
		Kind:   backend.ErrNotFound,
		Tried:  fmt.Sprintf("look for a container with the name %q", given.ValueString()),
		Cause:  fmt.Errorf("what the engine finds under it is the container %q", found),
		Remedy: "An identity takes the container's name. To import by the engine's id, use the id of the import block.",
	}, nowhere))
	return diags
}
