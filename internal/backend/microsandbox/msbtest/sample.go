package msbtest

import (
	"embed"
	"fmt"
	"path"
	"strconv"
	"strings"
)

//go:embed testdata
var samples embed.FS

// Sample is what one call of the real msb answered.
type Sample struct {
	// CommandLine is the call, quoted for a shell.
	CommandLine    string
	Stdout, Stderr string
	Exit           int
}

// Load returns a captured sample, as in "sandbox/start-running". It panics if
// there is none: that is a mistake in the test.
func Load(name string) Sample {
	exit, err := strconv.Atoi(strings.TrimSpace(File(name + ".exit")))
	if err != nil {
		panic(fmt.Sprintf("msbtest: sample %s: %v", name, err))
	}
	return Sample{
		CommandLine: strings.TrimSpace(File(name + ".argv")),
		Stdout:      File(name + ".stdout"),
		Stderr:      File(name + ".stderr"),
		Exit:        exit,
	}
}

// File returns a file of the samples, as in "files/snapshot.json".
func File(name string) string {
	data, err := samples.ReadFile(path.Join("testdata", name))
	if err != nil {
		panic(fmt.Sprintf("msbtest: %v", err))
	}
	return string(data)
}
