// Package install finds the msb to run, and provisions one if there is none.
//
// Begin with [Finder]. What the user names must work; what is found by itself
// may be passed over. Nothing here ever changes an msb of the user: what is
// downloaded goes below the cache directory, one directory for each release.
package install
