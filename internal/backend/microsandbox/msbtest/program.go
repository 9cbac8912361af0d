package msbtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The program finds all it needs beside itself, since it is run with next to
// no environment.
const (
	program  = "msb"
	rulesDir = "rules"
	usedDir  = "used"
	callsDir = "calls"
	homeDir  = "home"
)

// exitUnexpected is the exit code of a call that nothing answers. The real msb
// never has it.
const exitUnexpected = 97

// rule is a reply as it is kept in a file.
type rule struct {
	Args                      []string
	Once                      bool
	Stdout, Stderr            []byte // Text in JSON is not byte by byte what it was.
	Exit                      int
	ReadStdin, Hang, Stubborn bool
	Straggler                 string
	// Literal says that Exit stands for no signal.
	Literal bool
	WaitFor string
	Mkdir   string
	Shell   string

	file string
}

// Main runs the tests of a package, unless the binary was started as msb.
func Main(m *testing.M) {
	if len(os.Args) > 0 && filepath.Base(os.Args[0]) == program {
		dir := filepath.Dir(os.Args[0])
		if _, err := os.Stat(filepath.Join(dir, rulesDir)); err == nil {
			os.Exit(answer(dir, os.Args[1:]))
		}
	}
	os.Exit(m.Run())
}

// answer is the program.
func answer(dir string, args []string) int {
	call := Call{Args: args, Env: map[string]string{}, Group: leadsGroup(), Session: leadsSession()}
	for _, entry := range os.Environ() {
		name, value, _ := strings.Cut(entry, "=")
		call.Env[name] = value
	}
	call.Dir, _ = os.Getwd()
	r, err := match(dir, args)
	if err != nil {
		fmt.Fprintf(os.Stderr, "msbtest: %v\n", err)
		return exitUnexpected
	}
	call.Answered = r != nil
	number, err := record(dir, call)
	if err != nil {
		fmt.Fprintf(os.Stderr, "msbtest: %v\n", err)
		return exitUnexpected
	}
	if r == nil {
		fmt.Fprintf(os.Stderr, "error: msbtest: nobody expected %s\n", call)
		return exitUnexpected
	}
	if r.Stubborn {
		signal.Ignore(os.Interrupt, syscall.SIGTERM)
	}
	if r.ReadStdin {
		data, _ := io.ReadAll(os.Stdin)
		call.Stdin = data
		if err := rewrite(dir, number, call); err != nil {
			fmt.Fprintf(os.Stderr, "msbtest: %v\n", err)
			return exitUnexpected
		}
	}
	if r.Mkdir != "" {
		if err := os.MkdirAll(r.Mkdir, 0o700); err != nil {
			fmt.Fprintf(os.Stderr, "msbtest: %v\n", err)
			return exitUnexpected
		}
	}
	for r.WaitFor != "" {
		if _, err := os.Stat(r.WaitFor); err == nil {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	if r.Straggler != "" {
		straggle(r.Straggler)
	}
	if r.Shell != "" {
		_ = syscall.Exec("/bin/sh", append([]string{"sh", "-c", r.Shell, program}, args...), os.Environ())
		return exitUnexpected
	}
	_, _ = os.Stdout.Write(r.Stdout)
	_, _ = os.Stderr.Write(r.Stderr)
	if r.Hang {
		for {
			time.Sleep(time.Hour)
		}
	}
	if r.Exit > 128 && r.Exit < 160 && !r.Literal {
		// In Go a process cannot end by an abort without a dump of its stacks.
		_ = syscall.Exec("/bin/sh", []string{"sh", "-c", "kill -" + strconv.Itoa(r.Exit-128) + " $$"}, nil)
	}
	return r.Exit
}

// straggle leaves a process with the same standard streams and process group.
func straggle(file string) {
	cmd := exec.CommandContext(context.Background(), "/bin/sh", "-c", `exec 3>"$0"; : >"$0.started"; exec sleep 20`, file)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	_ = cmd.Start()
}

// match finds the first rule for a call, and takes it if it is for one only.
func match(dir string, args []string) (*rule, error) {
	rules, err := readRules(dir)
	if err != nil {
		return nil, err
	}
	for _, r := range rules {
		if !r.Once {
			if hasPrefix(args, r.Args) {
				return &r, nil
			}
			continue
		}
		if !slices.Equal(args, r.Args) {
			continue
		}
		file, err := os.OpenFile(filepath.Join(dir, usedDir, r.file), os.O_CREATE|os.O_EXCL, 0o600)
		if err == nil {
			_ = file.Close()
			return &r, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	}
	return nil, nil
}

func readRules(dir string) ([]rule, error) {
	entries, err := os.ReadDir(filepath.Join(dir, rulesDir))
	if err != nil {
		return nil, err
	}
	var rules []rule
	for _, entry := range entries {
		if strings.HasSuffix(entry.Name(), unfinished) {
			continue
		}
		var r rule
		if err := readFile(filepath.Join(dir, rulesDir, entry.Name()), &r); err != nil {
			return nil, err
		}
		r.file = entry.Name()
		rules = append(rules, r)
	}
	return rules, nil
}

// record writes a call down under the next free number.
func record(dir string, call Call) (int, error) {
	for number := 1; ; number++ {
		// The number is taken first and written after: two calls at once get two.
		err := os.Mkdir(filepath.Join(dir, callsDir, fmt.Sprintf("%06d", number)), 0o700)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return 0, err
		}
		return number, rewrite(dir, number, call)
	}
}

func rewrite(dir string, number int, call Call) error {
	data, err := json.Marshal(call)
	if err != nil {
		return err
	}
	return replaceFile(filepath.Join(dir, callsDir, fmt.Sprintf("%06d", number), "call"), data)
}

func readCalls(dir string) ([]Call, error) {
	files, err := filepath.Glob(filepath.Join(dir, callsDir, "*", "call"))
	if err != nil {
		return nil, err
	}
	var calls []Call
	for _, file := range files {
		var call Call
		if err := readFile(file, &call); err != nil {
			return nil, err
		}
		calls = append(calls, call)
	}
	return calls, nil
}

func readFile(path string, into any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}

// unfinished ends the name of a file that is being written.
const unfinished = ".new"

// replaceFile lets no reader see half of a file.
func replaceFile(path string, data []byte) error {
	if err := os.WriteFile(path+unfinished, data, 0o600); err != nil {
		return err
	}
	return os.Rename(path+unfinished, path)
}
