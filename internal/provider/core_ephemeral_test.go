package provider_test

import "github.com/hashicorp/terraform-plugin-go/tfprotov6"

const ephemeralType = "rightsize_container"

// opened is an ephemeral resource that is open.
type opened struct {
	result  object
	private []byte
}

// open validates and opens an ephemeral resource.
func (c *core) open(config object) (opened, []*tfprotov6.Diagnostic) {
	c.t.Helper()
	schema := c.schemas.EphemeralResourceSchemas[ephemeralType]
	encoded := c.encode(toValue(c.t, schema.ValueType(), config))
	validated, err := c.server.ValidateEphemeralResourceConfig(c.ctx, &tfprotov6.ValidateEphemeralResourceConfigRequest{TypeName: ephemeralType, Config: encoded})
	if err != nil {
		c.t.Fatal(err)
	}
	if failed(validated.Diagnostics) {
		return opened{}, validated.Diagnostics
	}
	resp, err := c.server.OpenEphemeralResource(c.ctx, &tfprotov6.OpenEphemeralResourceRequest{TypeName: ephemeralType, Config: encoded})
	if err != nil {
		c.t.Fatal(err)
	}
	if failed(resp.Diagnostics) {
		return opened{}, resp.Diagnostics
	}
	result := c.decode(resp.Result, schema.ValueType())
	if !result.IsFullyKnown() {
		c.t.Errorf("the result holds unknown values: %v", fromValue(result))
	}
	attributes, _ := fromValue(result).(object)
	for name, want := range config {
		if _, ok := attributes[name]; !ok || attributes[name] == nil && want != nil {
			c.t.Errorf("the result lacks what was configured as %s", name)
		}
	}
	return opened{attributes, resp.Private}, resp.Diagnostics
}

// close closes an ephemeral resource.
func (c *core) close(o opened) []*tfprotov6.Diagnostic {
	c.t.Helper()
	resp, err := c.server.CloseEphemeralResource(c.ctx, &tfprotov6.CloseEphemeralResourceRequest{TypeName: ephemeralType, Private: o.private})
	if err != nil {
		c.t.Fatal(err)
	}
	return resp.Diagnostics
}
