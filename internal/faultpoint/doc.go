// Package faultpoint names the steps at which an operation may be interrupted.
// The code announces each step that it has reached. In a normal build that is
// nothing at all; in one with the build tag "faults" the environment can have
// the process killed, or held up, at a step of choice, which is how tests find
// out what an interruption leaves behind.
package faultpoint
