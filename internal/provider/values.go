package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// An unset attribute is null in state: what an engine or the registry reports
// as empty was not set.

func stringOrNull(s string) types.String {
	if s == "" {
		return types.StringNull()
	}
	return types.StringValue(s)
}

func stringMapOrNull(ctx context.Context, m map[string]string, diags *diag.Diagnostics) types.Map {
	if len(m) == 0 {
		return types.MapNull(types.StringType)
	}
	value, d := types.MapValueFrom(ctx, types.StringType, m)
	diags.Append(d...)
	return value
}

func stringListOrNull(ctx context.Context, list []string, diags *diag.Diagnostics) types.List {
	if len(list) == 0 {
		return types.ListNull(types.StringType)
	}
	value, d := types.ListValueFrom(ctx, types.StringType, list)
	diags.Append(d...)
	return value
}
