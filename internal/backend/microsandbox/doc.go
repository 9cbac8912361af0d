// Package microsandbox runs containers as microVMs with the msb command line,
// and keeps checkpoints as its snapshots. It is the only room where a container
// is called a sandbox and an artifact a snapshot.
//
// A microVM and the process that it was made for are two things here. msb gives
// a startup command ten seconds to be reached, never runs it again, and tells
// nothing of how it ended. So every VM boots idle, and the process, its
// workload, is run by an exec that outlives this program: the first time, after
// a stop, and after a capture in the same way. A small shell script in the
// guest runs it (workload.sh) and leaves its process id and its exit code in a
// directory of the host. That the workload is alive is told by a file lock,
// which that exec has inherited and holds until it ends.
//
// What msb does not record, or not under the container's name alone, is in the
// container's record, one directory for each below the cache directory. A sandbox
// is the record's if it mounts the share of that directory: msb knows names only,
// and a name may be another sandbox's by now. What a guest leaves in its directory, and what
// lies in the directories of artifacts, is never trusted.
//
// Each call of msb takes a tenth of a second or more, so that none is made whose
// answer the record, the lock or the step before has given.
package microsandbox
