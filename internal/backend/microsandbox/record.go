package microsandbox

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"syscall"
	"time"

	"github.com/google/renameio/v2/maybe"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// record is what is known of a container beside what msb knows: what its
// creator asked for, and what its workload is. It has the values of the
// environment in it, as msb's own database does, and is for the owner alone.
type record struct {
	ID        string                `json:"id"`
	Name      string                `json:"name"`
	Owner     string                `json:"owner,omitempty"`
	CreatedAt time.Time             `json:"createdAt"`
	ImageID   string                `json:"imageId"`
	Given     backend.Given         `json:"given"`
	Ports     []backend.PortBinding `json:"ports,omitempty"`
	Workload  workload              `json:"workload"`
	// Run is the latest run of the workload; nil before the first.
	Run *run `json:"run,omitempty"`
	// Resumes is the run that goes on in the VM with the memory that it was
	// restored with; nil once it was started, and in all other containers.
	Resumes *capturedRun `json:"resumes,omitempty"`
	// Layers is about how many layers the disk has: one more with each capture by
	// an msb that captures it while it is in use.
	Layers int `json:"layers,omitempty"`

	dir string
}

// run is one run of a container's workload.
type run struct {
	ID        string    `json:"id"`
	StartedAt time.Time `json:"startedAt"`
}

// workload is the process that a container is made for, with the defaults of
// its image or artifact filled in.
type workload struct {
	Entrypoint []string          `json:"entrypoint,omitempty"`
	Command    []string          `json:"command,omitempty"`
	Env        map[string]string `json:"env,omitempty"`
	WorkingDir string            `json:"workingDir,omitempty"`
	User       string            `json:"user,omitempty"`
}

func (w workload) argv() []string {
	return append(append([]string(nil), w.Entrypoint...), w.Command...)
}

// What is in a container's directory.
const (
	recordFile = "container.json"
	// shareDir is seen by the guest as [guestShare].
	shareDir = "share"
	// aliveFile is locked while the workload runs.
	aliveFile = "alive"
)

// maxRecordSize bounds what is read of a record: an environment is its largest
// part.
const maxRecordSize = 4 << 20

// records is the directory of all containers' records. A container has one from
// before its sandbox is made until after that is removed.
type records struct{ dir string }

func (r records) path(name string) string { return filepath.Join(r.dir, name) }

// create makes the directory of a new container.
func (r records) create(rec *record) error {
	rec.dir = r.path(rec.Name)
	share := filepath.Join(rec.dir, shareDir)
	if err := os.MkdirAll(share, 0o700); err != nil {
		return err
	}
	// The workload's user is the guest's affair, and writes into it. Nobody else
	// of this host gets through the directory above.
	if err := os.Chmod(share, 0o777); err != nil { //nolint:gosec // see above
		return err
	}
	return rec.save()
}

// save replaces the record's file in one step.
func (rec *record) save() error {
	content, err := json.Marshal(rec)
	if err != nil {
		return err
	}
	return maybe.WriteFile(filepath.Join(rec.dir, recordFile), content, 0o600)
}

// load returns the record of a container by its name, or fs.ErrNotExist.
func (r records) load(name string) (*record, error) {
	if name == "" || name != filepath.Base(name) || name == "." || name == ".." {
		return nil, fs.ErrNotExist
	}
	dir := r.path(name)
	content, err := readBounded(filepath.Join(dir, recordFile), maxRecordSize)
	if err != nil {
		return nil, err
	}
	rec := &record{dir: dir}
	if err := json.Unmarshal(content, rec); err != nil {
		return nil, fmt.Errorf("the record of container %s in %s is damaged: %w", name, dir, err)
	}
	if rec.Name != name {
		return nil, fmt.Errorf("the record in %s is of container %q", dir, rec.Name)
	}
	return rec, nil
}

// all returns every record that can be read, by name, and an error for each that
// cannot: one that is damaged hides no other.
func (r records) all() (all map[string]*record, damaged, err error) {
	entries, err := os.ReadDir(r.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	all = make(map[string]*record, len(entries))
	for _, entry := range entries {
		if !entry.IsDir() {
			continue
		}
		rec, err := r.load(entry.Name())
		switch {
		case err == nil:
			all[rec.Name] = rec
		case errors.Is(err, fs.ErrNotExist):
			// It is just being made or removed.
		default:
			damaged = errors.Join(damaged, err)
		}
	}
	return all, damaged, nil
}

// find returns the record of a container by its name or id, or fs.ErrNotExist.
func (r records) find(id string) (*record, error) {
	rec, err := r.load(id)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return rec, err
	}
	if !idPattern.MatchString(id) {
		return nil, fs.ErrNotExist
	}
	all, damaged, err := r.all()
	if err != nil {
		return nil, err
	}
	for _, rec := range all {
		if rec.ID == id {
			return rec, nil
		}
	}
	if damaged != nil {
		// It may be the one. A container must not seem to be gone because of
		// that: nobody would ever remove its VM.
		return nil, damaged
	}
	return nil, fs.ErrNotExist
}

// remove forgets a container. Its record goes last: whoever is interrupted here
// finds it again.
func (r records) remove(name string) error {
	dir := r.path(name)
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, entry := range entries {
		if entry.Name() == recordFile {
			continue
		}
		if err := os.RemoveAll(filepath.Join(dir, entry.Name())); err != nil {
			return err
		}
	}
	return os.RemoveAll(dir)
}

// share returns the path of a file that the workload script writes in a run.
func (rec *record) share(run, suffix string) string {
	return filepath.Join(rec.dir, shareDir, run+suffix)
}

// idPattern is what the ids of containers look like.
var idPattern = regexp.MustCompile(`^[0-9a-f]{32}$`)

// randomID returns 32 hexadecimal digits that nobody has had.
func randomID() string {
	random := make([]byte, 16)
	// It never fails.
	_, _ = rand.Read(random)
	return hex.EncodeToString(random)
}

// readBounded reads a small regular file, also where a guest, which may be
// hostile, can put another one in its place: a link that leads out of the
// directory, a pipe without a writer, or a device without an end.
func readBounded(path string, limit int64) ([]byte, error) {
	dir, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	file, err := dir.OpenFile(filepath.Base(path), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > limit {
		return nil, fmt.Errorf("%s is not a regular file of at most %d bytes", path, limit)
	}
	content, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err == nil && int64(len(content)) > limit {
		return nil, fmt.Errorf("%s is larger than %d bytes", path, limit)
	}
	return content, err
}
