package msb_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/msb"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/msbtest"
)

// FuzzAnswer reads whatever msb may answer, with guests' output in it, and
// makes sure that an error about it can be shown.
func FuzzAnswer(f *testing.F) {
	for _, name := range []string{
		"exec/not-found", "image/inspect-env", "logs/json", "logs/json-boot-error", "misc/doctor-no-virt", "misc/no-ca-bundle-panic",
		"misc/usage-error-unknown-flag", "sandbox/inspect-running", "sandbox/modify-json-not-applied", "sandbox/ps-many",
		"sandbox/run-detached-boot-failed", "snapshot/create-ok",
	} {
		sample := msbtest.Load(name)
		f.Add([]byte(sample.Stdout))
		f.Add([]byte(sample.Stderr))
	}
	f.Fuzz(func(t *testing.T, answer []byte) {
		message := msb.Read(answer)
		if !utf8.ValidString(message) || strings.ContainsFunc(message, unicode.IsControl) {
			t.Errorf("the message is no line of text: %q", message)
		}
	})
}
