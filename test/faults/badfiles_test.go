//go:build unix

package faults

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// badEntry puts something into the place of an entry that holds none.
type badEntry struct {
	make func(path string) error
	// reason is what the error says of it.
	reason string
	// keeps says that not even a capture may put an entry in its place.
	keeps bool
}

func content(text string) func(string) error {
	return func(path string) error { return os.WriteFile(path, []byte(text), 0o600) }
}

// entryText is an entry of "it" with one part replaced.
func entryText(old, replacement string) string {
	const whole = `{"name":"NAME","ref":"rightsize/checkpoint:NAME","backend":"docker","createdIso":"2026-01-02T03:04:05.678Z",` +
		`"spec":{"env":{"A":"1"},"command":["a"],"exposedPorts":[80],"memoryLimitMb":64}}`
	return strings.Replace(whole, old, replacement, 1)
}

var badEntries = map[string]badEntry{
	"empty":                 {make: content(""), reason: "it is empty"},
	"blank":                 {make: content(" \n"), reason: "it is not one complete JSON value"},
	"torn":                  {make: content(entryText("", "")[:100]), reason: "it is not one complete JSON value"},
	"two values":            {make: content(entryText("", "") + entryText("", "")), reason: "it is not one complete JSON value"},
	"10 MB":                 {make: content(strings.Repeat(" ", 10<<20) + entryText("", "")), reason: "it is longer than"},
	"zeros":                 {make: content(strings.Repeat("\x00", 4096)), reason: "it is not one complete JSON value"},
	"not text":              {make: content("\xff\xfe{\x00}"), reason: "it is not UTF-8 text"},
	"byte order mark":       {make: content("\xef\xbb\xbf" + entryText("", "")), reason: "it starts with a byte order mark"},
	"not JSON":              {make: content("name: NAME\n"), reason: "it is not one complete JSON value"},
	"an array":              {make: content("[" + entryText("", "") + "]"), reason: "it is not an object"},
	"null":                  {make: content("null"), reason: "it is not an object"},
	"deeply nested":         {make: content(strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000)), reason: "it is not"},
	"name of another":       {make: content(entryText(`"name":"NAME"`, `"name":"another"`)), reason: `it is the entry of "another"`},
	"name is a number":      {make: content(entryText(`"name":"NAME"`, `"name":7`)), reason: "name is not a string"},
	"name leaves":           {make: content(entryText(`"name":"NAME"`, `"name":"../../etc/passwd"`)), reason: "name: "},
	"no ref":                {make: content(entryText(`"ref":"rightsize/checkpoint:NAME",`, "")), reason: "ref is missing"},
	"ref is null":           {make: content(entryText(`"ref":"rightsize/checkpoint:NAME"`, `"ref":null`)), reason: "ref is not a string"},
	"ref is empty":          {make: content(entryText(`"ref":"rightsize/checkpoint:NAME"`, `"ref":""`)), reason: "ref is empty"},
	"time is a number":      {make: content(entryText(`"2026-01-02T03:04:05.678Z"`, "1767323045")), reason: "createdIso is not a string"},
	"time is no time":       {make: content(entryText(`"2026-01-02T03:04:05.678Z"`, `"yesterday"`)), reason: "createdIso is not an RFC 3339 time"},
	"spec is a string":      {make: content(entryText(`{"env":{"A":"1"},"command":["a"],"exposedPorts":[80],"memoryLimitMb":64}`, `"x"`)), reason: "spec is not an object"},
	"env is an array":       {make: content(entryText(`{"A":"1"}`, `["A=1"]`)), reason: "spec env is not an object"},
	"env holds a number":    {make: content(entryText(`{"A":"1"}`, `{"A":1}`)), reason: `spec env "A" is not a string`},
	"command is a string":   {make: content(entryText(`["a"]`, `"a"`)), reason: "spec command is not an array"},
	"port out of range":     {make: content(entryText(`[80]`, `[65536]`)), reason: "exposedPorts: 65536"},
	"port is a fraction":    {make: content(entryText(`[80]`, `[80.5]`)), reason: "spec exposedPorts has an element that is not an integer"},
	"memory is huge":        {make: content(entryText(`64}}`, `1e400}}`)), reason: "spec memoryLimitMb is not an integer"},
	"key twice":             {make: content(entryText(`"backend":"docker"`, `"backend":"docker","backend":"docker"`)), reason: `it has the key "backend" twice`},
	"link to a good entry":  {make: func(path string) error { return linkTo(path, entryText("", "")) }, reason: "it is not a regular file"},
	"link to nowhere":       {make: func(path string) error { return os.Symlink("/nowhere/at/all", path) }, reason: "it is not a regular file"},
	"link to itself":        {make: func(path string) error { return os.Symlink(filepath.Base(path), path) }, reason: "it is not a regular file"},
	"link out of it":        {make: func(path string) error { return os.Symlink("/etc/passwd", path) }, reason: "it is not a regular file"},
	"FIFO":                  {make: func(path string) error { return syscall.Mkfifo(path, 0o600) }, reason: "it is not a regular file"},
	"device":                {make: func(path string) error { return os.Symlink("/dev/zero", path) }, reason: "it is not a regular file"},
	"directory":             {make: func(path string) error { return os.Mkdir(path, 0o700) }, reason: "it is not a regular file", keeps: true},
	"directory with a file": {make: madeDirectory, reason: "it is not a regular file", keeps: true},
}

