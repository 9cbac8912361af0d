// Package readiness waits until a container can be used.
//
// Start at [Plan]: it runs any number of [Strategy] values side by side under
// one deadline, and ends at once when the container's process dies, when a
// strategy can no longer be met, or when the caller gives up. What it needs to
// know about the container it asks through [Target], so that it knows neither
// an engine nor Terraform.
//
// Where the engine can tell, a strategy listens to it: the log, the health
// check and the end of the process are followed, not polled. Only what the
// engine cannot see, a port or a command, is probed with a growing pause.
package readiness
