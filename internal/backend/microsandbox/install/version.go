package install

import (
	"fmt"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/msb"
)

// DefaultVersion is the release that is downloaded unless another is asked for. It
// is of the older of the two lines that the provider is tested with: the one that
// the rightsize libraries drive, in the same home, which a call of 0.7 would make
// unusable for them.
const DefaultVersion = "0.6.18"

// The range of releases whose command line the provider knows.
var (
	floor   = msb.Version{Major: 0, Minor: 6, Patch: 8}
	ceiling = msb.Version{Major: 0, Minor: 8, Patch: 0}
)

// refusal is a range of releases that the provider does not run. One release
// that is known to be broken is the range from itself to the next.
type refusal struct {
	from, before msb.Version
	reason       string
}

var refusals = []refusal{
	{
		before: floor,
		reason: "it has neither run --from-snapshot nor snapshot create --dest-dir, with which checkpoints are kept and restored",
	},
	{
		// Not even an accident is harmless: one call of a newer line migrates the
		// database of a home for good.
		from: ceiling, before: msb.Version{Major: 1 << 30},
		reason: "its command line is not known, and one call of it makes a home unusable for those that are",
	},
}

// CheckVersion fails for a release that the provider cannot drive, with the
// reason.
func CheckVersion(v msb.Version) error {
	for _, r := range refusals {
		if v.Compare(r.from) >= 0 && v.Compare(r.before) < 0 {
			return fmt.Errorf("msb %s is not supported: %s; supported are releases from %s on, below %s", v, r.reason, floor, ceiling)
		}
	}
	return nil
}

// ParseVersion reads the version of a release that the provider can drive.
func ParseVersion(s string) (msb.Version, error) {
	v, err := msb.ParseVersion(s)
	if err == nil && v.String() != s {
		err = fmt.Errorf("%q is not three numbers, as in %s", s, DefaultVersion)
	}
	if err == nil {
		err = CheckVersion(v)
	}
	return v, err
}
