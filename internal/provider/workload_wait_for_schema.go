package provider

import (
	"github.com/hashicorp/terraform-plugin-framework-timetypes/timetypes"
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// waitForAttribute describes when a container is ready.
func waitForAttribute(onChange string) schema.Attribute {
	return schema.SingleNestedAttribute{
		MarkdownDescription: "When the container is ready. Everything given must hold under one `timeout`. Defaults to the wait of the `preset`, else to: every exposed TCP port answers. A container that dies ends the wait at once." + onChange,
		Optional:            true,
		Attributes: map[string]schema.Attribute{
			"log": schema.SingleNestedAttribute{
				MarkdownDescription: "Lines that the container writes to standard output or standard error.",
				Optional:            true,
				Attributes: map[string]schema.Attribute{
					"pattern": schema.StringAttribute{
						MarkdownDescription: "A regular expression (RE2) that is matched against each line.",
						Required:            true,
						Validators:          []validator.String{regularExpression()},
					},
					"times": schema.Int64Attribute{
						MarkdownDescription: "How many lines must match when the container boots for the first time. Defaults to `1`. After a stop and a start, one line is enough.",
						Optional:            true,
						Validators:          []validator.Int64{int64validator.AtLeast(1)},
					},
				},
			},
			"port": schema.StringAttribute{
				MarkdownDescription: "A published TCP port of the container on which something must listen.",
				Optional:            true,
				Validators:          []validator.String{tcpPort()},
			},
			"http": schema.SingleNestedAttribute{
				MarkdownDescription: "A GET request that must be answered. Redirects are not followed.",
				Optional:            true,
				Attributes: map[string]schema.Attribute{
					"path": schema.StringAttribute{
						MarkdownDescription: "The path of the request, beginning with `/`.",
						Required:            true,
						Validators:          []validator.String{absolutePath()},
					},
					"port": schema.StringAttribute{
						MarkdownDescription: "The published TCP port of the container to ask. May be left out if exactly one is exposed.",
						Optional:            true,
						Validators:          []validator.String{tcpPort()},
					},
					"status": schema.Int64Attribute{
						MarkdownDescription: "The status code of the answer. Defaults to `200`.",
						Optional:            true,
						Validators:          []validator.Int64{int64validator.Between(100, 599)},
					},
					"body": schema.StringAttribute{
						MarkdownDescription: "A regular expression (RE2) that must match in the first MiB of the answer's body.",
						Optional:            true,
						Validators:          []validator.String{regularExpression()},
					},
				},
			},
			"exec": schema.SingleNestedAttribute{
				MarkdownDescription: "A command that must exit with code 0. It is run again until it does.",
				Optional:            true,
				Attributes: map[string]schema.Attribute{
					"command": schema.ListAttribute{
						MarkdownDescription: "The program and its arguments.",
						Required:            true,
						ElementType:         types.StringType,
						Validators:          programAndArguments(),
					},
				},
			},
			"health": schema.BoolAttribute{
				MarkdownDescription: "Whether the health check that the image declares must pass.",
				Optional:            true,
			},
			"exit": schema.BoolAttribute{
				MarkdownDescription: "Whether the container is a job that must end with code 0. It is then not expected to run.",
				Optional:            true,
			},
			"timeout": schema.StringAttribute{
				MarkdownDescription: "How long all of it may take, as a duration such as `90s`. Defaults to `120s`.",
				Optional:            true,
				CustomType:          timetypes.GoDurationType{},
				Validators:          []validator.String{positiveDuration()},
			},
		},
	}
}
