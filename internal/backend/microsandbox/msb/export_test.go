package msb

import (
	"context"
	"time"
)

// WithPatience makes c end a call once it is settle old, and kill it after kill.
func WithPatience(c *Client, settle, kill time.Duration) *Client {
	c.patience = patience{settle: settle, kill: kill}
	return c
}

// Classify is what a failed call with this command line becomes.
func Classify(args []string, secrets []string, exit int, stderr string) *Error {
	a := plain(args...)
	a.secrets = secrets
	return classify(a, exit, stderr)
}

// Clean is what text of msb or of a guest becomes before it is shown.
var Clean = clean

// Read runs everything that reads an answer of msb, and returns the message that
// an error would have.
func Read(answer []byte) (message string) {
	_, _ = parseList(answer)
	_, _ = parseDetails(answer)
	_, _ = parseImage(answer)
	_, _, _ = parseSnapshot(answer)
	_, _ = parseSnapshotPaths(answer, "")
	_, _ = parseLogRecord(answer)
	_, _ = ParseVersion(string(answer))
	_ = refusedChanges(answer)
	_ = failedChecks(string(answer))
	for _, exit := range []int{1, exitUsage, 127} {
		_, _ = ownFailure(exit, "web", string(answer))
	}
	return classify(arguments{}, 1, string(answer)).Message
}

// SnapshotPaths returns the directories that msb's index has for a digest.
func SnapshotPaths(ctx context.Context, c *Client, digest string) ([]string, error) {
	return c.snapshotPaths(ctx, digest)
}

// MaxLogRow is the longest row of a log.
const MaxLogRow = maxLogRow
