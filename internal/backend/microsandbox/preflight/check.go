package preflight

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
)

// elsewhere ends the remedies of what cannot be had on every host.
const elsewhere = `Or run containers with Docker: backend = "docker".`

// Check returns what host lacks to run microVMs, as far as a look at it can
// tell; nil if nothing is missing.
func Check(host Host) List {
	switch host.OS + "/" + host.Arch {
	case "linux/amd64", "linux/arm64":
		return checkLinux(host)
	case "darwin/arm64":
		// Every one of these processors and systems has the hypervisor.
		return nil
	default:
		return List{{
			Precondition: Platform,
			Missing:      fmt.Sprintf("microVMs run on Linux with KVM (amd64, arm64) and on macOS with Apple silicon, and this is %s/%s", host.OS, host.Arch),
			Remedy:       `Use backend = "docker" on this host.`,
		}}
	}
}

func checkLinux(host Host) List {
	var unmet List
	// A virtual machine may well have a /dev/kvm that opens and a processor
	// that runs no guest. Only x86 tells by a flag.
	if host.Arch == "amd64" && host.CPUFlags != nil && !slices.Contains(host.CPUFlags, "vmx") && !slices.Contains(host.CPUFlags, "svm") {
		unmet = append(unmet, &Unmet{
			Precondition: CPUVirtualization,
			Missing:      "the processor offers no virtualization: /proc/cpuinfo lists neither vmx (Intel) nor svm (AMD)",
			Remedy: "Enable VT-x or AMD-V in the firmware; in a virtual machine, enable nested virtualization on the host below it. " +
				elsewhere,
		})
	}
	if kvm := checkKVM(host.KVM); kvm != nil {
		unmet = append(unmet, kvm)
	}
	return unmet
}

func checkKVM(err error) *Unmet {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return &Unmet{
			Precondition: KVMDevice,
			Missing:      kvmDevice + " does not exist",
			Remedy: "Load the kernel's KVM module (modprobe kvm_intel or kvm_amd); in a container, hand the device in (docker run --device /dev/kvm). " +
				elsewhere,
			Cause: err,
		}
	case errors.Is(err, fs.ErrPermission):
		return &Unmet{
			Precondition: KVMAccess,
			Missing:      fmt.Sprintf("%s may not be opened for reading and writing: %v", kvmDevice, reason(err)),
			Remedy: "Join the group that owns the device (sudo usermod -aG kvm $USER) and log in again; in a container, hand the device in (docker run --device /dev/kvm). " +
				elsewhere,
			Cause: err,
		}
	default:
		return &Unmet{
			Precondition: KVMDevice,
			Missing:      fmt.Sprintf("%s cannot be opened: %v", kvmDevice, reason(err)),
			Remedy:       "Load the kernel's KVM module (modprobe kvm_intel or kvm_amd). " + elsewhere,
			Cause:        err,
		}
	}
}

// reason leaves out the path, which the text names already.
func reason(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	return err
}
