package intent

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/rightsize/terraform-provider-rightsize/internal/faultpoint"
	"github.com/rightsize/terraform-provider-rightsize/internal/filelock"
)

// Record says what an operation makes, and where.
type Record struct {
	Backend string `json:"backend"`
	// Engine is the id of the engine.
	Engine string `json:"engine"`
	// Container is the name of what is being made, for whoever reads the file:
	// what was made is known by the intent's token.
	Container string `json:"container,omitempty"`
	// Network is the name of the network that is being made, if one is.
	Network string `json:"network,omitempty"`
	// Checkpoint is the name that is captured, if one is: an engine may go on with
	// a capture that nobody waits for any more.
	Checkpoint string `json:"checkpoint,omitempty"`
	// Paused is the id of a container that runs and that the operation may
	// pause for a while.
	Paused string `json:"paused,omitempty"`
	// Kept says that the operation has ended and has left the container, for
	// its user to look into.
	Kept bool `json:"kept,omitempty"`
}

// The files of an intent are its lock and its record, named by its token.
const (
	prefix       = "intent-"
	lockSuffix   = ".lock"
	recordSuffix = ".json"
	tempSuffix   = ".tmp"
)

// Journal is the directory of the intents. It is safe for concurrent use, also
// by several processes.
type Journal struct {
	dir string

	mu sync.Mutex
	// own holds the tokens of the intents of this process.
	own map[string]struct{}
}

// Open returns the journal in a directory of locks. It does no I/O.
func Open(dir string) *Journal {
	return &Journal{dir: dir, own: make(map[string]struct{})}
}

// Intent is one operation under way.
type Intent struct {
	// Token identifies the operation, and what it makes.
	Token string

	journal *Journal
	record  Record
	unlock  func()
}

// Begin records an operation before it makes anything. It is under way until
// its End, or the end of this process.
func (j *Journal) Begin(ctx context.Context, record Record) (*Intent, error) {
	i, err := j.begin(ctx, strings.ToLower(rand.Text()), record)
	if err != nil {
		return nil, err
	}
	if err := i.Write(); err != nil {
		i.Abandon()
		return nil, err
	}
	return i, nil
}

// BeginAgain is Begin for an operation that makes anew what the one with this
// token has made. The record is not there before its Write: until then the token
// is of something that is to stay. Whoever else begins again with it waits.
func (j *Journal) BeginAgain(ctx context.Context, token string, record Record) (*Intent, error) {
	// It comes from an engine, and names files here.
	if !tokenPattern.MatchString(token) {
		return nil, fmt.Errorf("%q is not the token of an operation", token)
	}
	return j.begin(ctx, token, record)
}

// tokenPattern is what tokens look like.
var tokenPattern = regexp.MustCompile(`^[a-z2-7]{26,52}$`)

func (j *Journal) begin(ctx context.Context, token string, record Record) (*Intent, error) {
	j.mu.Lock()
	j.own[token] = struct{}{}
	j.mu.Unlock()
	// First the lock: a record without one is that of a dead process.
	unlock, err := filelock.Lock(ctx, j.path(token, lockSuffix))
	if err != nil {
		j.disown(token)
		return nil, j.unrecorded(err)
	}
	return &Intent{Token: token, journal: j, record: record, unlock: unlock}, nil
}

func (j *Journal) unrecorded(err error) error {
	return fmt.Errorf("record in %s what is about to be made: %w", j.dir, err)
}

// Write records the operation, of which nothing was made so far.
func (i *Intent) Write() error {
	if err := i.write(); err != nil {
		return i.journal.unrecorded(err)
	}
	return nil
}

// MayPause records that the operation may pause a container.
func (i *Intent) MayPause(containerID string) error {
	i.record.Paused = containerID
	if err := i.write(); err != nil {
		return fmt.Errorf("record in %s that container %s is about to be paused: %w", i.journal.dir, containerID, err)
	}
	return nil
}

// Record returns what is recorded.
func (i *Intent) Record() Record { return i.record }

// End takes the record away: what the operation has made is gone, or in
// somebody's hands.
func (i *Intent) End() error {
	err := i.journal.erase(i.Token)
	faultpoint.Reach(context.Background(), faultpoint.Erased)
	i.Abandon()
	return err
}

// Abandon ends the operation and leaves the record to the next sweep.
func (i *Intent) Abandon() {
	i.unlock()
	i.journal.disown(i.Token)
}

// Keep ends the operation, and leaves the record of the container that it has
// made. [Journal.Sweep] leaves such a container alone, and [Journal.Kept] finds
// it.
func (i *Intent) Keep() error {
	i.record.Kept = true
	err := i.write()
	i.Abandon()
	return err
}

// write replaces the record as a whole. It is not synced: it is there for the
// end of a process, and a crash of the machine ends the engine's work as well.
func (i *Intent) write() error {
	data, err := json.Marshal(i.record)
	if err != nil {
		return err
	}
	temp := i.journal.path(i.Token, tempSuffix)
	if err := os.WriteFile(temp, data, 0o600); err != nil {
		return err
	}
	return os.Rename(temp, i.journal.path(i.Token, recordSuffix))
}

func (j *Journal) path(token, suffix string) string {
	return filepath.Join(j.dir, prefix+token+suffix)
}

func (j *Journal) disown(token string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(j.own, token)
}

func (j *Journal) owns(token string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	_, own := j.own[token]
	return own
}

// read returns the record of a token; ok is false if there is none.
func (j *Journal) read(token string) (record Record, ok bool) {
	data, err := os.ReadFile(j.path(token, recordSuffix))
	return record, err == nil && json.Unmarshal(data, &record) == nil
}

// erase removes the record of a token, and what writing it has left.
func (j *Journal) erase(token string) error {
	var errs []error
	for _, suffix := range []string{tempSuffix, recordSuffix} {
		if err := os.Remove(j.path(token, suffix)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// tokenOf returns the token of an intent's file.
func tokenOf(file string) (token string, ok bool) {
	token, ok = strings.CutPrefix(file, prefix)
	if !ok {
		return "", false
	}
	for _, suffix := range []string{lockSuffix, recordSuffix, tempSuffix} {
		if token, ok := strings.CutSuffix(token, suffix); ok {
			return token, true
		}
	}
	return "", false
}
