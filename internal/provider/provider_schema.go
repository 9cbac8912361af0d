package provider

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend/selection"
)

func dockerAttribute() schema.Attribute {
	return schema.SingleNestedAttribute{
		MarkdownDescription: "How to reach the Docker Engine. What is not set is resolved as the `docker` command does: " +
			"`DOCKER_HOST`, then `DOCKER_CONTEXT`, then the current context of its configuration, then the default socket. API 1.41 (Engine 20.10) is the oldest that works.",
		Optional: true,
		Attributes: map[string]schema.Attribute{
			"host": schema.StringAttribute{
				MarkdownDescription: "The engine's address: `unix:///path/to/docker.sock`, `npipe:////./pipe/docker_engine`, `tcp://host:port` or `ssh://user@host`. " +
					"Ports of an engine on another host are published on all of its addresses, so that they can be reached from here.",
				Optional: true,
				Validators: []validator.String{
					stringvalidator.LengthAtLeast(1),
					stringvalidator.ConflictsWith(path.MatchRelative().AtParent().AtName("context")),
				},
			},
			"context": schema.StringAttribute{
				MarkdownDescription: "A context of the `docker` command (`docker context ls`) to use instead of the current one.",
				Optional:            true,
				Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"cert_path": schema.StringAttribute{
				MarkdownDescription: "A directory with `ca.pem`, `cert.pem` and `key.pem` for TLS with `host`. Defaults to the environment variable `DOCKER_CERT_PATH` where that applies.",
				Optional:            true,
				Validators: []validator.String{
					hostPath(),
					stringvalidator.AlsoRequires(path.MatchRelative().AtParent().AtName("host")),
				},
			},
		},
	}
}

func microsandboxAttribute() schema.Attribute {
	return schema.SingleNestedAttribute{
		MarkdownDescription: "How to run microVMs with the `msb` of microsandbox. It is looked for in this order: `path`, the environment variable `MSB_PATH`, " +
			"a copy downloaded earlier below `cache_dir`, the `PATH`, a download. One that is named must work; one that is found and cannot be used is passed over and never changed. " +
			"Supported are releases from 0.6.8 on, below 0.8: the lines 0.6 and 0.7, each in a home of its own. The host needs Linux with KVM (on x86 a processor with VT-x or AMD-V) or macOS on Apple silicon; an error names what is missing.",
		Optional: true,
		Attributes: map[string]schema.Attribute{
			"path": schema.StringAttribute{
				MarkdownDescription: "The `msb` to run; a leading `~` is the user's home directory. Defaults to the environment variable `MSB_PATH`, else one is found. " +
					"It is an error if it does not start, or is of a release that is not supported.",
				Optional:   true,
				Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"home": schema.StringAttribute{
				MarkdownDescription: "The directory of all of msb's state: images, containers, snapshots. It is an absolute path of at most 57 bytes, because msb makes sockets below it; " +
					"a leading `~` is the user's home directory. Containers of one home are not seen in another. Defaults to the environment variable `MSB_HOME`, else `~/.microsandbox`.",
				Optional:   true,
				Validators: []validator.String{msbHome()},
			},
			"version": schema.StringAttribute{
				MarkdownDescription: "The one release of msb that will do, such as `0.6.18`: an `msb` that is found must be of it, and it is what is downloaded. " +
					"By default every supported release will do, and 0.6.18 is downloaded.",
				Optional:   true,
				Validators: []validator.String{msbVersion()},
			},
			"record_integrity": schema.BoolAttribute{
				MarkdownDescription: "Whether a checkpoint records a digest of its disk, which is verified before it is restored. Both read the whole disk. Defaults to `false`.",
				Optional:            true,
			},
			"download": schema.SingleNestedAttribute{
				MarkdownDescription: "Whether and from where `msb` is downloaded where there is none. The archive is verified by its SHA-256 before anything is unpacked: " +
					"`sha256`, else what the provider knows of the release (0.6.18), else the `checksums.sha256` beside the archive. " +
					"It is installed below `cache_dir`, once however many applies run at a time.",
				Optional: true,
				Attributes: map[string]schema.Attribute{
					"enabled": schema.BoolAttribute{
						MarkdownDescription: "Whether a download is allowed. Defaults to `true`. The environment variable `RIGHTSIZE_MSB_SKIP_DOWNLOAD=true` forbids it whatever is set here; " +
							"the error then says what to install.",
						Optional: true,
					},
					"base_url": schema.StringAttribute{
						MarkdownDescription: "The `http` or `https` URL below which releases lie as the vendor keeps them: `v<version>/microsandbox-<platform>.tar.gz`, with `checksums.sha256` beside it. " +
							"Plain `http` is refused where that file is all that vouches for the archive. " +
							"Defaults to the environment variable `RIGHTSIZE_MSB_DOWNLOAD_URL`, else the releases of microsandbox on GitHub.",
						Optional:   true,
						Validators: []validator.String{msbDownloadURL()},
					},
					"sha256": schema.StringAttribute{
						MarkdownDescription: "The SHA-256 of the archive for this host's platform, in hexadecimal, for an archive that is not the vendor's. By default it is taken from where `download` says.",
						Optional:            true,
						Validators:          []validator.String{msbDigest()},
					},
				},
			},
		},
	}
}

func msbHome() validator.String {
	return stringCheck{"an absolute path of at most 57 bytes", selection.CheckMsbHome}
}

func msbVersion() validator.String {
	return stringCheck{"a supported release of msb", selection.CheckMsbVersion}
}

func msbDownloadURL() validator.String {
	return stringCheck{"the URL of a mirror", selection.CheckMsbDownloadURL}
}

func msbDigest() validator.String {
	return stringCheck{"a SHA-256", selection.CheckMsbDigest}
}
