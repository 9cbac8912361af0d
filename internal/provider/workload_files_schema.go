package provider

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// filesAttribute describes files to put into a container.
func filesAttribute(onChange string) schema.Attribute {
	return schema.ListNestedAttribute{
		MarkdownDescription: "Files that are in place before the container's process starts. They are streamed, and their contents do not enter state." + onChange,
		Optional:            true,
		Validators:          []validator.List{listvalidator.NoNullValues()},
		NestedObject: schema.NestedAttributeObject{
			Attributes: map[string]schema.Attribute{
				"path": schema.StringAttribute{
					MarkdownDescription: "Where the file goes: an absolute path in the container. Directories above it are made if they are missing.",
					Required:            true,
					Validators:          []validator.String{absolutePath()},
				},
				"source": schema.StringAttribute{
					MarkdownDescription: "A file on this host, or a directory that is copied with everything below it. Exactly one of `source`, `content` and `content_base64` is set.",
					Optional:            true,
					Validators:          []validator.String{hostPath(), exactlyOneOf{"source", "content", "content_base64"}},
				},
				"content": schema.StringAttribute{
					MarkdownDescription: "The content as text." + describeWriteOnly,
					Optional:            true,
					WriteOnly:           true,
				},
				"content_base64": schema.StringAttribute{
					MarkdownDescription: "The content in base64, for binary data." + describeWriteOnly,
					Optional:            true,
					WriteOnly:           true,
					Validators:          []validator.String{base64Text()},
				},
				"mode": schema.StringAttribute{
					MarkdownDescription: "The permissions in octal, such as `0600`. Defaults to the source's own, or `0644` for content. In a directory it applies to regular files.",
					Optional:            true,
					Validators:          []validator.String{fileMode()},
				},
				"owner": schema.StringAttribute{
					MarkdownDescription: "The owner as in `chown`: `user`, `user:group`, or numbers. Names are looked up in the container. Defaults to root.",
					Optional:            true,
					Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
				},
			},
		},
	}
}
