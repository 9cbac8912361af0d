// Package docker is the backend for Docker Engine and for what speaks its API.
// It is the only package that imports the Docker client.
//
// Start at [New]. Making a [Backend] does no I/O: the engine is resolved the
// way the docker command line resolves it (context.go) and contacted by the
// first operation that needs it (connect.go).
//
// An image that declares volumes is not run as it is: a commit leaves volumes
// out, and that is where databases keep their data. Containers start from a
// copy of the image without the declaration (volume_free.go), so that a
// capture holds everything.
package docker
