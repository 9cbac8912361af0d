package provider

import (
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// privateReader is what requests offer to read private state.
type privateReader interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
}

// privateWriter is what responses offer to write private state.
type privateWriter interface {
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

// readPrivate returns a text from private state; empty if there is none.
func readPrivate(ctx context.Context, private privateReader, key string) (string, diag.Diagnostics) {
	data, diags := private.GetKey(ctx, key)
	var text string
	if data != nil {
		if err := json.Unmarshal(data, &text); err != nil {
			diags.AddError("Unreadable Private State", "The private state of the resource holds something this provider did not write under "+key+": "+err.Error()+".")
		}
	}
	return text, diags
}

// writePrivate keeps a text in private state, which holds JSON. The empty text
// removes it.
func writePrivate(ctx context.Context, private privateWriter, key, text string) diag.Diagnostics {
	if text == "" {
		return private.SetKey(ctx, key, nil)
	}
	data, err := json.Marshal(text)
	if err != nil {
		return diag.Diagnostics{diag.NewErrorDiagnostic("Unwritable Private State", err.Error())}
	}
	return private.SetKey(ctx, key, data)
}
