package lifetime

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// Kind is a kind of object that has a lifetime.
type Kind string

// The kinds.
const (
	Container  Kind = "container"
	Checkpoint Kind = "checkpoint"
)

// Object identifies one container, or one capture of a checkpoint.
type Object struct {
	Kind Kind `json:"kind"`
	// Backend and Engine say where it is; Engine is the engine's id.
	Backend string `json:"backend"`
	Engine  string `json:"engine"`
	// ID is the container's id, or the checkpoint's: <name>@<artifact id>.
	ID string `json:"id"`
}

// Record is until when an object is wanted.
type Record struct {
	Object
	// Name is the container's or the checkpoint's, for whoever reads it.
	Name string `json:"name"`
	// Address is where the engine was reached, for messages: its id tells nobody
	// which one it is.
	Address string `json:"address"`
	// After is how long the object is wanted, and ExpiresAt when that is over.
	After     Period    `json:"expires_after"`
	ExpiresAt time.Time `json:"expires_at"`
}

// Expired says whether the object may be removed.
func (r Record) Expired(now time.Time) bool { return !now.Before(r.ExpiresAt) }

// maxRecordSize bounds what is read of a record.
const maxRecordSize = 16 << 10

// fileSuffix ends the name of a record's file.
const fileSuffix = ".json"

// file is the name of the object's record. An id may hold anything that an engine
// likes, so that its digest stands for it.
func (o Object) file() string {
	digest := sha256.New()
	for _, part := range []string{o.Backend, o.Engine, o.ID} {
		fmt.Fprintf(digest, "%d:%s", len(part), part)
	}
	return string(o.Kind) + "-" + hex.EncodeToString(digest.Sum(nil)[:16]) + fileSuffix
}

// decode reads a record. What is not wholly one is refused: a record gets
// something removed.
func decode(data []byte) (Record, error) {
	if len(data) > maxRecordSize {
		return Record{}, fmt.Errorf("it is longer than %d bytes", maxRecordSize)
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	var record Record
	if err := decoder.Decode(&record); err != nil {
		return Record{}, fmt.Errorf("it is not a record: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return Record{}, errors.New("something follows the record")
	}
	return record, record.validate()
}

func (r Record) validate() error {
	if r.Kind != Container && r.Kind != Checkpoint {
		return fmt.Errorf("%q is no kind of object", r.Kind)
	}
	for what, text := range map[string]string{"backend": r.Backend, "engine": r.Engine, "id": r.ID, "name": r.Name} {
		if text == "" {
			return fmt.Errorf("%s is empty", what)
		}
	}
	if r.Kind == Checkpoint && !strings.HasPrefix(r.ID, r.Name+"@") {
		return fmt.Errorf("%q is not a capture of %q", r.ID, r.Name)
	}
	if _, err := r.After.length(); err != nil {
		return fmt.Errorf("expires_after: %w", err)
	}
	if r.ExpiresAt.IsZero() {
		return errors.New("expires_at is missing")
	}
	return nil
}

// compare orders records as people look for them.
func compare(a, b Record) int {
	return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Backend, b.Backend), cmp.Compare(a.Engine, b.Engine), cmp.Compare(a.ID, b.ID))
}
