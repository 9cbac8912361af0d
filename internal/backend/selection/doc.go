// Package selection picks the backend, from configuration and from what the
// host can run. It is the only package that knows every engine.
//
// The directory is not named "select" because that is a keyword of Go.
package selection
