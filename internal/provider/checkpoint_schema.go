package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-timetypes/timetypes"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// Descriptions that the resource and the data sources share.
const (
	describeID         = "Identifies this capture: `<name>@<artifact digest>`. It changes when the checkpoint is captured again, so that what depends on it follows."
	describeRef        = "The backend's name for the artifact, such as `rightsize/checkpoint:<name>`."
	describeBackend    = "The backend that holds the artifact."
	describeArtifactID = "The digest of the artifact. State pins it: an update or a destroy touches this artifact only."
	describeCreatedAt  = "When the checkpoint was captured, in RFC 3339."
	describeSizeBytes  = "The size of the artifact in bytes, layers shared with other images included."
	describeLayers     = "How many layers a restore stacks, the image's own included: each capture of a copy adds one, an engine takes about 125, and above 100 there is a warning. Null on a backend whose artifacts have none."
	describePauseMS    = "How long the container that was captured stood still for it, in milliseconds. Null where the engine does not tell."
	describeResumes    = "What a container must have to go on from the memory that the checkpoint holds. Null if it holds none."
	describeExpiresAt  = "From when on a clean-up may remove it, in RFC 3339: `created_at` and `expires_after` together. Null if it never expires."
	describeAgeHours   = "How long ago it was captured, in whole hours, rounded down: finer, each plan would find something new. Use `created_at` with `timecmp` for what is younger."
	describeExpired    = "Whether it has expired: `terraform-provider-rightsize -prune` removes it. `false` if it never expires."
	describeSpec       = "What the captured container was created with: the defaults of containers that are restored from it."
)

