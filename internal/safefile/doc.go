// Package safefile reads and writes small files in a directory that other
// processes change at the same time, and that may hold anything: links, pipes,
// devices, files without an end.
//
// All access goes through an [os.Root]. It keeps every file operation within the
// directory, and on Windows it is what lets a file be replaced while somebody
// reads it.
package safefile
