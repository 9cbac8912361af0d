// Package filelock provides exclusive locks that hold between processes as
// well as between goroutines, each named by the path of a file.
//
// The operating system keeps the lock, not the file: a process that crashes
// leaves at most an unlocked file, which the next holder takes over and removes.
package filelock
