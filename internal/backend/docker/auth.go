package docker

import (
	"fmt"

	"github.com/distribution/reference"
	"github.com/docker/cli/cli/config"
	"github.com/docker/cli/cli/config/credentials"
	"github.com/docker/docker/api/types/registry"
)

const (
	hubDomain = "docker.io"
	// hubIndex is the key under which the docker command line stores the
	// credentials for Docker Hub.
	hubIndex = "https://index.docker.io/v1/"
)

// registryAuth returns the credentials for an image's registry from the
// configuration of the docker command line and its credential helpers, encoded
// for the engine; empty if there are none.
//
// Its error never holds what the file or a helper said: either may print a
// secret.
func registryAuth(env environment, named reference.Named) (string, error) {
	domain := reference.Domain(named)
	unreadable := fmt.Errorf("the credentials configured for %s could not be read", domain)

	file, err := config.Load(env.configDir())
	if err != nil {
		return "", unreadable
	}
	if !file.ContainsAuth() {
		file.CredentialsStore = credentials.DetectDefaultStore(file.CredentialsStore)
	}
	key := domain
	if domain == hubDomain {
		key = hubIndex
	}
	found, err := file.GetAuthConfig(key)
	if err != nil {
		return "", unreadable
	}
	auth := registry.AuthConfig{
		Username:      found.Username,
		Password:      found.Password,
		Auth:          found.Auth,
		ServerAddress: found.ServerAddress,
		IdentityToken: found.IdentityToken,
		RegistryToken: found.RegistryToken,
	}
	if auth == (registry.AuthConfig{ServerAddress: auth.ServerAddress}) {
		return "", nil
	}
	encoded, err := registry.EncodeAuthConfig(auth)
	if err != nil {
		return "", unreadable
	}
	return encoded, nil
}
