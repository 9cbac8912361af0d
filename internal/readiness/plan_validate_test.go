package readiness_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/readiness"
)

func TestPlanValidate(t *testing.T) {
	t.Parallel()

	tests := map[string]struct {
		strategy readiness.Strategy
		want     string // "" is valid
	}{
		"log":                {strategy: ready},
		"log no pattern":     {strategy: readiness.Log{}, want: "wait for log line: the pattern is missing"},
		"log negative times": {strategy: readiness.Log{Pattern: ready.Pattern, Times: -1}, want: `wait for log line matching "ready": the number of times must not be negative, and is -1`},
		"port":               {strategy: readiness.Port{Port: "5432"}},
		"port with protocol": {strategy: readiness.Port{Port: "5432/tcp"}},
		"port udp":           {strategy: readiness.Port{Port: "53/udp"}, want: `wait for port 53/udp: "53/udp" cannot be waited for: only the service's own protocol could tell whether a UDP port answers`},
		"port zero":          {strategy: readiness.Port{Port: "0"}, want: `wait for port 0: "0" is not a TCP port: want a number from 1 to 65535, optionally followed by /tcp`},
		"port too high":      {strategy: readiness.Port{Port: "65536"}, want: `wait for port 65536: "65536" is not a TCP port: want a number from 1 to 65535, optionally followed by /tcp`},
		"port protocol":      {strategy: readiness.Port{Port: "80/"}, want: `wait for port 80/: "80/" is not a TCP port: want a number from 1 to 65535, optionally followed by /tcp`},
		"ports":              {strategy: readiness.Ports{"80", "53/udp"}},
		"ports bad":          {strategy: readiness.Ports{"80", "x"}, want: `wait for ports 80, x: "x" is not a TCP port: want a number from 1 to 65535, optionally followed by /tcp`},
		"http":               {strategy: readiness.HTTP{Port: "80", Path: "/health?deep=1", Status: 204}},
		"http relative path": {strategy: readiness.HTTP{Port: "80", Path: "health"}, want: `wait for HTTP status 200 from port 80 at health: the path must begin with a slash, as in "/health"`},
		"http broken path":   {strategy: readiness.HTTP{Port: "80", Path: "/%zz"}, want: `wait for HTTP status 200 from port 80 at /%zz: the path is not valid in a URL: invalid URL escape "%zz"`},
		"http status":        {strategy: readiness.HTTP{Port: "80", Path: "/", Status: 99}, want: "wait for HTTP status 99 from port 80 at /: the status must be from 200 to 599, and is 99"},
		"http port":          {strategy: readiness.HTTP{Port: "80/udp", Path: "/"}, want: `wait for HTTP status 200 from port 80/udp at /: "80/udp" cannot be waited for: only the service's own protocol could tell whether a UDP port answers`},
		"command":            {strategy: check},
		"command empty":      {strategy: readiness.Command{}, want: "wait for command: the command is empty"},
		"health":             {strategy: readiness.Health{}},
		"completed":          {strategy: readiness.Completed{}},
	}

	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan := readiness.Plan{Strategies: []readiness.Strategy{test.strategy}}
			var got string
			if err := plan.Validate(); err != nil {
				got = err.Error()
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("unexpected error (-want +got):\n%s", diff)
			}
			if test.want == "" {
				return
			}
			// What is not valid is not waited for either.
			if err := plan.Wait(t.Context(), &fakeTarget{}); err == nil || err.Error() != test.want {
				t.Errorf("Wait returned %v, want the error of Validate", err)
			}
		})
	}
}
