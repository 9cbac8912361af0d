package msb

import (
	"encoding/json"
	"strings"
	"time"
)

// LogOptions selects rows of a sandbox's log.
type LogOptions struct {
	// Follow keeps the stream open. It does not end by itself when the sandbox
	// stops.
	Follow bool
	// Since leaves out what was written before it; zero means all.
	Since time.Time
	// Source selects by who wrote it; empty means what commands wrote.
	Source LogSource
	// Grep is a regular expression that a row's text must match.
	Grep string
}

// LogSource is who has written to a log.
type LogSource string

// The sources beside the commands.
const (
	// SystemLog is what msb and the guest's kernel wrote.
	SystemLog LogSource = "system"
	// WholeLog is that and what commands wrote.
	WholeLog LogSource = "all"
)

// LogRecord is one row of a log.
type LogRecord struct {
	Time time.Time
	// Session numbers the commands that were run since the sandbox was booted,
	// if the row was written by one of them.
	Session    int
	HasSession bool
	// Source is stdout, stderr, system or boot-error.
	Source string
	// Text is what was written, with the end of its line if it has one.
	Text string
}

// bootError is the source of a row that says why the last boot failed.
const bootError = "boot-error"

// parseLogRecord reads one row. A row that was cut off, when the host crashed
// or the disk was full, is not worth the rest of the log.
func parseLogRecord(line []byte) (LogRecord, bool) {
	var row struct {
		Text    string    `json:"d"`
		Session *int      `json:"id"`
		Source  string    `json:"s"`
		Time    timestamp `json:"t"`
	}
	if err := json.Unmarshal(line, &row); err != nil || row.Source == "" {
		return LogRecord{}, false
	}
	record := LogRecord{Time: time.Time(row.Time), Source: row.Source, Text: row.Text}
	if row.Session != nil {
		record.Session, record.HasSession = *row.Session, true
	}
	if record.Source == bootError {
		record.Text = bootErrorText(row.Text)
	}
	return record, true
}

// bootErrorText reads the JSON within the JSON of such a row.
func bootErrorText(s string) string {
	var in struct {
		Stage   string `json:"stage"`
		Message string `json:"message"`
	}
	if json.Unmarshal([]byte(s), &in) != nil || in.Message == "" {
		return s
	}
	return in.Stage + ": " + in.Message
}

// PortFailures returns, of the records of a system log, those that say that a
// port was not published, as text to show. msb reports it nowhere else: a
// sandbox whose port is taken boots and runs.
func PortFailures(records []LogRecord) []string {
	var failures []string
	for _, record := range records {
		if strings.Contains(record.Text, "port listener failed bind=") ||
			strings.Contains(record.Text, "skipping published port listeners") {
			text := strings.TrimSpace(clean(record.Text))
			if _, message, ok := strings.Cut(text, "::publisher: "); ok {
				text = message
			}
			failures = append(failures, text)
		}
	}
	return failures
}
