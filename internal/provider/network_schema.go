package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/boolplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/mapplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

func networkSchema() schema.Schema {
	computed := func(description string) schema.StringAttribute {
		return schema.StringAttribute{
			MarkdownDescription: description,
			Computed:            true,
			PlanModifiers:       []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
		}
	}
	return schema.Schema{
		MarkdownDescription: "A network that joins containers: they reach each other on every port by their names and by the aliases that `networks` of `rightsize_container`, or of a seed, gives them. " +
			"One that is missing is created again by the next apply. Only on the backend `docker`.\n\n" +
			"A network that is replaced under the same name takes its containers along in the same apply. " +
			"A destroy takes containers that this provider has made off it, and is an error that names the others.",
		Attributes: map[string]schema.Attribute{
			"name": schema.StringAttribute{
				MarkdownDescription: "The network's name in the engine. One that another network has is an error: import that one, or choose another name. Defaults to a generated one. A change replaces the network.",
				Optional:            true,
				Computed:            true,
				Validators:          []validator.String{networkName()},
				PlanModifiers:       []planmodifier.String{stringplanmodifier.UseStateForUnknown(), stringplanmodifier.RequiresReplaceIfConfigured()},
			},
			"internal": schema.BoolAttribute{
				MarkdownDescription: "Whether the network has no way out: its containers reach each other and nothing else. Nothing outside reaches them either, so that a container which is on internal networks only publishes no ports. " +
					"Defaults to `false`. A change replaces the network.",
				Optional: true,
				PlanModifiers: []planmodifier.Bool{boolplanmodifier.RequiresReplaceIf(
					func(_ context.Context, req planmodifier.BoolRequest, resp *boolplanmodifier.RequiresReplaceIfFuncResponse) {
						resp.RequiresReplace = req.PlanValue.IsUnknown() || req.PlanValue.ValueBool() != req.StateValue.ValueBool()
					},
					"Unset is the same as false.", "Unset is the same as `false`.",
				)},
			},
			"labels": schema.MapAttribute{
				MarkdownDescription: "Labels to set on the network. A change replaces the network.",
				Optional:            true,
				ElementType:         types.StringType,
				Validators:          []validator.Map{mapvalidator.NoNullValues(), mapvalidator.KeysAre(userLabel())},
				PlanModifiers:       []planmodifier.Map{mapplanmodifier.RequiresReplace()},
			},
			"id":         computed("The network's name."),
			"network_id": computed("The engine's id of the network. It changes when the network is created again."),
			"backend":    computed("The backend that has the network."),
		},
	}
}
