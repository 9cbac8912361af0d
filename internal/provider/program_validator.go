package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// programAndArguments checks a command that is run in a container.
func programAndArguments() []validator.List {
	return []validator.List{listvalidator.SizeAtLeast(1), listvalidator.NoNullValues(), programNamed{}}
}

// programNamed checks that the first word of a command is not empty.
type programNamed struct{}

func (programNamed) Description(context.Context) string { return "must begin with a program" }

func (v programNamed) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (programNamed) ValidateList(_ context.Context, req validator.ListRequest, resp *validator.ListResponse) {
	words := req.ConfigValue.Elements()
	if len(words) == 0 {
		return
	}
	if program, ok := words[0].(types.String); ok && !program.IsNull() && !program.IsUnknown() && program.ValueString() == "" {
		first := req.Path.AtListIndex(0)
		resp.Diagnostics.AddAttributeError(first, "Invalid Value", fmt.Sprintf("The value of %s must be a program: it is empty.", first))
	}
}