func checkpointSchema(ctx context.Context) schema.Schema {
	seed := workloadAttributes(func(attribute string) string {
		switch attribute {
		case "on_failure":
			return " Defaults to `remove`. One that was kept is removed by the next capture."
		case "tmpfs_root_mb":
			return " In a seed, which is there to be captured, it is an error."
		}
		return ""
	})
	seed["warm"] = schema.BoolAttribute{
		MarkdownDescription: "Whether the seed is captured as it runs, with its memory, when it is ready and its `exec` steps are done, instead of being stopped before. " +
			"A copy then goes on with the service up and its caches warm. It takes the backend `microsandbox` with msb 0.7, and is an error elsewhere. " +
			"See the guide [Cold, live and warm checkpoints](../guides/cold-live-warm.md). Defaults to `false`. A change captures again.",
		Optional: true,
	}
	computed := func(description string) schema.StringAttribute {
		return schema.StringAttribute{MarkdownDescription: description, Computed: true}
	}
	return schema.Schema{
		MarkdownDescription: "A named checkpoint: the filesystem of a container, data in declared volumes included, kept so that any number of containers can start from it. " +
			"It is registered where the rightsize test libraries find it.\n\n" +
			"Any change of the source or of `triggers` captures again under the same name, in place: capture, verify, switch, drop the old artifact. " +
			"At no instant is there no good checkpoint, and a capture that fails changes nothing. " +
			"A checkpoint of that name that somebody else made is replaced in the same way.",
		Attributes: map[string]schema.Attribute{
			"name": schema.StringAttribute{
				MarkdownDescription: "The checkpoint's name: 1 to 41 lower-case letters, digits and hyphens, not beginning with a hyphen. A change replaces the checkpoint.",
				Required:            true,
				Validators:          []validator.String{checkpointName()},
				PlanModifiers:       []planmodifier.String{stringplanmodifier.RequiresReplace()},
			},
			"container_id": schema.StringAttribute{
				MarkdownDescription: "The container to capture: the `container_id` of a `rightsize_container`, or the id or name of any other container of the engine. " +
					"One that runs is paused for the capture, and its data is as after a power cut; a stopped one is captured clean. " +
					"Named and anonymous volumes are captured too; bind mounts and tmpfs are refused. Exactly one of `container_id` and `seed` is set. A change captures again.",
				Optional: true,
				Validators: []validator.String{
					containerReference(),
					exactlyOneOf{"container_id", "seed"},
				},
			},
			"seed": schema.SingleNestedAttribute{
				MarkdownDescription: "A container that lives only as long as seeding takes: it is started, awaited, seeded by its `exec` steps, stopped gracefully and captured. " +
					"Exactly one of `container_id` and `seed` is set. A change captures again.",
				Optional:   true,
				Attributes: seed,
			},
			"flatten": schema.BoolAttribute{
				MarkdownDescription: "Whether the artifact is one layer of its own instead of a layer on top of what the container was made from. Defaults to `false`. " +
					"It makes an end of a long chain of captures, and the time and the space it costs grow with all data, not with what changed; " +
					"a running container is paused for as long as that takes. Contents and configuration are the same. " +
					"On the backend `microsandbox`, whose artifacts have no layers, it changes nothing in them. A change captures again; unset and `false` are the same.",
				Optional: true,
			},
			"memory": schema.BoolAttribute{
				MarkdownDescription: "Whether the capture of `container_id` holds the container's memory and processes beside its filesystem: a copy goes on from that instant, with other ports. " +
					"The container has to run. A copy has the same memory and processors, and needs the same line of the engine: see `resumes`. " +
					"It takes the backend `microsandbox` with msb 0.7, and is an error elsewhere. For a `seed`, set `warm` in it instead. " +
					"See the guide [Cold, live and warm checkpoints](../guides/cold-live-warm.md). Defaults to `false`. A change captures again; unset and `false` are the same.",
				Optional: true,
			},
			"triggers": schema.MapAttribute{
				MarkdownDescription: "Any values, such as the digest of a data file. A change captures again.",
				Optional:            true,
				ElementType:         types.StringType,
			},
			"expires_after": expiresAfterAttribute("checkpoint", "its capture; a new capture begins anew. A change is applied in place, without capturing again."),
			"timeouts": timeoutsAttribute(ctx, timeouts.Opts{
				Create: true, Update: true, Delete: true,
				CreateDescription: "How long seeding and capturing may take together, as a duration. Defaults to `2h`.",
				UpdateDescription: "How long seeding and capturing again may take together, as a duration. Defaults to `2h`.",
				DeleteDescription: "How long removing may take, as a duration. Defaults to `5m`.",
			}),
			"id":          computed(describeID),
			"ref":         computed(describeRef),
			"backend":     computed(describeBackend),
			"artifact_id": computed(describeArtifactID),
			"created_at": schema.StringAttribute{
				MarkdownDescription: describeCreatedAt,
				Computed:            true,
				CustomType:          timetypes.RFC3339Type{},
			},
			"size_bytes": schema.Int64Attribute{MarkdownDescription: describeSizeBytes, Computed: true},
			"layers":     schema.Int64Attribute{MarkdownDescription: describeLayers, Computed: true},
			"pause_ms":   schema.Int64Attribute{MarkdownDescription: describePauseMS, Computed: true},
			"resumes": schema.SingleNestedAttribute{
				MarkdownDescription: describeResumes,
				Computed:            true,
				Attributes: map[string]schema.Attribute{
					"memory_limit_mb": schema.Int64Attribute{MarkdownDescription: describeResumesMemory, Computed: true},
					"cpus":            schema.Float64Attribute{MarkdownDescription: describeResumesCPUs, Computed: true},
					"engine":          schema.StringAttribute{MarkdownDescription: describeResumesEngine, Computed: true},
				},
			},
			"expires_at": schema.StringAttribute{
				MarkdownDescription: describeExpiresAt,
				Computed:            true,
				CustomType:          timetypes.RFC3339Type{},
			},
			"spec": schema.SingleNestedAttribute{
				MarkdownDescription: describeSpec,
				Computed:            true,
				Attributes: map[string]schema.Attribute{
					"env":             schema.MapAttribute{MarkdownDescription: describeSpecEnv, Computed: true, Sensitive: true, ElementType: types.StringType},
					"command":         schema.ListAttribute{MarkdownDescription: describeSpecCommand, Computed: true, ElementType: types.StringType},
					"exposed_ports":   schema.ListAttribute{MarkdownDescription: describeSpecExposedPorts, Computed: true, ElementType: types.Int64Type},
					"memory_limit_mb": schema.Int64Attribute{MarkdownDescription: describeSpecMemoryLimitMB, Computed: true},
				},
			},
			"content_sha256": computed("A digest of what is not kept in state itself: the contents of the seed's `files` and the `stdin` of its `exec` steps. A change captures again."),
		},
	}
}

// Descriptions of the parts of resumes and spec.
const (
	describeResumesMemory = "The memory in MiB. A container may leave `memory_limit_mb` unset, or set this."
	describeResumesCPUs   = "The number of processors. A container may leave `cpus` unset, or set this."
	describeResumesEngine = "The line of the engine's versions that restores it, such as `0.7`."

	describeSpecEnv           = "The environment variables that the user gave, without the image's own."
	describeSpecCommand       = "The command that the user gave; null if the image's own was used."
	describeSpecExposedPorts  = "The container's TCP ports that were published."
	describeSpecMemoryLimitMB = "The memory limit in MiB; null if there was none."
)
