package preflight_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/preflight"
)

func opening(errno syscall.Errno) error {
	return &fs.PathError{Op: "open", Path: "/dev/kvm", Err: errno}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	type unmet struct {
		precondition  preflight.Precondition
		missing, does string
	}
	for name, tc := range map[string]struct {
		host preflight.Host
		want []unmet
	}{
		"Intel":            {preflight.Host{OS: "linux", Arch: "amd64", CPUFlags: []string{"fpu", "vmx", "sse2"}}, nil},
		"AMD":              {preflight.Host{OS: "linux", Arch: "amd64", CPUFlags: []string{"svm"}}, nil},
		"arm64":            {preflight.Host{OS: "linux", Arch: "arm64"}, nil},
		"unknown flags":    {preflight.Host{OS: "linux", Arch: "amd64"}, nil},
		"Apple silicon":    {preflight.Host{OS: "darwin", Arch: "arm64"}, nil},
		"flag in a longer": {preflight.Host{OS: "linux", Arch: "amd64", CPUFlags: []string{"svm_lock", "vmx_misc"}}, []unmet{{preflight.CPUVirtualization, "neither vmx (Intel) nor svm (AMD)", "nested virtualization"}}},
		"device that opens on a processor that cannot": {
			preflight.Host{OS: "linux", Arch: "amd64", CPUFlags: []string{"fpu", "hypervisor"}},
			[]unmet{{preflight.CPUVirtualization, "/proc/cpuinfo lists neither", "firmware"}},
		},
		"no device": {
			preflight.Host{OS: "linux", Arch: "amd64", CPUFlags: []string{"vmx"}, KVM: opening(syscall.ENOENT)},
			[]unmet{{preflight.KVMDevice, "/dev/kvm does not exist", "modprobe"}},
		},
		"no right": {
			preflight.Host{OS: "linux", Arch: "amd64", CPUFlags: []string{"vmx"}, KVM: opening(syscall.EACCES)},
			[]unmet{{preflight.KVMAccess, "/dev/kvm may not be opened for reading and writing: permission denied", "usermod -aG kvm"}},
		},
		"device rule of a container": {
			preflight.Host{OS: "linux", Arch: "arm64", KVM: opening(syscall.EPERM)},
			[]unmet{{preflight.KVMAccess, "operation not permitted", "--device /dev/kvm"}},
		},
		"no module": {
			preflight.Host{OS: "linux", Arch: "arm64", KVM: opening(syscall.ENODEV)},
			[]unmet{{preflight.KVMDevice, "/dev/kvm cannot be opened: no such device", "modprobe"}},
		},
		"nothing at all, the root cause first": {
			preflight.Host{OS: "linux", Arch: "amd64", CPUFlags: []string{}, KVM: opening(syscall.ENOENT)},
			[]unmet{
				{preflight.CPUVirtualization, "neither vmx", "firmware"},
				{preflight.KVMDevice, "does not exist", "modprobe"},
			},
		},
		"Intel Mac": {preflight.Host{OS: "darwin", Arch: "amd64"}, []unmet{{preflight.Platform, "this is darwin/amd64", `backend = "docker"`}}},
		"Windows":   {preflight.Host{OS: "windows", Arch: "amd64"}, []unmet{{preflight.Platform, "this is windows/amd64", `backend = "docker"`}}},
		"RISC-V":    {preflight.Host{OS: "linux", Arch: "riscv64"}, []unmet{{preflight.Platform, "this is linux/riscv64", `backend = "docker"`}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := preflight.Check(tc.host)
			if len(got) != len(tc.want) {
				t.Fatalf("got %v, want %d", got, len(tc.want))
			}
			for i, want := range tc.want {
				if got[i].Precondition != want.precondition || !strings.Contains(got[i].Missing, want.missing) || !strings.Contains(got[i].Remedy, want.does) {
					t.Errorf("got %q: %s\n%s\nwant %v", got[i].Precondition, got[i].Missing, got[i].Remedy, want)
				}
				if !strings.Contains(got.Error(), want.missing) {
					t.Errorf("the error %q leaves out %q", got, want.missing)
				}
			}
			if tc.host.KVM != nil && !errors.Is(got, tc.host.KVM) {
				t.Errorf("%v does not wrap its cause", got)
			}
		})
	}
}

