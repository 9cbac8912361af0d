package msb

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"strconv"
)

// Version is a version of msb.
type Version struct {
	Major, Minor, Patch int
}

// versionPattern finds the three numbers in "msb 0.6.18" and in "0.6.18"; what
// may follow them, as in 0.7.0-rc.1, is not compared.
var versionPattern = regexp.MustCompile(`^(?:msb )?v?(\d{1,6})\.(\d{1,6})\.(\d{1,6})(?:[-+\s]|$)`)

// ParseVersion reads a version with or without the name of the program.
func ParseVersion(s string) (Version, error) {
	m := versionPattern.FindStringSubmatch(s)
	if m == nil {
		return Version{}, fmt.Errorf("%q is not a version of msb: want three numbers as in 0.6.18", excerpt(s))
	}
	var v Version
	for i, n := range []*int{&v.Major, &v.Minor, &v.Patch} {
		*n, _ = strconv.Atoi(m[i+1]) // The pattern lets nothing else pass.
	}
	return v, nil
}

// String returns the version as in 0.6.18.
func (v Version) String() string {
	return fmt.Sprintf("%d.%d.%d", v.Major, v.Minor, v.Patch)
}

// Compare is negative if v is older than other, zero if they are the same.
func (v Version) Compare(other Version) int {
	return cmp.Or(cmp.Compare(v.Major, other.Major), cmp.Compare(v.Minor, other.Minor), cmp.Compare(v.Patch, other.Patch))
}

// Version asks msb for its version. It touches no state.
func (c *Client) Version(ctx context.Context) (Version, error) {
	out, err := c.output(ctx, plain("--version"))
	if err != nil {
		return Version{}, err
	}
	return ParseVersion(string(out))
}
