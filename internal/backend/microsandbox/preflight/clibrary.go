package preflight

import (
	"cmp"
	"debug/elf"
	"fmt"
	"strconv"
	"strings"
)

// GNUC is a version of the GNU C library; zero if there is none.
type GNUC struct{ Major, Minor int }

func (v GNUC) String() string { return fmt.Sprintf("%d.%d", v.Major, v.Minor) }

func (v GNUC) compare(w GNUC) int {
	return cmp.Or(cmp.Compare(v.Major, w.Major), cmp.Compare(v.Minor, w.Minor))
}

// libraries are where distributions keep the C library of 64-bit programs.
var libraries = []string{
	"/lib/x86_64-linux-gnu/libc.so.6",
	"/lib/aarch64-linux-gnu/libc.so.6",
	"/usr/lib/x86_64-linux-gnu/libc.so.6",
	"/usr/lib/aarch64-linux-gnu/libc.so.6",
	"/lib64/libc.so.6",
	"/usr/lib64/libc.so.6",
	"/usr/lib/libc.so.6",
}

// HostCLibrary returns the host's version of the GNU C library, zero if none is
// where programs of other distributions look for it.
func HostCLibrary() GNUC {
	for _, file := range libraries {
		if version := cLibraryVersion(file); version != (GNUC{}) {
			return version
		}
	}
	return GNUC{}
}

// cLibraryVersion reads the newest version whose symbols a C library defines.
// That is what the dynamic linker compares, so no program has to be run.
func cLibraryVersion(file string) GNUC {
	library, err := elf.Open(file)
	if err != nil {
		return GNUC{}
	}
	defer library.Close()
	defined, err := library.DynamicVersions()
	if err != nil {
		return GNUC{}
	}
	var newest GNUC
	for _, version := range defined {
		name, found := strings.CutPrefix(version.Name, "GLIBC_")
		if !found {
			continue
		}
		major, rest, _ := strings.Cut(name, ".")
		minor, _, _ := strings.Cut(rest, ".")
		var v GNUC
		// GLIBC_PRIVATE is no version.
		if v.Major, err = strconv.Atoi(major); err != nil {
			continue
		}
		if v.Minor, err = strconv.Atoi(minor); err != nil {
			continue
		}
		if v.compare(newest) > 0 {
			newest = v
		}
	}
	return newest
}

// CheckCLibrary returns what a host with the C library have lacks to start the
// vendor's build of an msb release that needs another.
func CheckCLibrary(have, need GNUC, release string) *Unmet {
	if have == (GNUC{}) {
		return &Unmet{
			Precondition: CLibrary,
			Missing:      fmt.Sprintf("the vendor's build of msb %s needs the GNU C library %s, and this host has none where programs look for it", release, need),
			Remedy:       "Install an msb that was built for this system, and name it with the provider's microsandbox.path or MSB_PATH. " + elsewhere,
		}
	}
	if have.compare(need) < 0 {
		return &Unmet{
			Precondition: CLibrary,
			Missing:      fmt.Sprintf("the vendor's build of msb %s needs the GNU C library %s or newer, and this host has %s", release, need, have),
			Remedy:       "Use a newer distribution, or an msb that was built for this one, named with the provider's microsandbox.path or MSB_PATH. " + elsewhere,
		}
	}
	return nil
}
