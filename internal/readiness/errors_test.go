package readiness_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/readiness"
)

func TestErrorText(t *testing.T) {
	t.Parallel()

	tests := map[string]struct {
		err  error
		want string
	}{
		"exited": {
			err:  &readiness.ExitedError{Exit: readiness.Exit{Code: 1}, Log: []string{"not part of it"}},
			want: "process exited with code 1",
		},
		"exited while waiting": {
			err:  &readiness.ExitedError{Exit: readiness.Exit{Code: 1}, Pending: []string{"port 80: connection refused", "health check"}},
			want: "process exited with code 1 while waiting for port 80: connection refused; health check",
		},
		"out of memory": {
			err:  &readiness.ExitedError{Exit: readiness.Exit{Code: 137, OOMKilled: true}, Pending: []string{"port 80"}},
			want: "process exited with code 137 (out of memory) while waiting for port 80",
		},
		"timeout": {
			err:  &readiness.TimeoutError{Timeout: 2*time.Minute + time.Nanosecond, Pending: []string{"port 80", "health check"}, Log: []string{"not part of it"}},
			want: "not ready after 2m0s, still waiting for port 80; health check",
		},
	}

	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, test.err.Error()); diff != "" {
				t.Errorf("unexpected text (-want +got):\n%s", diff)
			}
		})
	}
}
