package preflight

import "strings"

// Precondition is one thing that microVMs need.
type Precondition string

// What microVMs need, in the order in which it is checked.
const (
	// Platform is an operating system and a processor that msb exists for.
	Platform Precondition = "platform"
	// CPUVirtualization is a processor that offers virtualization.
	CPUVirtualization Precondition = "CPU virtualization"
	// KVMDevice is a /dev/kvm that opens.
	KVMDevice Precondition = "KVM device"
	// KVMAccess is the right to use /dev/kvm.
	KVMAccess Precondition = "KVM access"
	// CLibrary is a GNU C library that an msb of the vendor starts with.
	CLibrary Precondition = "C library"
	// Home is a directory that msb can keep its state in.
	Home Precondition = "home"
	// Program is an msb that is there and starts.
	Program Precondition = "msb"
	// Version is an msb of a release that the provider can drive.
	Version Precondition = "msb version"
	// Download is an msb that could be fetched.
	Download Precondition = "msb download"
	// Setup is whatever else "msb doctor" looks at.
	Setup Precondition = "host setup"
)

// Unmet is a precondition that this host does not meet.
type Unmet struct {
	Precondition Precondition
	// Missing says exactly what is not there, and where it was looked for.
	Missing string
	// Remedy is what to do about it, in full sentences.
	Remedy string
	// Named says that it is something that the user named, so that nothing else
	// may be taken in its place.
	Named bool
	// Cause is the error that showed it, if there was one. Missing tells of it
	// already.
	Cause error
}

func (u *Unmet) Error() string { return u.Missing }

// Unwrap lets errors.Is and errors.As match the cause.
func (u *Unmet) Unwrap() error { return u.Cause }

// List is several of them, the root cause first.
type List []*Unmet

func (l List) Error() string {
	missing := make([]string, len(l))
	for i, u := range l {
		missing[i] = u.Missing
	}
	return strings.Join(missing, "; ")
}

// Unwrap lets errors.As find each of them.
func (l List) Unwrap() []error {
	errs := make([]error, len(l))
	for i, u := range l {
		errs[i] = u
	}
	return errs
}
