//go:build !linux

package msbtest

// leadsSession is known on Linux only.
func leadsSession() bool { return false }
