package provider

import (
	"context"
	"encoding/base64"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

type fileModel struct {
	Path          types.String `tfsdk:"path"`
	Source        types.String `tfsdk:"source"`
	Content       types.String `tfsdk:"content"`
	ContentBase64 types.String `tfsdk:"content_base64"`
	Mode          types.String `tfsdk:"mode"`
	Owner         types.String `tfsdk:"owner"`
}

// toFiles converts the files of a configuration that is known.
func (m workloadModel) toFiles(ctx context.Context, root path.Path) ([]backend.File, diag.Diagnostics) {
	var models []fileModel
	diags := m.Files.ElementsAs(ctx, &models, false)
	files := make([]backend.File, 0, len(models))
	for i, model := range models {
		file := backend.File{
			Path:    model.Path.ValueString(),
			Source:  model.Source.ValueString(),
			Content: []byte(model.Content.ValueString()),
			Owner:   model.Owner.ValueString(),
		}
		if !model.ContentBase64.IsNull() {
			content, err := base64.StdEncoding.DecodeString(model.ContentBase64.ValueString())
			if err != nil {
				// The decoder's error quotes part of the content.
				attribute := root.AtListIndex(i).AtName("content_base64")
				diags.AddAttributeError(attribute, "Invalid Value", fmt.Sprintf("The value of %s must be base64: it cannot be decoded.", attribute))
				continue
			}
			file.Content = content
		}
		if !model.Mode.IsNull() {
			mode, err := parseMode(model.Mode.ValueString())
			if err != nil {
				diags.AddAttributeError(root.AtListIndex(i).AtName("mode"), "Invalid Value", err.Error())
				continue
			}
			file.Mode = &mode
		}
		files = append(files, file)
	}
	return files, diags
}
