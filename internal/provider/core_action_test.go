package provider_test

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// invoke validates, plans and invokes an action, as Terraform does, and returns
// the messages that it shows.
func (c *core) invoke(typeName string, config object) ([]string, []*tfprotov6.Diagnostic) {
	c.t.Helper()
	encoded := c.encode(toValue(c.t, c.schemas.ActionSchemas[typeName].Schema.ValueType(), config))
	// It is an interface of its own until a next major version of the module.
	server := c.server.(tfprotov6.ActionServer)
	validated, err := server.ValidateActionConfig(c.ctx, &tfprotov6.ValidateActionConfigRequest{ActionType: typeName, Config: encoded})
	if err != nil {
		c.t.Fatal(err)
	}
	planned, err := server.PlanAction(c.ctx, &tfprotov6.PlanActionRequest{ActionType: typeName, Config: encoded})
	if err != nil {
		c.t.Fatal(err)
	}
	diagnostics := slices.Concat(validated.Diagnostics, planned.Diagnostics)
	if failed(diagnostics) {
		return nil, diagnostics
	}
	stream, err := server.InvokeAction(c.ctx, &tfprotov6.InvokeActionRequest{ActionType: typeName, Config: encoded})
	if err != nil {
		c.t.Fatal(err)
	}
	var messages []string
	completed := false
	for event := range stream.Events {
		switch event := event.Type.(type) {
		case tfprotov6.ProgressInvokeActionEventType:
			messages = append(messages, event.Message)
		case tfprotov6.CompletedInvokeActionEventType:
			completed = true
			diagnostics = append(diagnostics, event.Diagnostics...)
		}
	}
	if !completed {
		c.t.Error("the action did not end")
	}
	return messages, diagnostics
}
