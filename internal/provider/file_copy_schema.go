package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// defaultSizeLimitMB bounds a copy of which the user does not say how large it
// may be: a container that never ends to write must not fill the host's disk.
const defaultSizeLimitMB = 10 << 10

func fileCopySchema(ctx context.Context) schema.Schema {
	const copiesAgain = " A change copies again, in place."
	return schema.Schema{
		MarkdownDescription: "A copy, on this host, of a file or a directory of a container, such as a database dump or what a job has made. The container need not run. " +
			"It is copied beside its destination first, and what was there before stays until the copy is whole.\n\n" +
			"The copy is a snapshot: what changes in the container later is copied when `triggers` change. If the copy is missing or was changed on this host, the next apply copies again. " +
			"A destroy removes the copy if it is as it was made, and otherwise leaves it with a warning; it removes nothing else, and no directory above it.\n\n" +
			"Files have the mode `0600`, or `0700` if their owner can run them in the container, and directories `0700`. Symbolic links that stay within a directory are copied as links. " +
			"The container is not trusted: a link that leads out of the directory, a device, or a name that leads elsewhere is an error. It cannot be imported.",
		Attributes: map[string]schema.Attribute{
			"container_id": schema.StringAttribute{
				MarkdownDescription: "The container to copy from: the `container_id` of a `rightsize_container`, which changes when that is reset, or the id or name of any other container of the engine." + copiesAgain,
				Required:            true,
				Validators:          []validator.String{containerReference()},
			},
			"path": schema.StringAttribute{
				MarkdownDescription: "The absolute path of a file or a directory in the container. A symbolic link there is followed. One that is missing is an error." + copiesAgain,
				Required:            true,
				Validators:          []validator.String{pathBelowRoot()},
			},
			"destination": schema.StringAttribute{
				MarkdownDescription: "The path of the copy on this host. Relative paths start where Terraform runs: write `\"${path.module}/…\"`. Missing directories above it are made, for their owner alone. " +
					"Something else that is there already is an error, unless it holds the same as the copy. A change removes the copy and makes another one.",
				Required:      true,
				Validators:    []validator.String{hostPath()},
				PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
			},
			"size_limit_mb": schema.Int64Attribute{
				MarkdownDescription: "The most to copy, in MiB. More is an error. Defaults to `10240`. A change takes effect when it is next copied.",
				Optional:            true,
				Validators:          []validator.Int64{int64validator.Between(1, 1<<40)},
			},
			"triggers": schema.MapAttribute{
				MarkdownDescription: "Any values, such as the `id` of the `rightsize_exec` that makes the file." + copiesAgain,
				Optional:            true,
				ElementType:         types.StringType,
			},
			"timeouts": timeoutsAttribute(ctx, timeouts.Opts{
				Create: true, Update: true,
				CreateDescription: "How long copying may take, as a duration. Defaults to `30m`.",
				UpdateDescription: "How long copying again may take, as a duration. Defaults to `30m`.",
			}),
			"id": schema.StringAttribute{
				MarkdownDescription: "The destination.",
				Computed:            true,
				PlanModifiers:       []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
			},
			"sha256": schema.StringAttribute{
				MarkdownDescription: "The SHA-256 of the copied file in hexadecimal, as `filesha256()` gives it. That of a directory is made of the names below it and of what the files hold; modes, owners and times do not count.",
				Computed:            true,
				PlanModifiers:       []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
			},
			"size_bytes": schema.Int64Attribute{
				MarkdownDescription: "The size of all copied files together, in bytes.",
				Computed:            true,
				PlanModifiers:       []planmodifier.Int64{int64planmodifier.UseStateForUnknown()},
			},
		},
	}
}
