// Package hostcopy keeps, on this host, a copy of files that come out of a
// container. The container may be anybody's, and so may its archive: [Unpack]
// writes nothing outside of the directory that it was given. [Place] puts the
// result in the place of what is known, in one step, and [Remove] takes away
// only what is still as it was copied.
package hostcopy
