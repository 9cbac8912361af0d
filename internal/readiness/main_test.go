package readiness_test

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestMain fails the run if a wait of any test left a goroutine behind.
func TestMain(m *testing.M) {
	code := m.Run()
	if left := leakedGoroutines(5 * time.Second); code == 0 && len(left) > 0 {
		fmt.Fprintf(os.Stderr, "goroutines left behind:\n\n%s\n", strings.Join(left, "\n\n"))
		code = 1
	}
	os.Exit(code)
}

// leakedGoroutines returns the goroutines that run code of this package or of
// an HTTP client and are still there after patience: those that are about to
// return need a moment.
func leakedGoroutines(patience time.Duration) []string {
	for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		buf := make([]byte, 1<<20)
		stacks := strings.Split(string(buf[:runtime.Stack(buf, true)]), "\n\n")
		var left []string
		for _, stack := range stacks[1:] {
			if strings.Contains(stack, "/internal/readiness") || strings.Contains(stack, "net/http.") {
				left = append(left, stack)
			}
		}
		if len(left) == 0 || time.Now().After(deadline) {
			return left
		}
	}
}
