package selection

import (
	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/docker"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/preflight"
)

// NewOn is [New] on another host, with another Docker engine and, if vms is not
// nil, other microVMs.
func NewOn(host preflight.Host, config Config, engine backend.Backend, vms func(microsandbox.Config) backend.Backend) *Selection {
	s := New(config)
	s.host = func() preflight.Host { return host }
	s.newDocker = func(docker.Config) backend.Backend { return engine }
	if vms != nil {
		s.newMicrosandbox = vms
	}
	return s
}
