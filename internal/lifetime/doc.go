// Package lifetime records until when containers and checkpoints are wanted, so
// that somebody can clean up what nobody owns any more.
//
// The record lies beside what it is about and not in it: a label of a container
// and the layers of an image never change, and a lifetime does. It belongs to one
// capture, or to one container, by the engine's own id, so that it says nothing
// about a newer one under the same name. The rightsize libraries know no such
// records, and find none: they have a directory of their own.
//
// Start at [Open]. Nothing expires by itself: that a lifetime is over means only
// that its object may be removed.
package lifetime
