package fake

import (
	"maps"
	"slices"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// Image is what containers are made from.
type Image struct {
	Env        map[string]string
	Command    []string
	Entrypoint []string
	WorkingDir string
	User       string
	// Files are the contents of its files by path. Users and groups that an
	// owner names are looked up in /etc/passwd and /etc/group, which every
	// image has with root and nobody unless it brings its own.
	Files map[string]string
	// Program is the container's process, whatever its command is. If it is
	// nil, the first word of entrypoint and command is looked up among the
	// commands; an image without any of the three runs [Serve].
	Program Program
	// HealthCheck says that the image declares one. The program reports its
	// result with [Process.SetHealthy].
	HealthCheck bool
}

// config is what an image, or an artifact, tells a container that is made from
// it.
type config struct {
	env         map[string]string
	command     []string
	entrypoint  []string
	workingDir  string
	user        string
	program     Program
	healthCheck bool
}

type storedImage struct {
	id     string
	config config
	files  *Filesystem
	// local says that the engine has it without a pull.
	local bool
	pulls int
}

// Pulls returns how often the image was pulled.
func (b *Backend) Pulls(ref string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	if image, ok := b.images[ref]; ok {
		return image.pulls
	}
	return 0
}

func (b *Backend) addImage(ref string, image Image, local bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if image.Program == nil && len(image.Command) == 0 && len(image.Entrypoint) == 0 {
		image.Program = Serve
	}
	b.images[ref] = &storedImage{
		id: b.digest(ref),
		config: config{
			env:         maps.Clone(image.Env),
			command:     slices.Clone(image.Command),
			entrypoint:  slices.Clone(image.Entrypoint),
			workingDir:  image.WorkingDir,
			user:        image.User,
			program:     image.Program,
			healthCheck: image.HealthCheck,
		},
		files: newFilesystem(image.Files),
		local: local,
	}
}

// resolveImage finds the spec's image and pulls it as its policy says. The
// caller holds b.mu.
func (b *Backend) resolveImage(spec backend.Spec) (*storedImage, error) {
	image, known := b.images[spec.Image]
	if spec.PullPolicy == backend.PullNever && (!known || !image.local) {
		return nil, &backend.Error{
			Kind:   backend.ErrNotFound,
			Tried:  b.tried("find image %s", spec.Image),
			Remedy: "Allow pulling, or bring the image to the engine.",
			Field:  backend.FieldImage,
		}
	}
	if !known {
		return nil, &backend.Error{
			Kind:   backend.ErrImageUnavailable,
			Tried:  b.tried("pull image %s", spec.Image),
			Remedy: "Check the image's name.",
			Field:  backend.FieldImage,
		}
	}
	if spec.PullPolicy == backend.PullAlways || !image.local {
		image.pulls++
		image.local = true
	}
	return image, nil
}

// apply returns the configuration of a container that is made with spec: as in
// an engine, an entrypoint of its own also drops the image's command.
func (c config) apply(spec backend.Spec) config {
	env := maps.Clone(c.env)
	if env == nil {
		env = make(map[string]string, len(spec.Env))
	}
	maps.Copy(env, spec.Env)
	c.env = env
	if spec.Entrypoint != nil {
		c.entrypoint = slices.Clone(spec.Entrypoint)
		c.command = nil
	}
	if spec.Command != nil {
		c.command = slices.Clone(spec.Command)
	}
	if spec.WorkingDir != "" {
		c.workingDir = spec.WorkingDir
	}
	if spec.User != "" {
		c.user = spec.User
	}
	return c
}
