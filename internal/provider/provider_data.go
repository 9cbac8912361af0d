package provider

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/rightsize/terraform-provider-rightsize/internal/fixture"
)

// fixturesFrom returns what Configure made. It is nil before the provider is
// configured, as in `terraform validate`, and while the provider's own
// configuration is not known yet.
func fixturesFrom(providerData any) (*fixture.Fixtures, diag.Diagnostics) {
	var diags diag.Diagnostics
	if providerData == nil {
		return nil, diags
	}
	fixtures, ok := providerData.(*fixture.Fixtures)
	if !ok {
		diags.AddError("Unexpected Provider Data", fmt.Sprintf("Expected *fixture.Fixtures, got %T. This is always a bug in the provider, please report it.", providerData))
	}
	return fixtures, diags
}

// resourceData is what the resources of one provider process share. It is empty
// where fixtures would be nil.
type resourceData struct {
	fixtures *fixture.Fixtures
	gone     *gone
	// named is the backend that is configured, by name or as auto.
	named string
}

func resourceDataFrom(providerData any) (resourceData, diag.Diagnostics) {
	var diags diag.Diagnostics
	if providerData == nil {
		return resourceData{}, diags
	}
	data, ok := providerData.(resourceData)
	if !ok {
		diags.AddError("Unexpected Provider Data", fmt.Sprintf("Expected resourceData, got %T. This is always a bug in the provider, please report it.", providerData))
	}
	return data, diags
}

// notConfigured is the answer of an operation that cannot wait until the
// provider's configuration is known.
func notConfigured() diag.Diagnostic {
	return diag.NewErrorDiagnostic(
		"Provider Configuration Not Known Yet",
		"The configuration of the rightsize provider depends on values that are known only after apply, so this cannot be done now. "+
			"Apply what the provider configuration depends on first, for example with -target.",
	)
}
