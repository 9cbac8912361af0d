package checkpoint

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"
)

// CorruptError is a file in the place of an entry that holds none.
type CorruptError struct {
	// Path is the file; empty if it came from [Decode].
	Path string
	// Reason says what is wrong, without quoting values, which may be secret.
	Reason string
}

func (e *CorruptError) Error() string {
	if e.Path == "" {
		return "checkpoint entry is corrupt: " + e.Reason
	}
	return fmt.Sprintf("checkpoint entry %s is corrupt: %s", e.Path, e.Reason)
}

// Decode reads the content of an entry's file, whichever library wrote it. It
// takes keys in any order, keys that it does not know, any white space and any
// RFC 3339 time; all else that is not an entry is a [*CorruptError].
func Decode(data []byte) (Entry, error) {
	entry, err := decodeEntry(data)
	if err != nil {
		return Entry{}, &CorruptError{Reason: err.Error()}
	}
	return entry, nil
}

func decodeEntry(data []byte) (entry Entry, err error) {
	if err := checkDocument(data); err != nil {
		return Entry{}, err
	}
	fields, err := decodeObject(data)
	if err != nil {
		return Entry{}, fmt.Errorf("it %w", err)
	}
	if err := cmp.Or(
		read(fields, "name", decodeString, &entry.Name),
		read(fields, "ref", decodeString, &entry.Ref),
		read(fields, "backend", decodeString, &entry.Backend),
		read(fields, "createdIso", decodeTime, &entry.CreatedAt),
		read(fields, "spec", decodeSpec, &entry.Spec),
	); err != nil {
		return Entry{}, err
	}
	return entry, entry.validate()
}

func decodeSpec(raw json.RawMessage) (spec Spec, err error) {
	fields, err := decodeObject(raw)
	if err != nil {
		return Spec{}, err
	}
	return spec, cmp.Or(
		read(fields, "env", decodeEnv, &spec.Env),
		read(fields, "command", decodeCommand, &spec.Command),
		read(fields, "exposedPorts", decodePorts, &spec.ExposedPorts),
		read(fields, "memoryLimitMb", decodeMemoryLimit, &spec.MemoryLimitMB),
	)
}

func decodeEnv(raw json.RawMessage) (map[string]string, error) {
	fields, err := decodeObject(raw)
	if err != nil {
		return nil, err
	}
	env := make(map[string]string, len(fields))
	for key, value := range fields {
		if env[key], err = decodeString(value); err != nil {
			return nil, fmt.Errorf("%q %w", key, err)
		}
	}
	return env, nil
}

func decodeCommand(raw json.RawMessage) ([]string, error) {
	if isNull(raw) {
		return nil, nil
	}
	return decodeArray(raw, decodeString)
}

func decodePorts(raw json.RawMessage) ([]int, error) {
	return decodeArray(raw, decodeInteger[int])
}

func decodeMemoryLimit(raw json.RawMessage) (*int64, error) {
	if isNull(raw) {
		return nil, nil
	}
	limit, err := decodeInteger[int64](raw)
	return &limit, err
}

func decodeTime(raw json.RawMessage) (time.Time, error) {
	text, err := decodeString(raw)
	if err != nil {
		return time.Time{}, err
	}
	// RFC 3339 lets T and Z be lower-case, Go's parser does not.
	t, err := time.Parse(time.RFC3339, strings.ToUpper(text))
	if err != nil {
		return time.Time{}, errors.New("is not an RFC 3339 time")
	}
	return t.UTC(), nil
}

// checkDocument finds what is wrong with the text as such. What encoding/json
// would silently replace is refused here, as it would come back changed.
func checkDocument(data []byte) error {
	switch {
	case len(data) == 0:
		return errors.New("it is empty")
	case len(data) > MaxEntrySize:
		return fmt.Errorf("it is longer than %d bytes", MaxEntrySize)
	case bytes.HasPrefix(data, []byte("\xef\xbb\xbf")):
		return errors.New("it starts with a byte order mark")
	case !utf8.Valid(data):
		return errors.New("it is not UTF-8 text")
	case !json.Valid(data):
		return errors.New("it is not one complete JSON value")
	case hasLoneSurrogate(data):
		return errors.New("it escapes half of a surrogate pair")
	}
	return nil
}

// hasLoneSurrogate looks for \uD800 to \uDFFF outside a pair in valid JSON,
// where backslashes occur only in strings.
func hasLoneSurrogate(data []byte) bool {
	for i := 0; i < len(data); i++ {
		if data[i] != '\\' {
			continue
		}
		i++
		if data[i] != 'u' {
			continue
		}
		first := escapedUnit(data[i+1:])
		i += 4
		if !utf16.IsSurrogate(first) {
			continue
		}
		if !bytes.HasPrefix(data[i+1:], []byte(`\u`)) {
			return true
		}
		if utf16.DecodeRune(first, escapedUnit(data[i+3:])) == utf8.RuneError {
			return true
		}
		i += 6
	}
	return false
}

// escapedUnit is the UTF-16 code unit that four hex digits stand for.
func escapedUnit(digits []byte) rune {
	unit, err := strconv.ParseUint(string(digits[:4]), 16, 16)
	if err != nil {
		return utf8.RuneError
	}
	return rune(unit)
}
