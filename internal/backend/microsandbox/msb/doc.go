// Package msb is the msb command line as Go sees it: the arguments of each
// command, its output, its errors, and how it is run. What differs between
// versions of msb is here and nowhere else; it was measured with 0.6.18 and
// holds for 0.6.8 up to, but not including, 0.7.
//
// Start at [New]. Building arguments (arguments.go), reading output
// (sandbox.go, logs.go, snapshot.go, manifest.go, image.go) and telling errors
// apart (errors.go) is pure; runner.go
// and detach.go are the only files that start msb.
package msb
