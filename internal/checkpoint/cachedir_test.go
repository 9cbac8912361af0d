package checkpoint_test

import (
	"path/filepath"
	"runtime"
	"testing"

	"github.com/rightsize/terraform-provider-rightsize/internal/checkpoint"
)

func TestCacheDir(t *testing.T) {
	home, explicit, fromEnv := t.TempDir(), t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	t.Setenv("LOCALAPPDATA", "")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	byDefault, err := checkpoint.DefaultCacheDir(runtime.GOOS)
	if err != nil {
		t.Fatal(err)
	}

	tests := map[string]struct {
		explicit, env, want string
	}{
		"explicit wins":             {explicit: explicit, env: fromEnv, want: explicit},
		"then the environment":      {env: fromEnv, want: fromEnv},
		"then the default":          {want: byDefault},
		"relative becomes absolute": {explicit: "cache", want: filepath.Join(home, "cache")},
	}
	t.Chdir(home)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Setenv(checkpoint.CacheDirEnv, test.env)
			got, err := checkpoint.CacheDir(test.explicit)
			if err != nil {
				t.Fatal(err)
			}
			if got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestDefaultCacheDir(t *testing.T) {
	home, local := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())

	tests := map[string]struct {
		goos, local, want string
	}{
		"Linux":                        {goos: "linux", want: filepath.Join(home, ".cache", "rightsize")},
		"macOS":                        {goos: "darwin", want: filepath.Join(home, ".cache", "rightsize")},
		"LOCALAPPDATA is Windows only": {goos: "linux", local: local, want: filepath.Join(home, ".cache", "rightsize")},
		"Windows":                      {goos: "windows", local: local, want: filepath.Join(local, "rightsize")},
		"Windows without LOCALAPPDATA": {goos: "windows", want: filepath.Join(home, "AppData", "Local", "rightsize")},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Setenv("LOCALAPPDATA", test.local)
			got, err := checkpoint.DefaultCacheDir(test.goos)
			if err != nil {
				t.Fatal(err)
			}
			if got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}
