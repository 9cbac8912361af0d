package checkpoint

import (
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
)

// CacheDirEnv overrides the cache directory, here and in the rightsize libraries.
const CacheDirEnv = "RIGHTSIZE_CACHE_DIR"

// CacheDir returns the directory that holds the registry, as an absolute path:
// explicit if it is not empty, else what RIGHTSIZE_CACHE_DIR says, else the
// default that the rightsize libraries have too. That default ignores
// XDG_CACHE_HOME, because theirs does. CacheDir makes nothing.
func CacheDir(explicit string) (string, error) {
	dir := explicit
	if dir == "" {
		dir = os.Getenv(CacheDirEnv)
	}
	if dir == "" {
		var err error
		if dir, err = defaultCacheDir(runtime.GOOS); err != nil {
			return "", err
		}
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("make cache directory %s absolute: %w", dir, err)
	}
	return abs, nil
}

func defaultCacheDir(goos string) (string, error) {
	if local := os.Getenv("LOCALAPPDATA"); goos == "windows" && local != "" {
		return filepath.Join(local, "rightsize"), nil
	}
	home, err := homeDir()
	if err != nil {
		return "", fmt.Errorf("find the home directory for the default cache directory: %w; set %s", err, CacheDirEnv)
	}
	if goos == "windows" {
		return filepath.Join(home, "AppData", "Local", "rightsize"), nil
	}
	return filepath.Join(home, ".cache", "rightsize"), nil
}

// homeDir asks the user database where the environment has no answer, as on a
// build agent that runs without HOME: the libraries do.
func homeDir() (string, error) {
	home, err := os.UserHomeDir()
	if err == nil {
		return home, nil
	}
	current, userErr := user.Current()
	if userErr != nil || current.HomeDir == "" {
		return "", err
	}
	return current.HomeDir, nil
}
