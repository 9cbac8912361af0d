package checkpoint

import (
	"fmt"
	"strings"
)

// maxNameLength is part of the contract with the rightsize libraries, and so is
// the alphabet in [ValidateName].
const maxNameLength = 41

const entrySuffix = ".json"

// ValidateName reports why name cannot name a checkpoint, or nil if it can.
// What passes is safe as a file name and as an image tag.
func ValidateName(name string) error {
	var problem string
	switch {
	case name == "":
		problem = "it is empty"
	case len(name) > maxNameLength:
		problem = fmt.Sprintf("it is %d bytes long", len(name))
	case name[0] == '-':
		problem = "it starts with a hyphen"
	default:
		for i, r := range name {
			if !isNameRune(r) {
				problem = fmt.Sprintf("it has %q at position %d", r, i+1)
				break
			}
		}
	}
	if problem == "" {
		return nil
	}
	return fmt.Errorf("%s is not a checkpoint name: %s; use 1 to %d lower-case letters a-z, digits and hyphens, "+
		"starting with a letter or digit", quoteName(name), problem, maxNameLength)
}

func isNameRune(r rune) bool {
	return 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '-'
}

// quoteName keeps a message readable whatever was passed for a name.
func quoteName(name string) string {
	const shown = 60
	if len(name) > shown {
		return fmt.Sprintf("%q…", name[:shown])
	}
	return fmt.Sprintf("%q", name)
}

// fileName is the file of a checkpoint's entry. It is the only way from a name
// to a path, and refuses a name that could leave the directory.
func fileName(name string) (string, error) {
	if err := ValidateName(name); err != nil {
		return "", err
	}
	return name + entrySuffix, nil
}

// entryName is the inverse of fileName; ok is false for a file that is no entry.
func entryName(file string) (name string, ok bool) {
	name, ok = strings.CutSuffix(file, entrySuffix)
	return name, ok && ValidateName(name) == nil
}
