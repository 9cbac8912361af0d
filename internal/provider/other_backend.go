package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/rightsize/terraform-provider-rightsize/internal/fixture"
)

// otherBackend returns an error if state records an object of a backend that is
// not the active one. It is not gone, and must be neither planned anew nor
// deleted by a backend that does not know it.
func otherBackend(ctx context.Context, fixtures *fixture.Fixtures, what, recorded string) diag.Diagnostic {
	b, err := fixtures.Backend(ctx)
	if err != nil {
		return errorDiagnostic("Use", "Backend", err, nowhere)
	}
	if recorded == string(b.Name()) {
		return nil
	}
	return diag.NewErrorDiagnostic(
		"State Belongs to Another Backend",
		fmt.Sprintf("%s was created by backend %q, and the active backend is %q.\n\n"+
			"Set backend = %q in the provider block, or RIGHTSIZE_BACKEND=%s, to go on with it. To create it under %q instead, remove it from state first (terraform state rm).",
			capitalised(what), recorded, b.Name(), recorded, recorded, b.Name()),
	)
}
