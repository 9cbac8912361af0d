package preflight

import (
	"bufio"
	"bytes"
	"os"
	"runtime"
	"strings"
)

// kvmDevice is how Linux offers virtualization.
const kvmDevice = "/dev/kvm"

// Host is what is known about a host before msb is looked for.
type Host struct {
	// OS and Arch are Go's names of them.
	OS, Arch string
	// CPUFlags are those of the first processor, nil if they are not known.
	// Only those of x86 say whether it can virtualize.
	CPUFlags []string
	// KVM is why /dev/kvm cannot be opened for reading and writing; nil if it
	// can.
	KVM error
}

// ThisHost describes the host that this process runs on.
func ThisHost() Host {
	host := Host{OS: runtime.GOOS, Arch: runtime.GOARCH}
	if host.OS != "linux" {
		return host
	}
	// Opening is the test that counts: permission bits know nothing of ACLs,
	// of the device rules of a container, or of a module that is not loaded.
	device, err := os.OpenFile(kvmDevice, os.O_RDWR, 0)
	if err != nil {
		host.KVM = err
	} else {
		device.Close()
	}
	if cpuinfo, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		host.CPUFlags = cpuFlags(cpuinfo)
	}
	return host
}

// cpuFlags returns the flags of the first processor in a /proc/cpuinfo, nil if
// it lists none.
func cpuFlags(cpuinfo []byte) []string {
	lines := bufio.NewScanner(bytes.NewReader(cpuinfo))
	lines.Buffer(nil, len(cpuinfo)+1)
	for lines.Scan() {
		key, value, found := strings.Cut(lines.Text(), ":")
		if found && strings.TrimSpace(key) == "flags" {
			return strings.Fields(value)
		}
	}
	return nil
}
