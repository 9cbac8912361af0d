package provider

import (
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-timetypes/timetypes"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral/schema"
	resourceschema "github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

func ephemeralContainerSchema() schema.Schema {
	attributes := make(map[string]schema.Attribute)
	for name, attribute := range workloadAttributes(ephemeralChange) {
		attributes[name] = withoutWriteOnly(attribute)
	}
	attributes["stop_timeout"] = schema.StringAttribute{
		MarkdownDescription: "How long the container may take to shut down at the end of the run before it is killed, as a duration such as `30s`. Defaults to no time at all: nobody needs what it would write.",
		Optional:            true,
		CustomType:          timetypes.GoDurationType{},
		Validators:          []validator.String{positiveDuration()},
	}
	computed := func(description string) schema.StringAttribute {
		return schema.StringAttribute{MarkdownDescription: description, Computed: true}
	}
	attributes["name"] = computed("The container's name in the engine. It is another one each time.")
	attributes["container_id"] = computed("The engine's id of the container.")
	attributes["backend"] = computed("The backend that runs the container.")
	attributes["host"] = computed("The address at which published ports are reached.")
	attributes["mapped_ports"] = schema.MapAttribute{
		MarkdownDescription: "The host port of each published port, by the container's port: `\"5432\"`, or `\"53/udp\"`.",
		Computed:            true,
		ElementType:         types.Int64Type,
	}
	attributes["connection_uri"] = schema.StringAttribute{MarkdownDescription: describeConnectionURI, Computed: true, Sensitive: true}
	attributes["image_id"] = computed("The id of the image, or of the checkpoint's artifact, that the container was started from.")
	return schema.Schema{
		MarkdownDescription: "A container that lives only for one run of Terraform, from 1.10 on: it is started and awaited when something needs it, and removed when the run needs it no more. Nothing of it enters state or plan.\n\n" +
			"Terraform opens ephemeral resources for a plan as well as for an apply, so that both start a container: " +
			"restore a checkpoint (`from_checkpoint`) rather than seed one here. " +
			"As long as a value of its configuration is not known, it is not opened. " +
			"An interrupt removes the container; of a run that is killed, the next apply or destroy on this host does.",
		Attributes: attributes,
	}
}

// ephemeralChange ends the descriptions of those workload attributes of which
// there is more to say. Nothing is kept that a change could be applied to.
func ephemeralChange(attribute string) string {
	if attribute == "on_failure" {
		return " Defaults to `remove`. Nothing removes one that was kept: its name is in the error."
	}
	return ""
}

// withoutWriteOnly returns an attribute of a resource for something that has no
// state: each of its attributes takes ephemeral values by itself.
func withoutWriteOnly(attribute resourceschema.Attribute) schema.Attribute {
	switch a := attribute.(type) {
	case resourceschema.StringAttribute:
		if a.WriteOnly {
			a.WriteOnly = false
			a.MarkdownDescription = strings.TrimSuffix(a.MarkdownDescription, describeWriteOnly)
		}
		return a
	case resourceschema.ListNestedAttribute:
		nested := make(map[string]resourceschema.Attribute, len(a.NestedObject.Attributes))
		for name, attribute := range a.NestedObject.Attributes {
			nested[name] = withoutWriteOnly(attribute)
		}
		a.NestedObject.Attributes = nested
		return a
	default:
		return a
	}
}
