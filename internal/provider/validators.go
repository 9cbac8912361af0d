package provider

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/distribution/reference"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/checkpoint"
)

// stringCheck is a validator made of one function, so that a value is checked
// at plan by the very code that reads it at apply.
type stringCheck struct {
	// want completes the sentence "The value of … must be …".
	want  string
	check func(string) error
}

func (v stringCheck) Description(context.Context) string { return "value must be " + v.want }

func (v stringCheck) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (v stringCheck) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if err := v.check(req.ConfigValue.ValueString()); err != nil {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid Value", fmt.Sprintf("The value of %s must be %s: %s.", req.Path, v.want, err))
	}
}

// exactlyOneOf checks that one of some attributes beside each other is set, and
// no other. It belongs on one of them: that is where it reports.
type exactlyOneOf []string

func (names exactlyOneOf) Description(context.Context) string {
	return "exactly one of " + strings.Join(names, ", ") + " must be set"
}

func (names exactlyOneOf) MarkdownDescription(ctx context.Context) string {
	return names.Description(ctx)
}

func (names exactlyOneOf) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	var set []string
	for _, name := range names {
		var value attr.Value
		resp.Diagnostics.Append(req.Config.GetAttribute(ctx, req.Path.ParentPath().AtName(name), &value)...)
		if resp.Diagnostics.HasError() || value.IsUnknown() {
			return
		}
		if !value.IsNull() {
			set = append(set, name)
		}
	}
	if len(set) == 1 {
		return
	}
	got := "None is"
	if len(set) > 1 {
		got = strings.Join(set, " and ") + " are"
	}
	resp.Diagnostics.AddAttributeError(req.Path, "Invalid Attribute Combination",
		fmt.Sprintf("Exactly one of %s must be set. %s.", strings.Join(names, ", "), got))
}

func imageReference() validator.String {
	return stringCheck{"an image reference, such as postgres:16-alpine", func(s string) error {
		_, err := reference.ParseAnyReference(s)
		return err
	}}
}

func checkpointName() validator.String {
	return stringCheck{"the name of a checkpoint", checkpoint.ValidateName}
}

func checkpointNameOrID() validator.String {
	return stringCheck{"the name or the id of a checkpoint", func(s string) error {
		name, digest, pinned := strings.Cut(s, "@")
		if pinned && digest == "" {
			return errors.New("there is no digest after the @")
		}
		return checkpoint.ValidateName(name)
	}}
}

func portNumber() validator.String {
	return stringCheck{"a port of the container", func(s string) error {
		_, err := backend.ParsePort(s)
		return err
	}}
}

func tcpPort() validator.String {
	return stringCheck{"a TCP port of the container", func(s string) error {
		port, err := backend.ParsePort(s)
		if err == nil && port.Protocol != backend.TCP {
			err = errors.New("a UDP port cannot be probed without speaking its service's protocol")
		}
		return err
	}}
}

func regularExpression() validator.String {
	return stringCheck{"a regular expression", func(s string) error {
		_, err := regexp.Compile(s)
		return err
	}}
}

func positiveDuration() validator.String {
	return stringCheck{"a duration, such as 90s", func(s string) error {
		d, err := time.ParseDuration(s)
		if err == nil && d <= 0 {
			err = errors.New("it must be longer than zero")
		}
		return err
	}}
}

func absolutePath() validator.String {
	return stringCheck{"an absolute path with forward slashes", func(s string) error {
		if !strings.HasPrefix(s, "/") {
			return fmt.Errorf("%q does not begin with /", s)
		}
		return nil
	}}
}

// pathBelowRoot is a path of something that can be copied: all of a container
// never holds still, with its devices and processes.
func pathBelowRoot() validator.String {
	return stringCheck{"an absolute path below /", func(s string) error {
		switch {
		case !strings.HasPrefix(s, "/"):
			return fmt.Errorf("%q does not begin with /", s)
		case path.Clean(s) == "/":
			return errors.New("it is all of the container")
		case strings.Contains(s, "\x00"):
			return errors.New("it contains a NUL")
		}
		return nil
	}}
}

// hostPath accepts the path of a file or a directory on this host.
func hostPath() validator.String {
	return stringCheck{"a path on this host", func(s string) error {
		switch {
		case s == "":
			return errors.New("it is empty")
		case s == "~" || strings.HasPrefix(filepath.ToSlash(s), "~/"):
			return fmt.Errorf("a ~ is the home directory for a shell only: write pathexpand(%q)", s)
		}
		return nil
	}}
}

func fileMode() validator.String {
	return stringCheck{"octal permissions, such as 0644", func(s string) error {
		_, err := parseMode(s)
		return err
	}}
}

