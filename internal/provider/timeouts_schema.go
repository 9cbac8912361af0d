package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// timeoutsAttribute completes what the framework makes of opts with the
// description of the whole, which its options do not offer.
func timeoutsAttribute(ctx context.Context, opts timeouts.Opts) schema.Attribute {
	attribute := timeouts.Attributes(ctx, opts)
	if nested, ok := attribute.(schema.SingleNestedAttribute); ok {
		// The framework's own check lets through what leaves no time at all.
		for name, child := range nested.Attributes {
			if operation, ok := child.(schema.StringAttribute); ok {
				operation.Validators = []validator.String{positiveDuration()}
				nested.Attributes[name] = operation
			}
		}
		nested.MarkdownDescription = "How long each operation may take, as a duration such as `90s`. A change takes effect with the next operation."
		return nested
	}
	return attribute
}
