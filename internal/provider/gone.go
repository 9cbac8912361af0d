package provider

import (
	"context"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// gone remembers what the refreshes of this process found gone.
//
// Terraform plans as usual before it destroys, with the same process that it
// refreshed with, and a provider is not told. What is gone is then planned to be
// created, and an error about that, such as a host port that somebody else has
// by now, would keep the user from destroying the rest. For what was found gone
// it is a warning; the apply that creates it fails as it does for all.
type gone struct {
	mu    sync.Mutex
	found map[goneObject]struct{}
}

type objectKind string

const (
	containerKind  objectKind = "container"
	checkpointKind objectKind = "checkpoint"
)

type goneObject struct {
	kind objectKind
	name string
}

// add records an object under its name. Plans do not know a name that was
// generated: it is recorded under none as well.
func (g *gone) add(kind objectKind, name types.String) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.found == nil {
		g.found = make(map[goneObject]struct{})
	}
	g.found[goneObject{kind, name.ValueString()}] = struct{}{}
	g.found[goneObject{kind: kind}] = struct{}{}
}

// has says whether what is planned under this name may be what was found gone.
func (g *gone) has(kind objectKind, name types.String) bool {
	if g == nil {
		return false // The provider is not configured yet, and reads nothing.
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	_, found := g.found[goneObject{kind, name.ValueString()}]
	return found
}

// excuseContent turns errors about content that cannot be read into warnings if
// the object exists, and is then planned to keep what it has, or was found gone.
func excuseContent(ctx context.Context, errs diag.Diagnostics, state tfsdk.State, gone bool, digest *types.String) diag.Diagnostics {
	switch {
	case !state.Raw.IsNull():
		diags := excuse(errs, "\n\nWhat was made from it is left as it is. To make it again, the source must be there.")
		diags.Append(state.GetAttribute(ctx, path.Root("content_sha256"), digest)...)
		return diags
	case gone:
		return excuse(errs, "")
	default:
		return errs
	}
}

// excuse turns errors into warnings.
func excuse(errs diag.Diagnostics, addition string) diag.Diagnostics {
	var diags diag.Diagnostics
	for _, err := range errs.Errors() {
		detail := err.Detail() + addition
		if located, ok := err.(diag.DiagnosticWithPath); ok {
			diags.AddAttributeWarning(located.Path(), err.Summary(), detail)
		} else {
			diags.AddWarning(err.Summary(), detail)
		}
	}
	return diags
}
