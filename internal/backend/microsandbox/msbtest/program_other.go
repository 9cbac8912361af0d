//go:build !unix

package msbtest

// leadsGroup is known on Unix only.
func leadsGroup() bool { return false }
