//go:build faults

package faultpoint

import (
	"context"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// What the environment asks for: a point, or "point:n" for the nth time that it
// is reached.
const (
	killEnv = "RIGHTSIZE_FAULT_KILL"
	hangEnv = "RIGHTSIZE_FAULT_HANG"
	// reachedEnv names a file that is made when the point is reached.
	reachedEnv = "RIGHTSIZE_FAULT_REACHED"
)

// longest is how long a step hangs that no interrupt ends, as one of a clean-up.
const longest = time.Second

var reached atomic.Int64

// Reach announces a step: it kills this process, or hangs until ctx is done, if
// the environment says so.
func Reach(ctx context.Context, point Point) {
	kill, hang := chosen(killEnv, point), chosen(hangEnv, point)
	if kill == 0 && hang == 0 || reached.Add(1) != max(kill, hang) {
		return
	}
	if path := os.Getenv(reachedEnv); path != "" {
		if err := os.WriteFile(path, []byte(point), 0o600); err != nil {
			panic(err)
		}
	}
	if hang > 0 {
		select {
		case <-ctx.Done():
		case <-time.After(longest):
		}
		return
	}
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Kill()
	}
	if err != nil {
		panic(err)
	}
	select {} // until the signal arrives
}

// chosen returns at which time the point is chosen; zero if it is not.
func chosen(env string, point Point) int64 {
	name, nth, numbered := strings.Cut(os.Getenv(env), ":")
	if name != string(point) {
		return 0
	}
	if !numbered {
		return 1
	}
	n, err := strconv.ParseInt(nth, 10, 64)
	if err != nil {
		panic(err)
	}
	return n
}
