package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

type attachmentModel struct {
	Name    types.String `tfsdk:"name"`
	Aliases types.Set    `tfsdk:"aliases"`
}

var attachmentType = types.ObjectType{AttrTypes: map[string]attr.Type{
	"name":    types.StringType,
	"aliases": types.SetType{ElemType: types.StringType},
}}

// toAttachments converts the networks of a configuration that is known.
func (m workloadModel) toAttachments(ctx context.Context) ([]backend.Attachment, diag.Diagnostics) {
	var models []attachmentModel
	diags := m.Networks.ElementsAs(ctx, &models, false)
	var attachments []backend.Attachment
	for _, model := range models {
		attachment := backend.Attachment{Network: model.Name.ValueString()}
		diags.Append(model.Aliases.ElementsAs(ctx, &attachment.Aliases, false)...)
		attachments = append(attachments, attachment)
	}
	return backend.SortedAttachments(attachments), diags
}

// attachmentsOrNull is the reverse of toAttachments.
func attachmentsOrNull(ctx context.Context, attachments []backend.Attachment, diags *diag.Diagnostics) types.Set {
	if len(attachments) == 0 {
		return types.SetNull(attachmentType)
	}
	models := make([]attachmentModel, 0, len(attachments))
	for _, attachment := range attachments {
		model := attachmentModel{Name: types.StringValue(attachment.Network), Aliases: types.SetNull(types.StringType)}
		if len(attachment.Aliases) > 0 {
			aliases, d := types.SetValueFrom(ctx, types.StringType, attachment.Aliases)
			diags.Append(d...)
			model.Aliases = aliases
		}
		models = append(models, model)
	}
	value, d := types.SetValueFrom(ctx, attachmentType, models)
	diags.Append(d...)
	return value
}

// networkNames returns the names of the networks that are known.
func (m workloadModel) networkNames() []string {
	var names []string
	for _, element := range m.Networks.Elements() {
		object, _ := element.(types.Object)
		if name, _ := object.Attributes()["name"].(types.String); isSet(name) {
			names = append(names, name.ValueString())
		}
	}
	return names
}

// validateNetworks refuses a network that is listed twice, and networks of a
// container that has none.
func (m workloadModel) validateNetworks(root path.Path) diag.Diagnostics {
	var diags diag.Diagnostics
	listed := make(map[string]struct{})
	for _, name := range m.networkNames() {
		if _, ok := listed[name]; ok {
			diags.AddAttributeError(root.AtName("networks"), "Duplicate Network",
				fmt.Sprintf("Network %s is listed twice. List it once, with all its aliases.", name))
		}
		listed[name] = struct{}{}
	}
	if m.NetworkDisabled.ValueBool() && len(m.Networks.Elements()) > 0 {
		diags.AddAttributeError(root.AtName("network_disabled"), "Invalid Attribute Combination",
			"A container without a network is on none: network_disabled does not go together with networks.")
	}
	return diags
}
