package msb

// Classify is what a failed call with this command line becomes.
func Classify(args []string, secrets []string, exit int, stderr string) *Error {
	a := plain(args...)
	a.secrets = secrets
	return classify(a, exit, stderr)
}

// Clean is what text of msb or of a guest becomes before it is shown.
var Clean = clean

// ShutdownTime is how long a call may take to return after it was cancelled,
// whatever msb does.
const ShutdownTime = killDelay

// MaxLogRow is the longest row of a log.
const MaxLogRow = maxLogRow
