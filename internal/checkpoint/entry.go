package checkpoint

import (
	"errors"
	"fmt"
	"time"
)

// MaxEntrySize bounds the file of an entry, so that a reader's memory does not
// depend on what somebody put into a shared directory.
const MaxEntrySize = 1 << 20

// maxMemoryLimitMB is the greatest integer that every language reads exactly.
const maxMemoryLimitMB = 1<<53 - 1

// Entry records where the artifact of a named checkpoint is, and what a
// container restored from it gets by default.
type Entry struct {
	Name string
	// Ref is the backend's name for the artifact, opaque here.
	Ref string
	// Backend is the backend that made the artifact and alone can restore it.
	Backend string
	// CreatedAt is kept to the millisecond.
	CreatedAt time.Time
	Spec      Spec
}

// Spec is what the user gave the container that was captured, without what its
// image added.
type Spec struct {
	Env map[string]string
	// Command is nil if it is the image's own.
	Command []string
	// ExposedPorts are TCP ports in the container.
	ExposedPorts []int
	// MemoryLimitMB is nil if there is no limit.
	MemoryLimitMB *int64
}

// validate holds for every entry that is written and every entry that is
// accepted. Its errors speak of the file's fields.
func (e Entry) validate() error {
	if err := ValidateName(e.Name); err != nil {
		return fmt.Errorf("name: %w", err)
	}
	if e.Ref == "" {
		return errors.New("ref is empty")
	}
	if e.Backend == "" {
		return errors.New("backend is empty")
	}
	// Four digits of year are what RFC 3339 and the other languages read.
	if year := e.CreatedAt.UTC().Year(); e.CreatedAt.IsZero() || year < 0 || year > 9999 {
		return errors.New("createdIso is not a usable time")
	}
	return e.Spec.validateNumbers()
}

// Validate reports why an entry could not keep the spec, or nil if it can, so
// that a caller finds out before it captures anything.
func (s Spec) Validate() error {
	if err := s.validateNumbers(); err != nil {
		return err
	}
	var w encoder
	w.spec(s)
	return w.finish()
}

func (s Spec) validateNumbers() error {
	for _, port := range s.ExposedPorts {
		if port < 1 || port > 65535 {
			return fmt.Errorf("exposedPorts: %d is not a port from 1 to 65535", port)
		}
	}
	if limit := s.MemoryLimitMB; limit != nil && (*limit < 0 || *limit > maxMemoryLimitMB) {
		return fmt.Errorf("memoryLimitMb: %d is not a number from 0 to %d", *limit, int64(maxMemoryLimitMB))
	}
	return nil
}
