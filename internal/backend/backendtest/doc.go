// Package backendtest holds the contract that every backend passes, as one
// suite of tests against [backend.Backend]. A backend's own tests call [Run]
// with a [Harness] that says how to reach the engine and what its images hold.
//
// The suite knows no engine: it asks for what a container should run in terms
// of [Commands]. Whatever it makes has a name that begins with a prefix of the
// run, is removed again, and is looked for at the end.
package backendtest
