package checkpoint

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"
)

// isoLayout is what JavaScript's Date.toISOString writes.
const isoLayout = "2006-01-02T15:04:05.000Z"

// Encode returns the content of an entry's file, exactly as the rightsize
// library for TypeScript writes it: compact, keys in a fixed order, no final
// newline. It refuses an entry that one of the libraries would misread.
//
// It does not use encoding/json, which writes U+2028 and U+2029 as escapes that
// the library for Kotlin does not decode, and replaces what is not UTF-8.
func Encode(e Entry) ([]byte, error) {
	if err := e.validate(); err != nil {
		return nil, err
	}
	var w encoder
	w.raw(`{"name":`)
	w.text("name", e.Name)
	w.raw(`,"ref":`)
	w.text("ref", e.Ref)
	w.raw(`,"backend":`)
	w.text("backend", e.Backend)
	w.raw(`,"createdIso":`)
	w.text("createdIso", e.CreatedAt.UTC().Format(isoLayout))
	w.raw(`,"spec":`)
	w.spec(e.Spec)
	w.raw(`}`)
	if err := w.finish(); err != nil {
		return nil, err
	}
	return w.Bytes(), nil
}

// encoder writes JSON and remembers the first error.
type encoder struct {
	bytes.Buffer
	err error
}

// finish reports why what was written is of no use.
func (w *encoder) finish() error {
	if w.err == nil && w.Len() > MaxEntrySize {
		return fmt.Errorf("entry is %d bytes long, more than the %d that readers accept", w.Len(), MaxEntrySize)
	}
	return w.err
}

func (w *encoder) raw(s string) { w.WriteString(s) }

func (w *encoder) spec(s Spec) {
	w.raw(`{"env":{`)
	for i, key := range slices.Sorted(maps.Keys(s.Env)) {
		if i > 0 {
			w.raw(`,`)
		}
		w.text("a key of env", key)
		w.raw(`:`)
		w.text(fmt.Sprintf("env %q", key), s.Env[key])
	}
	w.raw(`},"command":`)
	if s.Command == nil {
		w.raw(`null`)
	} else {
		array(w, s.Command, func(arg string) { w.text("command", arg) })
	}
	w.raw(`,"exposedPorts":`)
	array(w, s.ExposedPorts, func(port int) { w.raw(strconv.Itoa(port)) })
	w.raw(`,"memoryLimitMb":`)
	if s.MemoryLimitMB == nil {
		w.raw(`null`)
	} else {
		w.raw(strconv.FormatInt(*s.MemoryLimitMB, 10))
	}
	w.raw(`}`)
}

func array[T any](w *encoder, items []T, write func(T)) {
	w.raw(`[`)
	for i, item := range items {
		if i > 0 {
			w.raw(`,`)
		}
		write(item)
	}
	w.raw(`]`)
}

// text writes s as JavaScript's JSON.stringify does: beyond ASCII nothing is
// escaped, U+2028 and U+2029 included. Errors name the field and never quote its
// value, which may be a secret.
func (w *encoder) text(field, s string) {
	if w.err != nil {
		return
	}
	if !utf8.ValidString(s) {
		w.err = fmt.Errorf("%s is not UTF-8 text", field)
		return
	}
	w.raw(`"`)
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			w.WriteByte('\\')
			w.WriteByte(byte(r))
		case r == '\n':
			w.raw(`\n`)
		case r == '\r':
			w.raw(`\r`)
		case r == '\t':
			w.raw(`\t`)
		case r < ' ':
			// It would be written as \u00XX, which the library for Kotlin
			// keeps as those six characters.
			w.err = fmt.Errorf("%s holds the control character %U: a checkpoint can keep only newline, "+
				"carriage return and tab", field, r)
			return
		default:
			w.WriteRune(r)
		}
	}
	w.raw(`"`)
}
