package fake

import "github.com/rightsize/terraform-provider-rightsize/internal/backend"

// Option configures a new [Backend].
type Option func(*Backend)

// WithImage gives the engine an image, which is also in the registry that the
// engine pulls from.
func WithImage(ref string, image Image) Option {
	return func(b *Backend) { b.addImage(ref, image, true) }
}

// WithRemoteImage puts an image into the registry only: the engine has it after
// the first pull.
func WithRemoteImage(ref string, image Image) Option {
	return func(b *Backend) { b.addImage(ref, image, false) }
}

// WithCommand adds a program that every container can run under this name, as
// its process or by Exec.
func WithCommand(name string, program Program) Option {
	return func(b *Backend) { b.commands[name] = program }
}

// WithName makes the backend go by another name than [backend.Docker].
func WithName(name backend.Name) Option {
	return func(b *Backend) { b.name = name }
}