// parseMode reads permissions in octal, with the set-user-ID, set-group-ID and
// sticky bits of chmod.
func parseMode(s string) (fs.FileMode, error) {
	bits, err := strconv.ParseUint(s, 8, 12)
	if err != nil {
		return 0, fmt.Errorf("%q is not an octal number of up to four digits", s)
	}
	mode := fs.FileMode(bits & 0o777)
	for bit, flag := range map[uint64]fs.FileMode{0o4000: fs.ModeSetuid, 0o2000: fs.ModeSetgid, 0o1000: fs.ModeSticky} {
		if bits&bit != 0 {
			mode |= flag
		}
	}
	return mode, nil
}

// base64Text does not repeat the error of the decoder, which quotes part of the
// content.
func base64Text() validator.String {
	return stringCheck{"base64", func(s string) error {
		if _, err := base64.StdEncoding.DecodeString(s); err != nil {
			return errors.New("it cannot be decoded")
		}
		return nil
	}}
}

func envName() validator.String {
	return stringCheck{"the name of an environment variable", func(s string) error {
		switch {
		case s == "":
			return errors.New("it is empty")
		case strings.Contains(s, "="):
			return fmt.Errorf("%q contains a =", s)
		}
		return checkText(s)
	}}
}

// envValue refuses at plan what the registry of checkpoints cannot hold: after
// an hour of seeding would be too late. The value itself stays out of the error.
func envValue() validator.String {
	return stringCheck{"text without control characters other than tab, newline and carriage return", checkText}
}

func checkText(s string) error {
	for i, r := range s {
		if r < 0x20 && r != '\t' && r != '\n' && r != '\r' {
			return fmt.Errorf("there is a control character (%U) at byte %d", r, i)
		}
	}
	return nil
}

var containerNamePattern = regexp.MustCompile(`^[a-zA-Z0-9][a-zA-Z0-9_.-]{0,127}$`)

// reservedNames are removed, or taken for their own, by the rightsize test
// libraries.
var reservedNames = regexp.MustCompile(`^rz-(reuse-.*|[0-9a-f]{8}-[0-9]+)$`)

// wantContainerName is what the name of a container must be.
const wantContainerName = "the name of a container"

// checkContainerName fails for what no engine takes for a container's name.
func checkContainerName(s string) error {
	if !containerNamePattern.MatchString(s) {
		return fmt.Errorf("%q must begin with a letter or a digit, followed by up to 127 letters, digits, underscores, dots and hyphens", s)
	}
	return nil
}

func containerName() validator.String {
	return stringCheck{wantContainerName, func(s string) error {
		if err := checkContainerName(s); err != nil {
			return err
		}
		if reservedNames.MatchString(s) || strings.HasPrefix(s, "rightsize-seed-") || strings.HasPrefix(s, "rightsize-ephemeral-") {
			return fmt.Errorf("%q is reserved for containers that the provider or the rightsize libraries remove by themselves", s)
		}
		return nil
	}}
}

// containerReference accepts what may be the engine's id or the name of a
// container, whoever made it. Anything else would be another path of the engine's
// API.
func containerReference() validator.String {
	return stringCheck{"the id or the name of a container", checkContainerName}
}

func userLabel() validator.String {
	return stringCheck{"the name of a label", func(s string) error {
		switch {
		case s == "":
			return errors.New("it is empty")
		case strings.HasPrefix(s, "dev.rightsize."):
			return fmt.Errorf("%q is reserved: labels that begin with dev.rightsize. are set by the provider", s)
		}
		return nil
	}}
}

// wantNetworkName is what the name of a network must be.
const wantNetworkName = "the name of a network"

// libraryNetworks are networks that the rightsize test libraries remove as their
// own.
var libraryNetworks = regexp.MustCompile(`rz-net-[0-9a-f]{8}`)

func networkName() validator.String { return stringCheck{wantNetworkName, checkNetworkName} }

func checkNetworkName(s string) error {
	switch s {
	case "bridge", "host", "none", "nat", "podman", "default":
		return fmt.Errorf("%q is a network that every engine has: leave networks out for the default one, and set network_disabled for none", s)
	}
	switch {
	case !containerNamePattern.MatchString(s):
		return fmt.Errorf("%q must begin with a letter or a digit, followed by up to 127 letters, digits, underscores, dots and hyphens", s)
	case libraryNetworks.MatchString(s):
		return fmt.Errorf("%q is reserved for networks that the rightsize libraries remove by themselves", s)
	}
	return nil
}

var dnsLabelPattern = regexp.MustCompile(`^[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?$`)

func dnsLabel() validator.String {
	return stringCheck{"a name by which a container can be reached", func(s string) error {
		if !dnsLabelPattern.MatchString(s) {
			return fmt.Errorf("%q must be 1 to 63 letters, digits and hyphens, and neither begin nor end with a hyphen", s)
		}
		return nil
	}}
}
