package provider

import (
	"github.com/hashicorp/terraform-plugin-framework-timetypes/timetypes"
	"github.com/hashicorp/terraform-plugin-framework-validators/float64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/preset"
)

// The values of on_failure.
const (
	onFailureKeep   = "keep"
	onFailureRemove = "remove"
)

// minDiskLimitMB is the smallest disk that each backend takes.
const minDiskLimitMB = 65

const describeTmpfsRoot = "Keeps what the container writes to its own filesystem in memory, at most this many MiB. It is gone when the container stops: started again, it has its `files`, and nothing of what `exec` steps did. " +
	"No checkpoint can be captured of it. Only on the backend `microsandbox`. Not with `disk_limit_mb`, and not with `from_checkpoint`, whose data is on a disk."

// describeWriteOnly ends the description of each write-only attribute.
const describeWriteOnly = " Write-only: it needs Terraform 1.11 or newer, and does not enter state."

// workloadAttributes is what a container and the seed of a checkpoint have in
// common. onChange says what a change does, at the end of each description.
func workloadAttributes(onChange func(attribute string) string) map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"image": schema.StringAttribute{
			MarkdownDescription: "The image to start from, such as `postgres:16-alpine`. Pulled as `pull_policy` says, with the credentials of the `docker` command. " +
				"Exactly one of `image` and `from_checkpoint` is set." + onChange("image"),
			Optional:   true,
			Validators: []validator.String{exactlyOneOf{"image", "from_checkpoint"}, imageReference()},
		},
		"from_checkpoint": schema.StringAttribute{
			MarkdownDescription: "The checkpoint to start from: the `id` of a `rightsize_checkpoint`, which follows the checkpoint when it is captured again, or its bare name, which means what it holds at that time. " +
				"An `id` whose artifact has been replaced is an error that says when." + onChange("from_checkpoint"),
			Optional:   true,
			Validators: []validator.String{checkpointNameOrID()},
		},
		"env": schema.MapAttribute{
			MarkdownDescription: "Environment variables, in addition to the image's or the checkpoint's own. A value is as sensitive as what you put in." + onChange("env"),
			Optional:            true,
			ElementType:         types.StringType,
			Validators:          []validator.Map{mapvalidator.NoNullValues(), mapvalidator.KeysAre(envName()), mapvalidator.ValueStringsAre(envValue())},
		},
		"command": schema.ListAttribute{
			MarkdownDescription: "The command and its arguments. Defaults to the checkpoint's, else the image's own." + onChange("command"),
			Optional:            true,
			ElementType:         types.StringType,
			Validators:          []validator.List{listvalidator.SizeAtLeast(1), listvalidator.NoNullValues()},
		},
		"entrypoint": schema.ListAttribute{
			MarkdownDescription: "The entry point, to which `command` is appended. Defaults to the image's own." + onChange("entrypoint"),
			Optional:            true,
			ElementType:         types.StringType,
			Validators:          []validator.List{listvalidator.SizeAtLeast(1), listvalidator.NoNullValues()},
		},
		"working_dir": schema.StringAttribute{
			MarkdownDescription: "The absolute path of the directory in which the command runs. Defaults to the image's own." + onChange("working_dir"),
			Optional:            true,
			Validators:          []validator.String{absolutePath()},
		},
		"user": schema.StringAttribute{
			MarkdownDescription: "The user that the command runs as: a name or a number, optionally followed by `:group`. Defaults to the image's own." + onChange("user"),
			Optional:            true,
			Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
		},
		"exposed_ports": schema.SetAttribute{
			MarkdownDescription: "Ports of the container to publish on the host, such as `5432` or `\"53/udp\"`. The host port is chosen by the provider, bound on 127.0.0.1, found in `mapped_ports` and kept. " +
				"List only ports that something listens on: a restore waits for each of them by default. Defaults to the checkpoint's, else to the preset's." + onChange("exposed_ports"),
			Optional:    true,
			ElementType: types.StringType,
			Validators:  []validator.Set{setvalidator.NoNullValues(), setvalidator.ValueStringsAre(portNumber())},
		},
		"preset": schema.StringAttribute{
			MarkdownDescription: "What kind of server is in the container: " + presetNames() + ". It stands for the port and the wait that are usual for it, where `exposed_ports` and `wait_for` are not set; what is set counts. " +
				"The wait differs between the first boot of an image, which may initialise its data on a server of its own, a copy of a checkpoint, and a restart. [Presets](../guides/presets.md) has all of them." + onChange("preset"),
			Optional:   true,
			Validators: []validator.String{stringvalidator.OneOf(preset.Names()...)},
		},
		"files":    filesAttribute(onChange("files")),
		"wait_for": waitForAttribute(onChange("wait_for")),
		"exec":     execAttribute(onChange("exec")),
		"memory_limit_mb": schema.Int64Attribute{
			MarkdownDescription: "The most memory the container may use, in MiB. Defaults to the checkpoint's, else to no limit on the backend `docker`, to 512 on `microsandbox`." + onChange("memory_limit_mb"),
			Optional:            true,
			Validators:          []validator.Int64{int64validator.AtLeast(6)},
		},
		"cpus": schema.Float64Attribute{
			MarkdownDescription: "The most processors the container may use, such as `1.5`. Defaults to no limit." + onChange("cpus"),
			Optional:            true,
			Validators:          []validator.Float64{float64validator.AtLeast(0.01)},
		},
		"disk_limit_mb": schema.Int64Attribute{
			MarkdownDescription: "The most the container may write to its own filesystem, in MiB, on top of its image: 65 or more. Defaults to 4096 on the backend `microsandbox`, to no limit on `docker`. " +
				"An engine that cannot bound it is an error: Docker can with overlay2 on xfs that is mounted with `pquota`, with btrfs and with zfs, and not with the containerd image store. " +
				"Not with `from_checkpoint`: a copy of a checkpoint has the disk that was captured." + onChange("disk_limit_mb"),
			Optional:   true,
			Validators: []validator.Int64{int64validator.AtLeast(minDiskLimitMB)},
		},
		"tmpfs_root_mb": schema.Int64Attribute{
			MarkdownDescription: describeTmpfsRoot + onChange("tmpfs_root_mb"),
			Optional:            true,
			Validators:          []validator.Int64{int64validator.AtLeast(1)},
		},
		"network_disabled": schema.BoolAttribute{
			MarkdownDescription: "Whether the container has no network: it reaches nothing, and nothing reaches it. Commands still run in it. No ports can be published, so that it goes with neither `exposed_ports` nor `ports`, " +
				"and one that is restored publishes none of its checkpoint's. Defaults to `false`." + onChange("network_disabled"),
			Optional: true,
		},
		"networks": networksAttribute(onChange("networks")),
		"require_isolation": schema.BoolAttribute{
			MarkdownDescription: "Whether to refuse a backend on which containers share the host's kernel. Defaults to `false`." + onChange("require_isolation"),
			Optional:            true,
		},
		"pull_policy": schema.StringAttribute{
			MarkdownDescription: "When to pull the image: `missing` if the engine does not have it, `always` at each creation, or `never`. Defaults to `missing`. Checkpoints are never pulled." + onChange("pull_policy"),
			Optional:            true,
			Validators: []validator.String{stringvalidator.OneOf(
				string(backend.PullMissing), string(backend.PullAlways), string(backend.PullNever),
			)},
		},
		"stop_timeout": schema.StringAttribute{
			MarkdownDescription: "How long the container may take to shut down before it is killed, as a duration such as `30s`. Defaults to `30s`." + onChange("stop_timeout"),
			Optional:            true,
			CustomType:          timetypes.GoDurationType{},
			Validators:          []validator.String{positiveDuration()},
		},
		"on_failure": schema.StringAttribute{
			MarkdownDescription: "What becomes of a container that fails to become ready, or whose `exec` steps fail: `keep` it for inspection or `remove` it." + onChange("on_failure"),
			Optional:            true,
			Validators:          []validator.String{stringvalidator.OneOf(onFailureKeep, onFailureRemove)},
		},
	}
}