func TestCPUFlags(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		cpuinfo string
		want    []string
	}{
		"x86":       {"processor\t: 0\nmodel name\t: a: b\nflags\t\t: fpu vmx  sse2\nvmx flags\t: ept\n\nprocessor\t: 1\nflags\t\t: other\n", []string{"fpu", "vmx", "sse2"}},
		"none":      {"flags:\n", []string{}},
		"arm64":     {"processor\t: 0\nFeatures\t: fp asimd\n", nil},
		"empty":     {"", nil},
		"long line": {"flags : " + strings.Repeat("x ", 100_000) + "svm\n", append(strings.Fields(strings.Repeat("x ", 100_000)), "svm")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, preflight.CPUFlags([]byte(tc.cpuinfo))); diff != "" {
				t.Errorf("flags (-want +got):\n%s", diff)
			}
		})
	}
}

// Describing the host costs file reads only, and names what it runs on.
func TestThisHost(t *testing.T) {
	t.Parallel()
	host := preflight.ThisHost()
	if host.OS != runtime.GOOS || host.Arch != runtime.GOARCH {
		t.Errorf("got %s/%s", host.OS, host.Arch)
	}
	if _, err := os.Stat("/dev/kvm"); runtime.GOOS == "linux" && errors.Is(err, fs.ErrNotExist) != errors.Is(host.KVM, fs.ErrNotExist) {
		t.Errorf("/dev/kvm: stat says %v, the description %v", err, host.KVM)
	}
	if runtime.GOOS == "linux" && runtime.GOARCH == "amd64" && len(host.CPUFlags) == 0 {
		t.Error("it knows no flag of the processor")
	}
}

func TestCLibrary(t *testing.T) {
	t.Parallel()
	need := preflight.GNUC{Major: 2, Minor: 28}
	for name, tc := range map[string]struct {
		have preflight.GNUC
		says string
	}{
		"the same":     {preflight.GNUC{Major: 2, Minor: 28}, ""},
		"newer":        {preflight.GNUC{Major: 2, Minor: 41}, ""},
		"next major":   {preflight.GNUC{Major: 3, Minor: 0}, ""},
		"older":        {preflight.GNUC{Major: 2, Minor: 9}, "needs the GNU C library 2.28 or newer, and this host has 2.9"},
		"another libc": {preflight.GNUC{}, "this host has none"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			unmet := preflight.CheckCLibrary(tc.have, need, "0.6.18")
			if (unmet == nil) != (tc.says == "") {
				t.Fatalf("got %v", unmet)
			}
			if unmet != nil && (unmet.Precondition != preflight.CLibrary || !strings.Contains(unmet.Missing, tc.says) || !strings.Contains(unmet.Missing, "0.6.18")) {
				t.Errorf("got %q: %s", unmet.Precondition, unmet.Missing)
			}
		})
	}
}

// A file that is no C library has no version.
func TestNoCLibrary(t *testing.T) {
	t.Parallel()
	script := filepath.Join(t.TempDir(), "libc.so.6")
	if err := os.WriteFile(script, []byte("/* GNU ld script */\nGROUP ( /lib/libc.so.6 )\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{script, filepath.Join(t.TempDir(), "missing")} {
		if got := preflight.CLibraryVersion(file); got != (preflight.GNUC{}) {
			t.Errorf("%s: %v", file, got)
		}
	}
	// Where the tests run under glibc its version is one of this century.
	if got := preflight.HostCLibrary(); got != (preflight.GNUC{}) && got.Major != 2 {
		t.Errorf("the host has %v", got)
	}
}
