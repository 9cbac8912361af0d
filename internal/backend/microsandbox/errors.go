package microsandbox

import (
	"context"
	"errors"
	"strings"
	"unicode"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/msb"
)

// meanings says what a failure of msb is to the rest of the program.
var meanings = []struct {
	is     error
	kind   error
	field  backend.Field
	remedy string
}{
	{is: msb.ErrNotFound, kind: backend.ErrNotFound},
	{is: msb.ErrSnapshotNotFound, kind: backend.ErrNotFound},
	{
		is: msb.ErrOrphaned, kind: backend.ErrNameTaken, field: backend.FieldName,
		remedy: "Remove that directory, unless an msb is just creating a sandbox of that name, or choose another name.",
	},
	{is: msb.ErrExists, kind: backend.ErrNameTaken, field: backend.FieldName},
	{
		is: msb.ErrImageNotCached, kind: backend.ErrNotFound, field: backend.FieldImage,
		remedy: `Load the image with "msb load" or "msb pull", or allow it to be pulled.`,
	},
	{is: msb.ErrRegistry, kind: backend.ErrImageUnavailable, field: backend.FieldImage},
	{is: msb.ErrImageReference, kind: backend.ErrImageUnavailable, field: backend.FieldImage},
	{
		is: msb.ErrNoCertificates, kind: backend.ErrImageUnavailable, field: backend.FieldImage,
		remedy: "Install the host's CA certificates (ca-certificates), or set SSL_CERT_FILE.",
	},
	{
		is:     msb.ErrIntegrity,
		remedy: "If it lacks its base image, load that with msb. Otherwise it is damaged: capture the checkpoint again, or get it from a backup.",
	},
	{is: msb.ErrUncapturable, kind: backend.ErrUncapturable},
	{is: msb.ErrWorkdir, field: backend.FieldWorkingDir},
	{
		is: msb.ErrSchemaNewer, kind: backend.ErrUnavailable,
		remedy: "A newer msb has used this home. Use that one, or set another home in the provider's microsandbox block.",
	},
	{
		is: msb.ErrLocked, kind: backend.ErrUnavailable,
		remedy: "An msb was killed while it had its state locked. Wait until the time that msb names, and try again.",
	},
	{
		is: msb.ErrSocketPath, kind: backend.ErrUnavailable,
		remedy: "Set a home of at most 57 bytes in the provider's microsandbox block, or MSB_HOME.",
	},
	{
		is: msb.ErrBoot, kind: backend.ErrUnavailable,
		remedy: `Run "msb doctor": it says what this host lacks to boot a microVM.`,
	},
}

// fail says what was tried when err happened; nil stays nil, and an error that
// says so already stays as it is.
//
// A file that is missing says nothing of its kind: without msb, or a directory of
// ours, every container would seem to be gone.
func (b *Backend) fail(tried string, err error) error {
	if err == nil {
		return nil
	}
	if known, ok := errors.AsType[*backend.Error](err); ok && known != nil {
		return err
	}
	failure := &backend.Error{Tried: tried + " with msb in " + b.home, Cause: err}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return failure
	}
	for _, m := range meanings {
		if errors.Is(err, m.is) {
			failure.Kind, failure.Field, failure.Remedy = m.kind, m.field, m.remedy
			break
		}
	}
	return failure
}

// missing is the error for a container that is not there.
func missing(tried, id string) error {
	return &backend.Error{Kind: backend.ErrNotFound, Tried: tried, Cause: errors.New("there is no container " + id)}
}

// maxSummary bounds what an error repeats of the output of a command.
const maxSummary = 1 << 10

// summarised makes one line, for an error, of what a command printed.
func summarised(output string) string {
	line := strings.Join(strings.FieldsFunc(output, func(r rune) bool { return !unicode.IsGraphic(r) || unicode.IsSpace(r) }), " ")
	return strings.ToValidUTF8(line[:min(len(line), maxSummary)], "")
}
