package msb

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Config says which msb is run, and on which state.
type Config struct {
	// Path is the msb program, absolute or to be found on the PATH.
	Path string
	// Home is the directory that holds all of msb's state, MSB_HOME. It must be
	// absolute: msb takes a relative one from its working directory. If it is
	// empty msb finds it by itself, and nothing is ever cleared below it.
	Home string
}

// Client runs msb. Its methods are safe for concurrent use; calls that change
// one sandbox must be serialised by the caller.
type Client struct {
	config   Config
	patience patience
	dialect  dialect
}

// New returns a client of msb 0.6 without running anything; [Client.Speak] makes
// one of another line of it.
func New(config Config) *Client {
	return &Client{config: config, patience: defaultPatience, dialect: dialect06{}}
}

// maxName is msb's limit for the name of a sandbox.
const maxName = 128

var (
	namePattern   = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)
	digestPattern = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)
)

// checkName refuses what msb does not take as a name. It is done before msb is
// run so that a name can neither be read as a flag nor leave the directory it
// stands for.
func checkName(name string) error {
	if len(name) > maxName || !namePattern.MatchString(name) {
		return fmt.Errorf("%q: %w", name, errNotAName)
	}
	return nil
}

// errNotAName says what a name must look like.
var errNotAName = fmt.Errorf("a name starts with a letter or digit and holds only those, dots, hyphens and underscores, at most %d", maxName)

// checkText refuses what cannot be an argument: a NUL, or what is not text to
// msb, which panics on it.
func checkText(what, s string) error {
	if strings.ContainsRune(s, 0) || !utf8.ValidString(s) {
		return fmt.Errorf("%s holds bytes that are not UTF-8 text", what)
	}
	return nil
}
