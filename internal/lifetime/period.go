package lifetime

import (
	"errors"
	"fmt"
	"time"
)

// Period is how long something is wanted, in its user's words, such as "72h": an
// import must find what was written and not another spelling of it. The empty
// Period is for ever.
type Period string

// End is when the period is over that began at from: to the second, as times are
// shown. It is zero for the empty Period.
func (p Period) End(from time.Time) (time.Time, error) {
	if p == "" {
		return time.Time{}, nil
	}
	length, err := p.length()
	if err != nil {
		return time.Time{}, err
	}
	if from.IsZero() {
		return time.Time{}, errors.New("when the period began is not known")
	}
	return from.UTC().Truncate(time.Second).Add(length).Truncate(time.Second), nil
}

func (p Period) length() (time.Duration, error) {
	length, err := time.ParseDuration(string(p))
	if err == nil && length <= 0 {
		err = fmt.Errorf("%q is not longer than nothing", string(p))
	}
	return length, err
}