func linkTo(path, text string) error {
	target := path + ".target"
	if err := os.WriteFile(target, []byte(text), 0o600); err != nil {
		return err
	}
	return os.Symlink(target, path)
}

func madeDirectory(path string) error {
	if err := os.Mkdir(path, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(path, "precious"), []byte("data"), 0o600)
}

// TestBadEntriesAreReported lets everything that reads entries read those that
// are none. Each is named with its path and stays as it is.
func TestBadEntriesAreReported(t *testing.T) {
	requireEngine(t)
	t.Parallel()
	s := newStack(t, defaultEngine())
	var config, list strings.Builder
	paths := map[string]string{}
	for kind, bad := range badEntries {
		name := fmt.Sprintf("%s-%02d", s.name, len(paths))
		paths[kind] = s.plant(name, bad)
		fmt.Fprintf(&config, "data \"rightsize_checkpoint\" %q {\n  name     = %q\n  required = false\n}\n", name, name)
	}
	before := s.snapshot()

	s.write(config.String())
	found := s.plan("-parallelism=20")
	list.WriteString("data \"rightsize_checkpoints\" \"all\" {}\noutput \"all\" { value = data.rightsize_checkpoints.all.checkpoints[*].name }\n")
	s.write(list.String())
	listed := s.plan()
	if listed.code != 2 {
		t.Errorf("listing ended with %d:\n%s", listed.code, listed.output)
	}
	for kind, bad := range badEntries {
		badInputs.Add(2)
		for what, text := range map[string]string{"finding it": found.output, "listing": listed.output} {
			if !reports(text, paths[kind], bad.reason) {
				t.Errorf("%s does not report %s (%s) at %s", what, kind, bad.reason, paths[kind])
			}
		}
	}
	if found.code != 1 {
		t.Errorf("finding them ended with %d", found.code)
	}
	s.wantSnapshot(t, before)
}

// TestBadEntriesInTheWay puts something else into the place of a checkpoint's
// entry, and then refreshes, restores and captures.
func TestBadEntriesInTheWay(t *testing.T) {
	requireEngine(t)
	kinds := []string{"empty", "torn", "10 MB", "not JSON", "name is a number", "link to a good entry", "FIFO", "directory with a file"}
	if reduced() {
		kinds = []string{"torn", "FIFO", "directory with a file"}
	}
	for _, kind := range kinds {
		bad := badEntries[kind]
		t.Run(strings.ReplaceAll(kind, " ", "_"), func(t *testing.T) {
			t.Parallel()
			s := newStack(t, defaultEngine())
			s.write(s.checkpointOf("one", ""))
			s.mustApply()
			good, err := os.ReadFile(s.entryPath(s.name))
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Remove(s.entryPath(s.name)); err != nil {
				t.Fatal(err)
			}
			path := s.plant(s.name, bad)
			before := s.snapshot()
			artifacts := s.artifacts()

			user := s.sibling()
			user.write(s.copyOf(`"` + s.name + `"`))
			for what, r := range map[string]result{
				"a refresh": s.plan(),
				"a restore": user.apply(),
				"a destroy": s.destroy(),
			} {
				badInputs.Add(1)
				if r.code != 1 || !reports(r.output, path, bad.reason) {
					t.Errorf("%s ended with %d:\n%s", what, r.code, r.output)
				}
			}
			s.wantSnapshot(t, before)
			if got := s.artifacts(); len(got) != len(artifacts) {
				checkpointsLost.Add(1)
				t.Errorf("the artifacts are %v, were %v", got, artifacts)
			}

			// Somebody who knows nothing of it captures under the name.
			badInputs.Add(1)
			writer := s.sibling()
			writer.write(s.checkpointOf("two", ""))
			r := writer.apply()
			if bad.keeps {
				if r.code != 1 || !strings.Contains(r.output, "is a directory") {
					t.Errorf("a capture ended with %d:\n%s", r.code, r.output)
				}
				s.wantSnapshot(t, before)
				// What the name stood for can still be had.
				if err := os.RemoveAll(path); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, good, 0o600); err != nil {
					t.Fatal(err)
				}
				s.wantData(t, "one")
			} else {
				if r.code != 0 {
					t.Fatalf("a capture ended with %d:\n%s", r.code, r.output)
				}
				s.wantData(t, "two")
				writer.mustDestroy()
			}
			s.mustDestroy()
			_ = os.Remove(path + ".target")
			s.nothingLeft()
		})
	}
}

