// Package msbtest is an msb for tests that need none: a program that answers
// each call with what a test has written down, most of it captured from the
// real one, and records how it was called.
//
// The program is the test binary itself under another name. A package that
// uses it has this function, and then starts at [New]:
//
//	func TestMain(m *testing.M) { msbtest.Main(m) }
//
// The samples are below testdata: the command line, both outputs and the exit
// code of a call of msb 0.6.18, with paths rewritten. What a fake cannot show is
// whether the real msb takes a command line: the contract suite does.
package msbtest
