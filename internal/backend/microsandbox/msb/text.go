package msb

import (
	"regexp"
	"strings"
	"unicode"
)

// escapes are the sequences by which a terminal is coloured and moved.
var escapes = regexp.MustCompile(`\x1b(\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)?)`)

// clean makes text that may be shown: valid UTF-8 without control characters
// other than the end of a line. msb repeats bytes of archives and of guests.
func clean(s string) string {
	s = escapes.ReplaceAllString(strings.ToValidUTF8(s, "\uFFFD"), "")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || unicode.IsPrint(r):
			return r
		case r == '\t':
			return ' '
		default:
			return -1
		}
	}, s)
}

// excerpt is the beginning of a text, for an error about it.
func excerpt(s string) string {
	const limit = 80
	s = strings.TrimSpace(clean(s))
	if runes := []rune(s); len(runes) > limit {
		return string(runes[:limit]) + "…"
	}
	return s
}

// shortestSecret is the length from which on a value is worth hiding: replacing
// each "1" would make a message unreadable and hide nothing.
const shortestSecret = 4

// redact takes values out of a text that msb may have repeated them in.
func redact(s string, values []string) string {
	for _, value := range values {
		if len(value) >= shortestSecret {
			s = strings.ReplaceAll(s, value, "(hidden)")
		}
	}
	return s
}

// tail keeps the end of what is written to it.
type tail struct {
	kept []byte
}

// tailSize is several times the longest message that msb was seen to write.
const tailSize = 16 << 10

// Write never fails.
func (t *tail) Write(p []byte) (int, error) {
	n := len(p)
	if len(p) > tailSize {
		p = p[len(p)-tailSize:]
	}
	t.kept = append(t.kept, p...)
	if excess := len(t.kept) - tailSize; excess > 0 {
		t.kept = append(t.kept[:0], t.kept[excess:]...)
	}
	return n, nil
}

func (t *tail) String() string { return string(t.kept) }
