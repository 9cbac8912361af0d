package preflight

// CPUFlags and CLibraryVersion read what ThisHost and HostCLibrary do.
var (
	CPUFlags        = cpuFlags
	CLibraryVersion = cLibraryVersion
)
