package msb

import (
	"os"
	"slices"
	"strings"
)

// inherited are the variables that msb is given from the provider's own
// environment. All others stay away from it: a VM's process keeps the whole
// environment of the msb that booted it, for as long as it runs.
var inherited = append([]string{
	"PATH", "HOME", "TMPDIR",
	"SSL_CERT_FILE", "SSL_CERT_DIR",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY",
	"http_proxy", "https_proxy", "no_proxy", "all_proxy",
}, platformVariables...)

// fixed are the variables that every call sets, whatever the provider's own
// environment says.
var fixed = map[string]string{
	"LANG":     "C.UTF-8",
	"NO_COLOR": "1",
	// It beats MSB_PROFILE and the active profile of config.json, which may
	// name the vendor's cloud.
	"MSB_BACKEND": "local",
}

// steering are further variables that change what msb, its loader or its
// runtime do, exactly or as a prefix.
var (
	steering         = []string{"LC_ALL", "LC_CTYPE", "TERM", "CLICOLOR", "CLICOLOR_FORCE", "FORCE_COLOR", "GLIBC_TUNABLES", "DOCKER_CONFIG"}
	steeringPrefixes = []string{"MSB_", "LD_", "DYLD_", "RUST_", "TOKIO_", "KRUN_", "LIBKRUN", "MALLOC_", "SSL_CERT_", "XDG_"}
)

// steers says whether a variable of this name in msb's own environment would
// change msb itself. Such a variable of a sandbox cannot be handed over through
// that environment.
func steers(name string) bool {
	if _, ok := fixed[name]; ok {
		return true
	}
	if slices.Contains(inherited, name) || slices.Contains(steering, name) {
		return true
	}
	return slices.ContainsFunc(steeringPrefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// environment returns the environment of one call. handed are the variables of
// the sandbox that the call passes on by name.
func (c *Client) environment(handed []string) []string {
	var env []string
	for _, name := range inherited {
		if value, ok := os.LookupEnv(name); ok && value != "" {
			env = append(env, name+"="+value)
		}
	}
	for name, value := range fixed {
		env = append(env, name+"="+value)
	}
	if c.config.Home != "" {
		env = append(env, "MSB_HOME="+c.config.Home)
	}
	slices.Sort(env)
	return append(env, handed...)
}
