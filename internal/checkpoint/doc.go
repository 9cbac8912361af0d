// Package checkpoint keeps the registry of named checkpoints: a directory with
// one small JSON file per name, which the rightsize libraries for other
// languages read and write as well. The form of those files is a contract with
// them, to the byte.
//
// Start at [Open]. [Encode] and [Decode] are the form of an entry by itself. The
// package knows no engine: an entry's ref is opaque to it, and whether the
// artifact behind it still exists is for others to ask.
package checkpoint
