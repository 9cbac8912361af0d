package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// record carries out a use case that makes a container, and keeps state and
// identity in step with the engine: they are saved as soon as the engine has the
// container. State is dropped when a failed one was removed again.
func (r *containerResource) record(
	ctx context.Context,
	plan *containerModel,
	run func(created func(backend.Container)) (backend.Container, bool, error),
	verb string,
	to recorded,
	diags *diag.Diagnostics,
) {
	b, err := r.fixtures.Backend(ctx)
	if err != nil {
		diags.Append(errorDiagnostic(verb, "Container", err, nowhere))
		return
	}
	save := func(c backend.Container) {
		plan.fromContainer(b.Name(), c)
		diags.Append(to.state.Set(ctx, plan)...)
		diags.Append(to.identity.Set(ctx, identityOf(c.Name, b.Name()))...)
		diags.Append(writePrivate(ctx, to.private, ownerKey, c.Owner)...)
	}
	c, kept, err := run(save)
	if c.ID != "" && kept {
		save(c)
	}
	if err == nil {
		err = plan.checkStatus(c)
	}
	if err != nil {
		if !kept {
			to.state.RemoveResource(ctx)
		}
		diags.Append(errorDiagnostic(verb, "Container", &outcome{err, plan.afterFailure(verb, c, kept)}, under(path.Empty())))
	}
}

// follow takes up the container that an action has made in place of the one in
// state, if there is one. It returns false if that is gone for good.
func (r *containerResource) follow(ctx context.Context, req resource.ReadRequest, state containerModel, resp *resource.ReadResponse) bool {
	owner, diags := readPrivate(ctx, req.Private, ownerKey)
	resp.Diagnostics.Append(diags...)
	c, found, err := r.fixtures.Successor(ctx, state.Name.ValueString(), owner)
	if err != nil {
		resp.Diagnostics.Append(errorDiagnostic("Read", "Container", err, nowhere))
	}
	if resp.Diagnostics.HasError() || !found {
		return resp.Diagnostics.HasError()
	}
	for name, value := range map[string]string{"container_id": c.ID, "image_id": c.ImageID, "status": string(c.State)} {
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(name), value)...)
	}
	resp.Diagnostics.Append(r.readLifetime(ctx, c.ID, state, &resp.State)...)
	return true
}

// afterFailure says what exists after a container could not be made, and what
// comes next.
func (m containerModel) afterFailure(verb string, c backend.Container, kept bool) string {
	switch {
	case c.ID == "":
		return ""
	case !kept:
		return fmt.Sprintf("Container %s was removed again. The next apply creates it.", c.Name)
	case verb == verbReset:
		return fmt.Sprintf("Container %s is there, but not as defined. The next apply resets it again.", c.Name)
	default:
		return fmt.Sprintf("Container %s is kept for inspection and marked as tainted. The next apply replaces it.", c.Name)
	}
}

// The verbs of the operations that make a container.
const (
	verbCreate = "Create"
	verbReset  = "Reset"
)

// recorded is what Terraform is told of a container, or of a network.
type recorded struct {
	state    *tfsdk.State
	identity *tfsdk.ResourceIdentity
	private  privateWriter
}

// ownerKey holds, in private state, the token of the operation that made the
// container. One that an action has made in its place has the same.
const ownerKey = "owner"
