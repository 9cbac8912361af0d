package docker

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	cerrdefs "github.com/containerd/errdefs"
	"github.com/docker/cli/cli/config"
	dcontext "github.com/docker/cli/cli/context"
	dockerendpoint "github.com/docker/cli/cli/context/docker"
	"github.com/docker/cli/cli/context/store"
	"github.com/docker/cli/opts"
	"github.com/docker/docker/client"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

const (
	// defaultContext is the name of the context that stands for DOCKER_HOST or
	// the default socket; it is in no store.
	defaultContext = "default"
	contextsDir    = "contexts"

	envContext = "DOCKER_CONTEXT"
	envTLS     = "DOCKER_TLS"

	// loopback is dialled instead of "localhost", which can resolve to ::1
	// first, where the engine's port proxy may not listen.
	loopback = "127.0.0.1"
)

// environment is what the resolution reads from the process.
type environment struct {
	getenv    func(string) string
	configDir func() string
}

func processEnvironment() environment {
	return environment{
		getenv: os.Getenv,
		configDir: func() string {
			// config.Dir remembers the first answer for the life of the process.
			if dir := os.Getenv(config.EnvOverrideConfigDir); dir != "" {
				return dir
			}
			return config.Dir()
		},
	}
}

// endpoint is where the engine is, and how that was decided.
type endpoint struct {
	dockerendpoint.Endpoint
	// chosenBy names the place that decided.
	chosenBy string
	// places are the places that were looked at, in order, with the value each
	// had. It is for messages.
	places []string
}

// CheckContext reports whether the Docker context exists, without contacting
// an engine.
func CheckContext(name string) error {
	if name == "" || name == defaultContext {
		return nil
	}
	_, err := loadContext(name, processEnvironment())
	return err
}

// Locality reports whether the engine that cfg selects is reached over a local
// socket, without contacting it.
func Locality(cfg Config) (local bool, err error) {
	ep, err := resolve(cfg, processEnvironment())
	if err != nil {
		return false, err
	}
	return ep.local(), nil
}

// resolve finds the engine's endpoint in the order of the docker command line:
// host or context of the configuration, DOCKER_HOST, DOCKER_CONTEXT, the
// current context of its configuration file, the default socket.
func resolve(cfg Config, env environment) (endpoint, error) {
	if cfg.Host != "" && cfg.Context != "" {
		return endpoint{}, &backend.Error{
			Tried:  "select the Docker engine",
			Cause:  fmt.Errorf("both a host (%s) and a context (%s) are configured", redact(cfg.Host), cfg.Context),
			Remedy: "Configure either the host or the context, not both.",
		}
	}

	if cfg.Host != "" {
		return resolveHost(cfg, env, endpoint{chosenBy: "the configured host"}, cfg.Host)
	}
	if cfg.Context != "" {
		return resolveContext(cfg, env, endpoint{chosenBy: "the configured context"}, cfg.Context)
	}

	ep := endpoint{places: []string{"configured host and context: not set"}}
	if host := env.getenv(client.EnvOverrideHost); host != "" {
		ep.note(client.EnvOverrideHost, redact(host))
		return resolveHost(cfg, env, ep, host)
	}
	ep.note(client.EnvOverrideHost, "")

	if name := env.getenv(envContext); name != "" {
		ep.note(envContext, name)
		return resolveContext(cfg, env, ep, name)
	}
	ep.note(envContext, "")

	file, err := config.Load(env.configDir())
	if err != nil {
		return endpoint{}, &backend.Error{
			Tried:  "read the current context from " + filepath.Join(env.configDir(), config.ConfigFileName),
			Cause:  err,
			Remedy: "Repair the Docker configuration file, or configure the host.",
		}
	}
	place := "current context of " + file.Filename
	ep.note(place, file.CurrentContext)
	if file.CurrentContext != "" && file.CurrentContext != defaultContext {
		return resolveContext(cfg, env, ep, file.CurrentContext)
	}
	ep.chosenBy = "the default"
	return resolveHost(cfg, env, ep, "")
}

func (ep *endpoint) note(place, value string) {
	if value == "" {
		value = "not set"
	} else {
		ep.chosenBy = place
	}
	ep.places = append(ep.places, place+": "+value)
}

func resolveContext(cfg Config, env environment, ep endpoint, name string) (endpoint, error) {
	if name == defaultContext {
		return resolveHost(cfg, env, ep, env.getenv(client.EnvOverrideHost))
	}
	loaded, err := loadContext(name, env)
	if err != nil {
		return endpoint{}, err
	}
	ep.Endpoint = loaded
	ep.chosenBy += fmt.Sprintf(" (%s)", name)
	return ep, nil
}

