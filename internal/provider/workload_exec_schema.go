package provider

import (
	"github.com/hashicorp/terraform-plugin-framework-timetypes/timetypes"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// execAttribute describes commands that run once in a container that is ready.
func execAttribute(onChange string) schema.Attribute {
	attributes := commandAttributes("")
	attributes["stdin"] = stdinAttribute("")
	attributes["timeout"] = schema.StringAttribute{
		MarkdownDescription: "How long the command may take, as a duration such as `90s`. Defaults to `10m`.",
		Optional:            true,
		CustomType:          timetypes.GoDurationType{},
		Validators:          []validator.String{positiveDuration()},
	}
	return schema.ListNestedAttribute{
		MarkdownDescription: "Commands that run once, in order, after the container became ready. One that exits with another code than 0 fails the apply, with the end of its output." + onChange,
		Optional:            true,
		Validators:          []validator.List{listvalidator.NoNullValues()},
		NestedObject:        schema.NestedAttributeObject{Attributes: attributes},
	}
}

// commandAttributes describes a command that runs in a container. onChange says
// what a change does, at the end of each description.
func commandAttributes(onChange string) map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"command": schema.ListAttribute{
			MarkdownDescription: "The program and its arguments. There is no shell unless you name one." + onChange,
			Required:            true,
			ElementType:         types.StringType,
			Validators:          programAndArguments(),
		},
		"user": schema.StringAttribute{
			MarkdownDescription: "The user that the command runs as. Defaults to the container's." + onChange,
			Optional:            true,
			Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
		},
		"working_dir": schema.StringAttribute{
			MarkdownDescription: "The absolute path of the directory in which the command runs. Defaults to the container's." + onChange,
			Optional:            true,
			Validators:          []validator.String{absolutePath()},
		},
		"env": schema.MapAttribute{
			MarkdownDescription: "Environment variables for the command, in addition to the container's." + onChange,
			Optional:            true,
			ElementType:         types.StringType,
			Validators:          []validator.Map{mapvalidator.NoNullValues(), mapvalidator.KeysAre(envName())},
		},
	}
}

func stdinAttribute(onChange string) schema.Attribute {
	return schema.StringAttribute{
		MarkdownDescription: "Text for the command's standard input." + describeWriteOnly + onChange,
		Optional:            true,
		WriteOnly:           true,
	}
}
