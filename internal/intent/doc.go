// Package intent keeps, in files, a record of each operation that is about to
// make something of which nobody else knows yet. An operation that ends takes
// its record away. One whose process was killed leaves it, and the next
// operation of any process finds what there may be to clear away.
//
// Whether an operation is alive is told by a lock on a file of its own: a crash
// cannot leave it held. Enter at [Journal].
package intent
