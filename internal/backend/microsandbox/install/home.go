package install

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/preflight"
)

const (
	// HomeEnv names the directory of msb's state, to msb itself.
	HomeEnv = "MSB_HOME"

	// maxHome is the longest home, in bytes. msb makes sockets below it, and
	// the path of a socket has to fit into the 108 bytes of sockaddr_un:
	// <home>/run/sandboxes/<24 hex digits>/agent.sock.
	maxHome = 57
)

// Home returns the directory of msb's state as an absolute path: configured if
// it is not empty, else what MSB_HOME says, else ~/.microsandbox. It makes
// nothing.
func Home(configured string) (string, error) {
	dir, err := home(configured)
	if err != nil {
		return "", &preflight.Unmet{
			Precondition: preflight.Home,
			Missing:      "msb has no home that it can use: " + err.Error(),
			Remedy:       fmt.Sprintf("Set the provider's microsandbox.home, or %s, to an absolute path of at most %d bytes.", HomeEnv, maxHome),
			Named:        configured != "",
			Cause:        err,
		}
	}
	return dir, nil
}

func home(configured string) (string, error) {
	if configured != "" {
		return CheckHome(configured)
	}
	if dir := os.Getenv(HomeEnv); dir != "" {
		// msb takes a relative one from the working directory, too.
		absolute, err := filepath.Abs(dir)
		if err != nil {
			return "", err
		}
		return CheckHome(absolute)
	}
	return CheckHome("~/.microsandbox")
}

// CheckHome returns dir with a leading ~ replaced, and fails if msb cannot use a
// home of that name.
func CheckHome(dir string) (string, error) {
	expanded, err := expand(dir)
	if err != nil {
		return "", err
	}
	if !filepath.IsAbs(expanded) {
		return "", fmt.Errorf("%q is not absolute", dir)
	}
	expanded = filepath.Clean(expanded)
	if len(expanded) > maxHome {
		return "", fmt.Errorf("%q has %d bytes, and the sockets that msb makes below it need it to have at most %d", expanded, len(expanded), maxHome)
	}
	return expanded, nil
}

// expand replaces a leading ~ by the user's home directory.
func expand(dir string) (string, error) {
	rest, found := strings.CutPrefix(filepath.ToSlash(dir), "~")
	if !found || (rest != "" && rest[0] != '/') {
		return dir, nil
	}
	user, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("replace ~: %w", err)
	}
	return filepath.Join(user, rest), nil
}
