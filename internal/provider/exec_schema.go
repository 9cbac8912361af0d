package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/boolplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

func execSchema(ctx context.Context) schema.Schema {
	const runsAgain = " A change runs the command again."
	attributes := commandAttributes(runsAgain)
	attributes["stdin"] = stdinAttribute(runsAgain)
	attributes["container_id"] = schema.StringAttribute{
		MarkdownDescription: "The container to run the command in: the `container_id` of a `rightsize_container`, which changes when that is reset, or the id or name of any other container of the engine. It must be running." + runsAgain,
		Required:            true,
		Validators:          []validator.String{containerReference()},
	}
	attributes["success_exit_codes"] = schema.SetAttribute{
		MarkdownDescription: "The exit codes of success. Any other is an error that shows the end of the command's output. Defaults to `[0]`." + runsAgain,
		Optional:            true,
		ElementType:         types.Int64Type,
		Validators: []validator.Set{
			setvalidator.SizeAtLeast(1), setvalidator.NoNullValues(), setvalidator.ValueInt64sAre(int64validator.Between(0, 255)),
		},
	}
	attributes["triggers"] = schema.MapAttribute{
		MarkdownDescription: "Any values, such as the digest of a data file or the `id` of another `rightsize_exec`." + runsAgain,
		Optional:            true,
		ElementType:         types.StringType,
	}
	attributes["on_destroy"] = schema.SingleNestedAttribute{
		MarkdownDescription: "A command that takes back what this one did. It runs when the resource is destroyed or replaced, in the container that the command ran in; where that is gone or does not run, there is nothing to take back and it is skipped. " +
			"One that exits with another code than 0 fails the destroy, which can then be tried again. " +
			"It does not run after a command that failed, of which no resource is left. A change is kept for then and runs nothing: in an apply that replaces the resource as well, it is the one before that runs. " +
			"A reset of the container comes after it, so that what it took back is not in `save_before_reset` either; with `create_before_destroy` it comes before, the container is gone by then, and nothing is taken back. " +
			"Where `create_before_destroy` meets a container that stays, it would take back what the new run has just done.",
		Optional:   true,
		Attributes: commandAttributes(""),
	}
	attributes["timeouts"] = timeoutsAttribute(ctx, timeouts.Opts{
		Create: true, Delete: true,
		CreateDescription: "How long the command may take, as a duration. Defaults to `10m`.",
		DeleteDescription: "How long the `on_destroy` command may take, as a duration. Defaults to `10m`.",
	})
	computed := func(description string) schema.StringAttribute {
		return schema.StringAttribute{
			MarkdownDescription: description, Computed: true,
			PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
		}
	}
	attributes["id"] = computed("Identifies this run of the command. It is another one each time the command runs.")
	attributes["backend"] = computed("The backend that runs the container.")
	attributes["stdout"] = schema.StringAttribute{
		MarkdownDescription: "The beginning of what the command wrote to its standard output, up to 64 KiB, as text: bytes that are no UTF-8 are replaced. Sensitive; `nonsensitive()` shows it.",
		Computed:            true,
		Sensitive:           true,
		PlanModifiers:       []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
	}
	attributes["stdout_truncated"] = schema.BoolAttribute{
		MarkdownDescription: "Whether the command wrote more to its standard output than `stdout` holds.",
		Computed:            true,
		PlanModifiers:       []planmodifier.Bool{boolplanmodifier.UseStateForUnknown()},
	}
	attributes["exit_code"] = schema.Int64Attribute{
		MarkdownDescription: "The command's exit code, one of `success_exit_codes`.",
		Computed:            true,
		PlanModifiers:       []planmodifier.Int64{int64planmodifier.UseStateForUnknown()},
	}
	attributes["content_sha256"] = schema.StringAttribute{
		MarkdownDescription: "A digest of `stdin`, which is not kept in state itself.",
		Computed:            true,
	}
	return schema.Schema{
		MarkdownDescription: "A command that runs once in a running container, such as a migration, and what it printed. " +
			"It runs again, in place of the run before, when anything about it changes: its words, `triggers`, or the container, which a reset makes another one. " +
			"A command that fails, or is interrupted, leaves no resource and runs again with the next apply: it should bear that. " +
			"One that is interrupted, or takes too long, is told to end. On Docker that takes a shell, `tr` and `grep` in the image; without them it goes on in the container until it ends by itself.\n\n" +
			"For what belongs to the contents of a container or a checkpoint, use their `exec` steps, which a reset and a capture run again by themselves. It cannot be imported: no engine keeps what ran in a container.",
		Attributes: attributes,
	}
}
