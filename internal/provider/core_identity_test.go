package provider_test

import (
	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// identityFrom returns the identity in an answer about an instance. Terraform
// refuses one that differs from what it had; an import may give a part of it.
func (c *core) identityFrom(prior instance, answer *tfprotov6.ResourceIdentityData) *tfprotov6.ResourceIdentityData {
	c.t.Helper()
	if c.identities == nil {
		return nil
	}
	had, has := c.identity(prior.identity), c.identity(answer)
	for name, value := range had {
		if value != nil && has != nil && value != has[name] {
			c.t.Errorf("the identity changed (-before +after):\n%s", cmp.Diff(had, has))
		}
	}
	return answer
}

// identity decodes an identity: nil if there is none.
func (c *core) identity(data *tfprotov6.ResourceIdentityData) object {
	c.t.Helper()
	if data == nil {
		return nil
	}
	attributes, _ := fromValue(c.decode(data.IdentityData, identityType)).(object)
	return attributes
}

// identityType is the type of the identities of each resource.
var identityType = tftypes.Object{AttributeTypes: map[string]tftypes.Type{"name": tftypes.String, "backend": tftypes.String}}

// importedByIdentity imports what an identity names.
func (c *core) importedByIdentity(typeName string, identity object) (instance, []*tfprotov6.Diagnostic) {
	c.t.Helper()
	return c.importedBy(&tfprotov6.ImportResourceStateRequest{
		TypeName: typeName,
		Identity: &tfprotov6.ResourceIdentityData{IdentityData: c.encode(toValue(c.t, identityType, identity))},
	})
}
