package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-timetypes/timetypes"
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// containerChanges says, for each attribute that is applied in place, what a
// change does. All others replace the container.
var containerChanges = map[string]string{
	"from_checkpoint":   "A change resets the container in place: same name, same host ports, the checkpoint's contents.",
	"memory_limit_mb":   "A change is applied to the running container.",
	"cpus":              "A change is applied to the running container.",
	"networks":          "A change is applied to the running container.",
	"wait_for":          "A change waits for the running container once more.",
	"preset":            "A change replaces the container if it changes which port is published; else it waits for the running container once more, if `wait_for` is not set, and `connection_uri` follows.",
	"require_isolation": "A change is checked against the backend in use.",
	"pull_policy":       "A change takes effect when the container is next created.",
	"stop_timeout":      "A change takes effect when the container is next stopped.",
	"on_failure":        "Defaults to `keep`: the container stays, marked as tainted. A change takes effect when the container is next started.",
}

func containerSchema(ctx context.Context) schema.Schema {
	attributes := workloadAttributes(func(attribute string) string {
		if change, ok := containerChanges[attribute]; ok {
			return " " + change
		}
		return " A change replaces the container."
	})
	attributes["name"] = schema.StringAttribute{
		MarkdownDescription: "The container's name in the engine. Defaults to a generated one. A change replaces the container.",
		Optional:            true,
		Computed:            true,
		Validators:          []validator.String{containerName()},
		PlanModifiers:       []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
	}
	attributes["labels"] = schema.MapAttribute{
		MarkdownDescription: "Labels to set on the container, in addition to the image's own. A change replaces the container.",
		Optional:            true,
		ElementType:         types.StringType,
		Validators:          []validator.Map{mapvalidator.NoNullValues(), mapvalidator.KeysAre(userLabel())},
	}
	attributes["ports"] = schema.ListNestedAttribute{
		MarkdownDescription: "Ports to publish on host ports of your choice, bound on 127.0.0.1. Prefer `exposed_ports`, which cannot collide. A change replaces the container.",
		Optional:            true,
		Validators:          []validator.List{listvalidator.NoNullValues()},
		NestedObject: schema.NestedAttributeObject{
			Attributes: map[string]schema.Attribute{
				"container_port": schema.Int64Attribute{
					MarkdownDescription: "The port of the container.",
					Required:            true,
					Validators:          []validator.Int64{int64validator.Between(1, 65535)},
				},
				"host_port": schema.Int64Attribute{
					MarkdownDescription: "The port of the host. One that is in use is an error at plan.",
					Required:            true,
					Validators:          []validator.Int64{int64validator.Between(1, 65535)},
				},
				"protocol": schema.StringAttribute{
					MarkdownDescription: "`tcp` or `udp`. Defaults to `tcp`.",
					Optional:            true,
					Validators:          []validator.String{stringvalidator.OneOf(string(backend.TCP), string(backend.UDP))},
				},
			},
		},
	}
	attributes["reset_trigger"] = schema.StringAttribute{
		MarkdownDescription: "Any value. A change resets the container in place: same name, same host ports, contents as defined, `exec` steps run again.",
		Optional:            true,
	}
	attributes["save_before_reset"] = schema.StringAttribute{
		MarkdownDescription: "The name of a checkpoint that the present contents are kept as before each reset in place, whether `reset_trigger` or `from_checkpoint` changed. " +
			"It replaces what the name stood for, so that it is none that a `rightsize_checkpoint` manages, and in a `count` or `for_each` each container has its own. " +
			"A running container is saved as after a power cut, a stopped one clean. If it cannot be saved, it is not reset. A replacement of the container saves nothing. " +
			"What was saved is not managed by Terraform: look it up with the data source `rightsize_checkpoint`, restore it with `from_checkpoint`; the guide on checkpoints says how to remove it. " +
			"A change takes effect at the next reset.",
		Optional:   true,
		Validators: []validator.String{checkpointName()},
	}
	attributes["expires_after"] = expiresAfterAttribute("container", "its creation; a reset, which makes it again, begins anew, and a restart does not. A change is applied in place.")
	attributes["timeouts"] = timeoutsAttribute(ctx, timeouts.Opts{
		Create: true, Update: true, Delete: true,
		CreateDescription: "How long pulling, starting, waiting and `exec` steps may take together, as a duration. Defaults to `30m`.",
		UpdateDescription: "How long an update, or a reset with what is saved before it, may take, as a duration. Defaults to `30m`.",
		DeleteDescription: "How long stopping and removing may take, as a duration. Defaults to `5m`.",
	})
	computed := func(description string) schema.StringAttribute {
		return schema.StringAttribute{MarkdownDescription: description, Computed: true}
	}
	attributes["id"] = computed("The container's name.")
	attributes["container_id"] = computed("The engine's id of the container. It changes when the container is reset.")
	attributes["backend"] = computed("The backend that runs the container.")
	attributes["host"] = computed("The address at which published ports are reached.")
	attributes["mapped_ports"] = schema.MapAttribute{
		MarkdownDescription: "The host port of each published port, by the container's port: `\"5432\"`, or `\"53/udp\"`. They are kept for the container's whole life, across stops, starts and resets.",
		Computed:            true,
		ElementType:         types.Int64Type,
	}
	attributes["connection_uri"] = schema.StringAttribute{MarkdownDescription: describeConnectionURI, Computed: true, Sensitive: true}
	attributes["image_id"] = computed("The id of the image, or of the checkpoint's artifact, that the container was started from.")
	attributes["status"] = computed("The state of the container's process: `running`, or `exited` for one with `wait_for.exit`. `detached` is one that runs and is not on all of its networks. Anything else is mended in place by the next apply.")
	attributes["expires_at"] = schema.StringAttribute{
		MarkdownDescription: "From when on a clean-up may remove it, in RFC 3339. Null if it never expires.",
		Computed:            true,
		CustomType:          timetypes.RFC3339Type{},
	}
	attributes["content_sha256"] = computed("A digest of what is not kept in state itself: the contents of `files` and the `stdin` of `exec` steps. A change replaces the container.")
	return schema.Schema{
		MarkdownDescription: "A container, started from an image or restored from a checkpoint. " +
			"Its data lives in its own filesystem, also where the image declares a volume, so that a `rightsize_checkpoint` captures all of it. " +
			"One that was stopped is started again in place by the next apply; one that is missing is created again.",
		Attributes: attributes,
	}
}