// resolveHost completes ep for an address; an empty one is the default socket.
func resolveHost(cfg Config, env environment, ep endpoint, host string) (endpoint, error) {
	useTLS := cfg.CertPath != "" || env.getenv(client.EnvTLSVerify) != "" || env.getenv(envTLS) != ""
	parsed, err := opts.ParseHost(useTLS, host)
	if err != nil {
		return endpoint{}, &backend.Error{
			Tried:  fmt.Sprintf("select the Docker engine by %s", ep.chosenBy),
			Cause:  errors.New(redact(host) + " is not an engine's address"),
			Remedy: "Use an address such as unix:///var/run/docker.sock, tcp://host:2376 or ssh://user@host.",
		}
	}
	ep.Host = parsed
	if host == "" {
		ep.places = append(ep.places, "default: "+parsed)
	}
	if !useTLS || ep.scheme() != "tcp" {
		return ep, nil
	}

	ep.SkipTLSVerify = cfg.CertPath == "" && env.getenv(client.EnvTLSVerify) == ""
	ep.TLSData, err = loadTLS(certDir(cfg, env))
	if err != nil {
		return endpoint{}, &backend.Error{
			Tried:  "read the TLS certificates for " + parsed,
			Cause:  err,
			Remedy: "Point cert_path, or DOCKER_CERT_PATH, at a directory with ca.pem, cert.pem and key.pem.",
		}
	}
	return ep, nil
}

func certDir(cfg Config, env environment) string {
	if cfg.CertPath != "" {
		return cfg.CertPath
	}
	if dir := env.getenv(client.EnvOverrideCertPath); dir != "" {
		return dir
	}
	return env.configDir()
}

// loadTLS reads a directory of certificates. As for the docker command line,
// the client's own certificate and key are optional.
func loadTLS(dir string) (*dcontext.TLSData, error) {
	optional := func(name string) string {
		path := filepath.Join(dir, name)
		if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
			return ""
		}
		return path
	}
	return dcontext.TLSDataFromFiles(filepath.Join(dir, "ca.pem"), optional("cert.pem"), optional("key.pem"))
}

func loadContext(name string, env environment) (dockerendpoint.Endpoint, error) {
	contexts := store.New(filepath.Join(env.configDir(), contextsDir), store.NewConfig(
		func() any { return &map[string]any{} },
		store.EndpointTypeGetter(dockerendpoint.DockerEndpoint, func() any { return &dockerendpoint.EndpointMeta{} }),
	))
	tried := fmt.Sprintf("use the Docker context %q", name)

	metadata, err := contexts.GetMetadata(name)
	if cerrdefs.IsNotFound(err) {
		return dockerendpoint.Endpoint{}, unknownContext(tried, contexts)
	}
	if err != nil {
		return dockerendpoint.Endpoint{}, &backend.Error{Tried: tried, Cause: err}
	}
	meta, err := dockerendpoint.EndpointFromContext(metadata)
	if err != nil {
		return dockerendpoint.Endpoint{}, &backend.Error{Tried: tried, Cause: err}
	}
	ep, err := dockerendpoint.WithTLSData(contexts, name, meta)
	if err != nil {
		return dockerendpoint.Endpoint{}, &backend.Error{Tried: tried, Cause: err}
	}
	return ep, nil
}

func unknownContext(tried string, contexts store.Lister) error {
	names, err := store.Names(contexts)
	if err != nil {
		return &backend.Error{Kind: backend.ErrNotFound, Tried: tried, Cause: err}
	}
	names = append(names, defaultContext)
	slices.Sort(names)
	return &backend.Error{
		Kind:   backend.ErrNotFound,
		Tried:  tried,
		Cause:  errors.New("there is no such context; known are: " + strings.Join(names, ", ")),
		Remedy: "Use one of the known contexts, or make it with \"docker context create\".",
	}
}

// address is the engine's address as it was resolved, fit for messages.
func (ep *endpoint) address() string {
	if ep.Host == "" {
		// A context may leave its host out, which means the default.
		return client.DefaultDockerHost
	}
	return redact(ep.Host)
}

func (ep *endpoint) scheme() string {
	scheme, _, _ := strings.Cut(ep.address(), "://")
	return scheme
}

// local reports whether the engine is reached over a socket of this host.
func (ep *endpoint) local() bool {
	return ep.scheme() == "unix" || ep.scheme() == "npipe"
}

// publishedOn is the host on which the engine publishes ports.
func (ep *endpoint) publishedOn() string {
	if ep.local() {
		return loopback
	}
	u, err := url.Parse(ep.address())
	if err != nil || u.Hostname() == "" || u.Hostname() == "localhost" {
		return loopback
	}
	return u.Hostname()
}

// redact removes a password from an address.
func redact(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.User == nil {
		return address
	}
	return u.Redacted()
}
