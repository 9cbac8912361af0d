package faults

import (
	"fmt"
	"io"
	"sync/atomic"
)

// counter is one of the figures that the tests print at their end.
type counter struct {
	what string
	n    atomic.Int64
}

// Add counts n more.
func (c *counter) Add(n int) { c.n.Add(int64(n)) }

// What was tried, and what it cost: the last two must be zero.
var (
	stepsKilled      = &counter{what: "steps killed"}
	stepsInterrupted = &counter{what: "steps interrupted"}
	faultsInjected   = &counter{what: "faults injected"}
	badInputs        = &counter{what: "bad inputs tried"}
	checkpointsLost  = &counter{what: "checkpoints lost"}
	leftovers        = &counter{what: "leftovers"}
)

func printFigures(w io.Writer) {
	for _, c := range []*counter{stepsKilled, stepsInterrupted, faultsInjected, badInputs, checkpointsLost, leftovers} {
		fmt.Fprintf(w, "%-18s %d\n", c.what+":", c.n.Load())
	}
}
