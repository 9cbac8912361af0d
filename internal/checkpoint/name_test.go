package checkpoint_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rightsize/terraform-provider-rightsize/internal/checkpoint"
)

func TestValidateName(t *testing.T) {
	t.Parallel()

	tests := map[string]struct {
		name string
		want string // part of the error; empty if the name is valid
	}{
		"one letter":       {name: "a"},
		"one digit":        {name: "0"},
		"all kinds":        {name: "orders-2-seeded-"},
		"longest":          {name: strings.Repeat("a", 41)},
		"empty":            {name: "", want: "it is empty"},
		"too long":         {name: strings.Repeat("a", 42), want: "it is 42 bytes long"},
		"leading hyphen":   {name: "-a", want: "starts with a hyphen"},
		"upper case":       {name: "aB", want: "'B' at position 2"},
		"underscore":       {name: "a_b", want: "'_' at position 2"},
		"dot":              {name: "a.json", want: "'.' at position 2"},
		"parent directory": {name: "../a", want: "'.' at position 1"},
		"slash":            {name: "a/b", want: "'/' at position 2"},
		"backslash":        {name: `a\b`, want: `'\\' at position 2`},
		"drive":            {name: "c:", want: "':' at position 2"},
		"final newline":    {name: "a\n", want: `'\n' at position 2`},
		"NUL":              {name: "a\x00", want: `'\x00' at position 2`},
		"letter of more":   {name: "ä", want: "'ä' at position 1"},
		"not UTF-8":        {name: "a\xff", want: "at position 2"},
		"huge":             {name: strings.Repeat("A", 1000), want: `AAA"…`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			err := checkpoint.ValidateName(test.name)
			if test.want == "" {
				if err != nil {
					t.Errorf("got error %v for a valid name", err)
				}
				return
			}
			if err == nil {
				t.Fatalf("%q passed", test.name)
			}
			for _, part := range []string{test.want, "use 1 to 41 lower-case letters"} {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("error %q does not say %q", err, part)
				}
			}
			if len(err.Error()) > 400 {
				t.Errorf("the error is %d bytes long", len(err.Error()))
			}
		})
	}
}

func FuzzValidateName(f *testing.F) {
	for _, name := range []string{"a", "seeded-db", "-a", "../a", "a/b", "A", "a\n", "a\x00", "ä", strings.Repeat("9", 42)} {
		f.Add(name)
	}
	contract := regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,40}$`)
	registry := checkpoint.Open(f.TempDir())
	f.Fuzz(func(t *testing.T, name string) {
		// RE2's $ is the end of the text, as in JavaScript without a flag.
		valid := contract.MatchString(name)
		if err := checkpoint.ValidateName(name); (err == nil) != valid {
			t.Fatalf("ValidateName(%q) = %v, but the contract's pattern says %t", name, err, valid)
		}
		if valid {
			if path := filepath.Join(registry.Dir(), name+".json"); filepath.Dir(path) != registry.Dir() {
				t.Fatalf("%q leaves the directory: %s", name, path)
			}
		}
	})
}
