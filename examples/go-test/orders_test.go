package orders_test

import (
	"errors"
	"testing"

	orders "github.com/rightsize/terraform-provider-rightsize/examples/go-test"
)

// The two tests that write have a copy each, so neither sees what the other does and both run in parallel.

func TestCancel(t *testing.T) {
	t.Parallel()
	db := connect(t, "cancel")
	if err := orders.Cancel(t.Context(), db, 42); err != nil {
		t.Fatalf("cancelling order 42: %v; %s", err, ifNotSeeded)
	}
	if err := orders.Cancel(t.Context(), db, 42); !errors.Is(err, orders.ErrNotOpen) {
		t.Errorf("cancelling it again: expected %q, got %v", orders.ErrNotOpen, err)
	}
	if got := count(t, db, "SELECT count(*) FROM orders WHERE NOT cancelled"); got != 999 {
		t.Errorf("expected 999 open orders, got %d; %s", got, ifNotSeeded)
	}
}

func TestForget(t *testing.T) {
	t.Parallel()
	db := connect(t, "forget")
	deleted, err := orders.Forget(t.Context(), db, "customer 7")
	if err != nil {
		t.Fatal(err)
	}
	if deleted != 10 {
		t.Errorf("expected 10 deleted orders, got %d; %s", deleted, ifNotSeeded)
	}
	if got := count(t, db, "SELECT count(*) FROM orders"); got != 990 {
		t.Errorf("expected 990 orders, got %d", got)
	}
}

// Tests that only read can share one.
func TestReports(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		query string
		want  int
	}{
		"orders":    {"SELECT count(*) FROM orders", 1000},
		"customers": {"SELECT count(DISTINCT customer) FROM orders", 100},
		"cancelled": {"SELECT count(*) FROM orders WHERE cancelled", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := count(t, connect(t, "read"), test.query); got != test.want {
				t.Errorf("expected %d, got %d", test.want, got)
			}
		})
	}
}