// TestNamesStayInTheDirectory tries names that would lead out of it.
func TestNamesStayInTheDirectory(t *testing.T) {
	requireEngine(t)
	t.Parallel()
	s := newStack(t, defaultEngine())
	outside := filepath.Join(filepath.Dir(s.cacheDir), "outside.json")
	if err := os.WriteFile(outside, []byte(entryText("NAME", "outside")), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"../outside", "../../outside", "..", ".", "/etc/passwd", "a/b", `a\b`, "a/../../outside", "it.json",
		".it.lock", "-it", "", "IT", "it it", "it\x01", "ıt", strings.Repeat("a", 42), "it@sha256:0", "it:latest", "CON:",
	} {
		for what, config := range map[string]string{
			"data":     fmt.Sprintf("data \"rightsize_checkpoint\" \"it\" {\n  name = %s\n}\n", hclString(name)),
			"resource": fmt.Sprintf("resource \"rightsize_checkpoint\" \"it\" {\n  name = %s\n  seed = { image = %q }\n}\n", hclString(name), s.image),
			"restore":  s.copyOf(hclString(name)),
		} {
			if what == "restore" && strings.Contains(name, "@") {
				continue // that is how an id looks
			}
			badInputs.Add(1)
			s.write(config)
			if r := s.apply(); r.code != 1 || !strings.Contains(r.output, "Error: ") {
				t.Errorf("%s of %q ended with %d:\n%s", what, name, r.code, r.output)
			}
		}
	}
	s.nothingLeft()
}

func hclString(s string) string {
	return strings.ReplaceAll(fmt.Sprintf("%q", s), `\x01`, `\u0001`)
}

// plant makes the bad entry and returns its path.
func (s *stack) plant(name string, bad badEntry) string {
	s.t.Helper()
	path := s.entryPath(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		s.t.Fatal(err)
	}
	if err := bad.make(path); err != nil {
		s.t.Fatal(err)
	}
	if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
		data, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(path, []byte(strings.ReplaceAll(string(data), "NAME", name)), 0o600)
		}
		if err != nil {
			s.t.Fatal(err)
		}
	}
	return path
}

// reports says whether a diagnostic names the path and the reason. Terraform
// wraps its lines.
func reports(output, path, reason string) bool {
	text := strings.Join(strings.Fields(output), " ")
	_, after, found := strings.Cut(text, path+" is corrupt: ")
	return found && strings.HasPrefix(after, reason)
}

// snapshot is everything in the registry's directory, with what tells whether
// it was touched.
func (s *stack) snapshot() map[string]string {
	s.t.Helper()
	dir := filepath.Dir(s.entryPath("x"))
	files, err := os.ReadDir(dir)
	if err != nil {
		s.t.Fatal(err)
	}
	all := map[string]string{}
	for _, file := range files {
		info, err := file.Info()
		if err != nil {
			s.t.Fatal(err)
		}
		all[file.Name()] = fmt.Sprint(info.Mode(), info.Size(), info.ModTime().UnixNano())
	}
	return all
}

func (s *stack) wantSnapshot(t *testing.T, want map[string]string) {
	t.Helper()
	got := s.snapshot()
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s appeared in the registry", name)
		}
	}
	for name, state := range want {
		if got[name] != state {
			t.Errorf("%s was %s and is %s", name, state, got[name])
		}
	}
}
