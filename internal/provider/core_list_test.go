package provider_test

import "github.com/hashicorp/terraform-plugin-go/tfprotov6"

// listed is one result of a query. Its resource is nil if none was asked for.
type listed struct {
	name     string
	identity object
	resource object
}

// query lists the objects of a resource, as terraform query does. limit is zero
// for no limit.
func (c *core) query(typeName string, config object, limit int64, include bool) ([]listed, []*tfprotov6.Diagnostic) {
	c.t.Helper()
	// It is an interface of its own until a next major version of the module.
	server := c.server.(tfprotov6.ListResourceServer)
	encoded := c.encode(toValue(c.t, c.schemas.ListResourceSchemas[typeName].ValueType(), config))
	validated, err := server.ValidateListResourceConfig(c.ctx, &tfprotov6.ValidateListResourceConfigRequest{TypeName: typeName, Config: encoded})
	if err != nil {
		c.t.Fatal(err)
	}
	if failed(validated.Diagnostics) {
		return nil, validated.Diagnostics
	}
	stream, err := server.ListResource(c.ctx, &tfprotov6.ListResourceRequest{TypeName: typeName, Config: encoded, Limit: limit, IncludeResource: include})
	if err != nil {
		c.t.Fatal(err)
	}
	var results []listed
	var diagnostics []*tfprotov6.Diagnostic
	for result := range stream.Results {
		diagnostics = append(diagnostics, result.Diagnostics...)
		if failed(result.Diagnostics) {
			break // Terraform reads no further.
		}
		if result.Identity == nil || result.Identity.IdentityData == nil {
			continue // It is a warning about no object.
		}
		one := listed{name: result.DisplayName, identity: c.identity(result.Identity)}
		if result.Resource != nil {
			one.resource, _ = fromValue(c.decode(result.Resource, c.schema(typeName).ValueType())).(object)
		}
		results = append(results, one)
	}
	return results, diagnostics
}
