package msb

import (
	"encoding/json"
	"strings"
	"time"
)

// timestamp is a time that may be missing or, in another version, something
// else: no decision hangs on it that could not do without.
type timestamp time.Time

// UnmarshalJSON implements [json.Unmarshaler].
func (t *timestamp) UnmarshalJSON(data []byte) error {
	var s string
	if json.Unmarshal(data, &s) == nil {
		if parsed, err := time.Parse(time.RFC3339Nano, s); err == nil {
			*t = timestamp(parsed.UTC())
		}
	}
	return nil
}

// variables are environment variables: a sandbox has them as objects of key and
// value, an image as strings like "KEY=value".
type variables map[string]string

// UnmarshalJSON implements [json.Unmarshaler].
func (v *variables) UnmarshalJSON(data []byte) error {
	var rows []variable
	if err := json.Unmarshal(data, &rows); err != nil {
		return err
	}
	if rows == nil {
		return nil
	}
	*v = make(variables, len(rows))
	for _, row := range rows {
		(*v)[row.Key] = row.Value
	}
	return nil
}

type variable struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// UnmarshalJSON implements [json.Unmarshaler].
func (v *variable) UnmarshalJSON(data []byte) error {
	var s string
	if err := json.Unmarshal(data, &s); err == nil {
		v.Key, v.Value, _ = strings.Cut(s, "=")
		return nil
	}
	type object variable
	return json.Unmarshal(data, (*object)(v))
}
