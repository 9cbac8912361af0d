package selection

import (
	"context"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/docker"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/install"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/preflight"
)

func (s *Selection) docker() backend.Backend {
	return s.newDocker(docker.Config{
		Host:      s.config.Docker.Host,
		Context:   s.config.Docker.Context,
		CertPath:  s.config.Docker.CertPath,
		LockDir:   s.config.LockDir(),
		UserAgent: s.config.UserAgent,
	})
}

// CheckDockerContext fails if name is not a context of the docker command. The
// empty name is fine. It reads the command's configuration and contacts no
// engine.
func CheckDockerContext(name string) error {
	return docker.CheckContext(name)
}

// microsandbox returns the backend once it is known that the host can run
// microVMs and that there is an msb to run them. A host that cannot costs a few
// file reads: nothing is looked for, let alone downloaded.
func (s *Selection) microsandbox(ctx context.Context) (backend.Backend, error) {
	if unmet := preflight.Check(s.host()); len(unmet) > 0 {
		return nil, unmet
	}
	b, err := s.virtualMachines()
	if err != nil {
		return nil, err
	}
	if _, err := b.Engine(ctx); err != nil {
		return nil, err
	}
	return b, nil
}

func (s *Selection) virtualMachines() (backend.Backend, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.vms != nil {
		return s.vms, nil
	}
	config := s.config.Microsandbox
	home, err := install.Home(config.Home)
	if err != nil {
		return nil, err
	}
	finder := install.NewFinder(install.Config{
		Path:    config.Path,
		Home:    home,
		Version: config.Version,
		Download: install.Download{
			Disabled: config.NoDownload,
			BaseURL:  config.DownloadURL,
			SHA256:   config.DownloadSHA256,
		},
		CacheDir: s.config.CacheDir,
		LockDir:  s.config.LockDir(),
		Log:      s.config.Log,
	})
	s.vms = s.newMicrosandbox(microsandbox.Config{
		Locate:          finder.Find,
		Home:            home,
		CacheDir:        s.config.CacheDir,
		LockDir:         s.config.LockDir(),
		RecordIntegrity: config.RecordIntegrity,
	})
	return s.vms, nil
}
