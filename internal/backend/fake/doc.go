// Package fake is a backend in memory, for tests of the code above backends.
//
// It behaves as an engine does: names and running ports are unique, a process
// runs and ends on its own, its published ports are real sockets on 127.0.0.1,
// a container keeps its files over a restart, an artifact that a container
// still uses outlives its removal. Package backendtest holds it to the same
// contract as the engines. Start at [New]; what a container runs is a
// [Program].
//
// What it can assert that an engine cannot: which calls were made, in which
// order and how often ([Backend.Calls]); that reading and planning changed
// nothing at all ([Backend.Mutations]); what happens when exactly this call
// fails, before its work ([Backend.Fail]) or after it ([Backend.FailAfter]);
// what another call sees while one is under way ([Backend.Block]); what a call
// finds when somebody else changed the engine just before ([Backend.Hook] and
// the methods that end in OutOfBand).
//
// What it cannot tell: whether an engine accepts a definition, how long
// anything takes, and what an image does. A paused container is only said to be
// paused, its program goes on. Limits are recorded and not enforced.
package fake
