package msb_test

import (
	"testing"
	"time"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/msb"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/msbtest"
)

func TestMain(m *testing.M) { msbtest.Main(m) }

// newClient returns a client of a fake msb.
func newClient(t *testing.T) (*msb.Client, *msbtest.Fake) {
	t.Helper()
	fake := msbtest.New(t)
	// Tests that end msb would otherwise take as long as users may have to wait.
	client := msb.New(msb.Config{Path: fake.Path(), Home: fake.Home()})
	return msb.WithPatience(client, 0, 200*time.Millisecond), fake
}

// onlyCall returns the one call that was made.
func onlyCall(t *testing.T, fake *msbtest.Fake) msbtest.Call {
	t.Helper()
	calls := fake.Calls()
	if len(calls) != 1 {
		t.Fatalf("there were %d calls, want 1: %v", len(calls), calls)
	}
	return calls[0]
}
