package checkpoint

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// The functions here decode one JSON value each. Unlike encoding/json they
// match keys by their exact spelling and never convert, skip or overwrite.
// Their errors are predicates, as in "is not a string"; read puts the subject
// in front.

// read decodes the value of key into target.
func read[T any](fields map[string]json.RawMessage, key string, decode func(json.RawMessage) (T, error), target *T) error {
	raw, ok := fields[key]
	if !ok {
		return fmt.Errorf("%s is missing", key)
	}
	value, err := decode(raw)
	if err != nil {
		return fmt.Errorf("%s %w", key, err)
	}
	*target = value
	return nil
}

// decodeObject splits an object into its members, which must be distinct:
// which of two wins differs between languages.
func decodeObject(raw json.RawMessage) (map[string]json.RawMessage, error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return nil, errors.New("is not an object")
	}
	fields := map[string]json.RawMessage{}
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		key, ok := token.(string)
		if !ok {
			return nil, errors.New("is not an object")
		}
		if _, ok := fields[key]; ok {
			return nil, fmt.Errorf("has the key %q twice", key)
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return nil, err
		}
		fields[key] = value
	}
	return fields, nil
}

func decodeArray[T any](raw json.RawMessage, decode func(json.RawMessage) (T, error)) ([]T, error) {
	var items []json.RawMessage
	if isNull(raw) || json.Unmarshal(raw, &items) != nil {
		return nil, errors.New("is not an array")
	}
	values := make([]T, len(items))
	for i, item := range items {
		value, err := decode(item)
		if err != nil {
			return nil, fmt.Errorf("has an element that %w", err)
		}
		values[i] = value
	}
	return values, nil
}

func decodeString(raw json.RawMessage) (string, error) {
	var value string
	if isNull(raw) || json.Unmarshal(raw, &value) != nil {
		return "", errors.New("is not a string")
	}
	return value, nil
}

// decodeInteger takes no fraction and no exponent: "512.0" is a number to some
// of the libraries and corrupt to others.
func decodeInteger[T int | int64](raw json.RawMessage) (T, error) {
	value, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil || int64(T(value)) != value {
		return 0, errors.New("is not an integer")
	}
	return T(value), nil
}

func isNull(raw json.RawMessage) bool {
	return string(raw) == "null"
}
