package provider

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// networksAttribute describes the networks that a container is on.
func networksAttribute(onChange string) schema.Attribute {
	return schema.SetNestedAttribute{
		MarkdownDescription: "The networks that the container is on, and no others. Containers on one network reach each other on every port, published or not, by their names and by their `aliases`. " +
			"Published ports stay published on 127.0.0.1 of this host, unless every network listed is `internal`: then none can be, and a copy of a checkpoint publishes none of the checkpoint's. " +
			"Defaults to the engine's own network, on which containers do not reach each other by name. Only on the backend `docker`, and not with `network_disabled`." + onChange,
		Optional:   true,
		Validators: []validator.Set{setvalidator.NoNullValues()},
		NestedObject: schema.NestedAttributeObject{
			Attributes: map[string]schema.Attribute{
				"name": schema.StringAttribute{
					MarkdownDescription: "The network: the `id` of a `rightsize_network`, or the name of any other network of the engine. Each is listed once.",
					Required:            true,
					Validators:          []validator.String{networkName()},
				},
				"aliases": schema.SetAttribute{
					MarkdownDescription: "Other names by which containers on this network reach this one, such as `db`: up to 63 letters, digits and hyphens, with no hyphen at either end. " +
						"Containers that share an alias are reached in turn.",
					Optional:    true,
					ElementType: types.StringType,
					Validators:  []validator.Set{setvalidator.NoNullValues(), setvalidator.ValueStringsAre(dnsLabel())},
				},
			},
		},
	}
}
