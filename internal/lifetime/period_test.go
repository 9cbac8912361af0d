package lifetime_test

import (
	"testing"
	"time"

	"github.com/rightsize/terraform-provider-rightsize/internal/lifetime"
)

func TestPeriodEnd(t *testing.T) {
	t.Parallel()
	from := time.Date(2026, 7, 11, 14, 0, 0, 999_000_000, time.FixedZone("", 2*60*60))
	for name, test := range map[string]struct {
		period lifetime.Period
		from   time.Time
		want   string
		fails  bool
	}{
		"for ever":        {from: from, want: "0001-01-01T00:00:00Z"},
		"days":            {period: "72h", from: from, want: "2026-07-14T12:00:00Z"},
		"whole seconds":   {period: "1.9s", from: from, want: "2026-07-11T12:00:01Z"},
		"nothing":         {period: "0s", from: from, fails: true},
		"backwards":       {period: "-1h", from: from, fails: true},
		"no duration":     {period: "3 days", from: from, fails: true},
		"began some time": {period: "1h", fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := test.period.End(test.from)
			if (err != nil) != test.fails {
				t.Fatal(err)
			}
			if err == nil && got.Format(time.RFC3339Nano) != test.want {
				t.Errorf("it ends at %s, want %s", got.Format(time.RFC3339Nano), test.want)
			}
		})
	}
}

func TestRecordExpires(t *testing.T) {
	t.Parallel()
	record := wanted()
	for name, test := range map[string]struct {
		now  time.Time
		want bool
	}{
		"before": {record.ExpiresAt.Add(-time.Nanosecond), false},
		"at":     {record.ExpiresAt, true},
		"after":  {record.ExpiresAt.Add(time.Hour), true},
	} {
		if got := record.Expired(test.now); got != test.want {
			t.Errorf("%s: expired is %t", name, got)
		}
	}
}
