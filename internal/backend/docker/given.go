package docker

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/docker/docker/api/types/container"
	dockerspec "github.com/moby/docker-image-spec/specs-go/v1"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// ownLabels is the namespace that this package and the rightsize libraries
// share. A label in it is never the user's.
const ownLabels = "dev.rightsize."

// givenLabel is the value of [labelSpec]. It says which parts of a container's
// definition its creator gave, and nothing of what they are: the values are
// read from the container, where the engine keeps them anyway, so that no
// environment value is written to a second place and none can be out of date.
type givenLabel struct {
	// Container is the name of the container that the label was made for. A
	// label that says another one was inherited: a rightsize library bakes it
	// into the checkpoints that it captures of our containers.
	Container string `json:"container"`
	// Image is the one exception. The container's own record names the copy
	// without volumes.
	Image      string   `json:"image,omitempty"`
	Env        []string `json:"env,omitempty"`
	Labels     []string `json:"labels,omitempty"`
	Command    bool     `json:"command,omitempty"`
	Entrypoint bool     `json:"entrypoint,omitempty"`
	WorkingDir bool     `json:"workingDir,omitempty"`
	User       bool     `json:"user,omitempty"`
	Complete   bool     `json:"complete,omitempty"`
}

// encodeGiven returns the label's value for a container made from spec.
func encodeGiven(spec backend.Spec) (string, error) {
	label := givenLabel{
		Container:  spec.Name,
		Image:      spec.Image,
		Env:        slices.Sorted(maps.Keys(spec.Env)),
		Labels:     slices.Sorted(maps.Keys(spec.Labels)),
		Command:    len(spec.Command) > 0,
		Entrypoint: len(spec.Entrypoint) > 0,
		WorkingDir: spec.WorkingDir != "",
		User:       spec.User != "",
		Complete:   spec.Complete,
	}
	value, err := json.Marshal(label)
	return string(value), err
}

// decodeGiven reads the label of a container. Found is false if the container
// was not made here.
func decodeGiven(name string, labels map[string]string) (label givenLabel, found bool) {
	value := labels[labelSpec]
	if value == "" || json.Unmarshal([]byte(value), &label) != nil || label.Container != name {
		return givenLabel{}, false
	}
	return label, true
}

// selectFrom returns the parts of config that the label says were given.
func (l givenLabel) selectFrom(config *container.Config) backend.Given {
	given := backend.Given{
		Image:    l.Image,
		Env:      pick(envMap(config.Env), l.Env),
		Labels:   pick(config.Labels, l.Labels),
		Complete: l.Complete,
	}
	if l.Command {
		given.Command = config.Cmd
	}
	if l.Entrypoint {
		given.Entrypoint = config.Entrypoint
	}
	if l.WorkingDir {
		given.WorkingDir = config.WorkingDir
	}
	if l.User {
		given.User = config.User
	}
	return given
}

// diffGiven works out what the creator of a container that was not made here
// asked for: whatever its image does not say. What the creator gave in the very
// words of the image cannot be told apart from it.
func diffGiven(config *container.Config, image *dockerspec.DockerOCIImageConfig) backend.Given {
	given := backend.Given{
		Image:  config.Image,
		Env:    subtract(envMap(config.Env), envMap(image.Env)),
		Labels: subtract(config.Labels, image.Labels),
	}
	maps.DeleteFunc(given.Labels, func(key, _ string) bool { return strings.HasPrefix(key, ownLabels) })
	if len(given.Labels) == 0 {
		given.Labels = nil
	}
	if !slices.Equal(config.Entrypoint, image.Entrypoint) {
		given.Entrypoint = config.Entrypoint
		// The engine drops the image's command when the entrypoint is replaced,
		// so that one that is there was given, even if it is the same.
		given.Command = config.Cmd
	}
	if !slices.Equal(config.Cmd, image.Cmd) {
		given.Command = config.Cmd
	}
	if config.WorkingDir != image.WorkingDir {
		given.WorkingDir = config.WorkingDir
	}
	if config.User != image.User {
		given.User = config.User
	}
	return given
}

// envList returns the environment as the engine takes it, in a stable order.
func envList(env map[string]string) []string {
	list := make([]string, 0, len(env))
	for _, name := range slices.Sorted(maps.Keys(env)) {
		list = append(list, name+"="+env[name])
	}
	return list
}

// envMap is the reverse of envList. A name without a value, which the engine
// takes as an order to unset the image's, is left out.
func envMap(list []string) map[string]string {
	env := make(map[string]string, len(list))
	for _, variable := range list {
		if name, value, found := strings.Cut(variable, "="); found {
			env[name] = value
		}
	}
	return env
}

// pick returns the entries of values with the given keys, or nil if none is
// there.
func pick(values map[string]string, keys []string) map[string]string {
	var picked map[string]string
	for _, key := range keys {
		if value, found := values[key]; found {
			if picked == nil {
				picked = make(map[string]string, len(keys))
			}
			picked[key] = value
		}
	}
	return picked
}

// subtract returns the entries of values that are not in base, or are different
// there, or nil if there are none.
func subtract(values, base map[string]string) map[string]string {
	var rest map[string]string
	for key, value := range values {
		if old, found := base[key]; found && old == value {
			continue
		}
		if rest == nil {
			rest = make(map[string]string)
		}
		rest[key] = value
	}
	return rest
}
