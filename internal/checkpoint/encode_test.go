package checkpoint_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/checkpoint"
)

// contractEntry is the example in the contract with the rightsize libraries.
const contractEntry = `{"name":"seeded-db","ref":"rightsize/checkpoint:seeded-db","backend":"docker",` +
	`"createdIso":"2026-07-11T12:00:00.000Z",` +
	`"spec":{"env":{"A":"1"},"command":null,"exposedPorts":[5432],"memoryLimitMb":null}}`

// contract returns the entry that contractEntry encodes.
func contract() checkpoint.Entry {
	return checkpoint.Entry{
		Name:      "seeded-db",
		Ref:       "rightsize/checkpoint:seeded-db",
		Backend:   "docker",
		CreatedAt: time.Date(2026, 7, 11, 12, 0, 0, 0, time.UTC),
		Spec: checkpoint.Spec{
			Env:          map[string]string{"A": "1"},
			ExposedPorts: []int{5432},
		},
	}
}

func TestEncode(t *testing.T) {
	t.Parallel()

	tests := map[string]struct {
		change func(*checkpoint.Entry)
		// old is the part of contractEntry that want replaces.
		old, want string
	}{
		"the contract's example": {
			change: func(*checkpoint.Entry) {},
		},
		"all fields": {
			change: func(e *checkpoint.Entry) {
				e.Spec.Command = []string{"postgres", "-c", "fsync=off"}
				e.Spec.ExposedPorts = []int{5432, 80}
				e.Spec.MemoryLimitMB = new(int64(512))
			},
			old:  `"command":null,"exposedPorts":[5432],"memoryLimitMb":null`,
			want: `"command":["postgres","-c","fsync=off"],"exposedPorts":[5432,80],"memoryLimitMb":512`,
		},
		"nothing in spec": {
			change: func(e *checkpoint.Entry) { e.Spec = checkpoint.Spec{} },
			old:    `{"env":{"A":"1"},"command":null,"exposedPorts":[5432],"memoryLimitMb":null}`,
			want:   `{"env":{},"command":null,"exposedPorts":[],"memoryLimitMb":null}`,
		},
		"an empty command is not the image's own": {
			change: func(e *checkpoint.Entry) { e.Spec.Command = []string{} },
			old:    `"command":null`,
			want:   `"command":[]`,
		},
		"names of env in order": {
			change: func(e *checkpoint.Entry) {
				e.Spec.Env = map[string]string{"b": "", "a_1": "", "Z": "", "a": "", "é": ""}
			},
			old:  `{"A":"1"}`,
			want: `{"Z":"","a":"","a_1":"","b":"","é":""}`,
		},
		"only what JSON must escape is escaped": {
			change: func(e *checkpoint.Entry) {
				e.Spec.Env = map[string]string{"A\"": "\\ \" / ' <b>&amp; \n\r\t \u007f \u2028\u2029 \ufeff ü 日本 \U0001f600"}
			},
			old:  `{"A":"1"}`,
			want: `{"A\"":"\\ \" / ' <b>&amp; \n\r\t ` + "\u007f \u2028\u2029 \ufeff ü 日本 \U0001f600" + `"}`,
		},
		"another time zone": {
			change: func(e *checkpoint.Entry) {
				e.CreatedAt = e.CreatedAt.In(time.FixedZone("", -90*60))
			},
		},
		"a fraction of a millisecond is dropped": {
			change: func(e *checkpoint.Entry) {
				e.CreatedAt = e.CreatedAt.Add(7*time.Millisecond + 999*time.Microsecond)
			},
			old:  "12:00:00.000Z",
			want: "12:00:00.007Z",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			entry := contract()
			test.change(&entry)
			got, err := checkpoint.Encode(entry)
			if err != nil {
				t.Fatal(err)
			}
			want := strings.Replace(contractEntry, test.old, test.want, 1)
			if diff := cmp.Diff(want, string(got)); diff != "" {
				t.Errorf("encoded (-want +got):\n%s", diff)
			}
		})
	}
}

func TestEncodeRefuses(t *testing.T) {
	t.Parallel()

	const secret = "hunter2"
	tests := map[string]struct {
		change func(*checkpoint.Entry)
		want   string
	}{
		"an invalid name": {
			change: func(e *checkpoint.Entry) { e.Name = "../a" },
			want:   `name: "../a" is not a checkpoint name`,
		},
		"no ref": {
			change: func(e *checkpoint.Entry) { e.Ref = "" },
			want:   "ref is empty",
		},
		"no backend": {
			change: func(e *checkpoint.Entry) { e.Backend = "" },
			want:   "backend is empty",
		},
		"no time": {
			change: func(e *checkpoint.Entry) { e.CreatedAt = time.Time{} },
			want:   "createdIso is not a usable time",
		},
		"a year of five digits": {
			change: func(e *checkpoint.Entry) { e.CreatedAt = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) },
			want:   "createdIso is not a usable time",
		},
		"port 0": {
			change: func(e *checkpoint.Entry) { e.Spec.ExposedPorts = []int{80, 0} },
			want:   "exposedPorts: 0 is not a port",
		},
		"port 65536": {
			change: func(e *checkpoint.Entry) { e.Spec.ExposedPorts = []int{65536} },
			want:   "exposedPorts: 65536 is not a port",
		},
		"a negative limit": {
			change: func(e *checkpoint.Entry) { e.Spec.MemoryLimitMB = new(int64(-1)) },
			want:   "memoryLimitMb: -1 is not",
		},
		"a limit that JavaScript rounds": {
			change: func(e *checkpoint.Entry) { e.Spec.MemoryLimitMB = new(int64(1 << 53)) },
			want:   "memoryLimitMb: 9007199254740992 is not",
		},
		"a control character in env": {
			change: func(e *checkpoint.Entry) { e.Spec.Env = map[string]string{"PASSWORD": secret + "\x1b"} },
			want:   `env "PASSWORD" holds the control character U+001B`,
		},
		"a control character in a name of env": {
			change: func(e *checkpoint.Entry) { e.Spec.Env = map[string]string{"A\x00": secret} },
			want:   "a key of env holds the control character U+0000",
		},
		"a backspace, which has a short escape": {
			change: func(e *checkpoint.Entry) { e.Spec.Command = []string{"a", secret + "\b"} },
			want:   "command holds the control character U+0008",
		},
		"env that is not UTF-8": {
			change: func(e *checkpoint.Entry) { e.Spec.Env = map[string]string{"PASSWORD": secret + "\xff"} },
			want:   `env "PASSWORD" is not UTF-8`,
		},
		"a surrogate in CESU-8": {
			change: func(e *checkpoint.Entry) { e.Ref = "a\xed\xa0\x80" },
			want:   "ref is not UTF-8",
		},
		"what readers would refuse for its size": {
			change: func(e *checkpoint.Entry) {
				e.Spec.Env = map[string]string{"PASSWORD": strings.Repeat(secret, checkpoint.MaxEntrySize/len(secret))}
			},
			want: "more than the 1048576 that readers accept",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			entry := contract()
			test.change(&entry)
			data, err := checkpoint.Encode(entry)
			if err == nil {
				t.Fatalf("encoded as %.200q", data)
			}
			if !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %q does not say %q", err, test.want)
			}
			if strings.Contains(err.Error(), secret) {
				t.Errorf("error %q tells a value", err)
			}
			bySpec := entry.Spec.Validate()
			if inSpec := !cmp.Equal(contract().Spec, entry.Spec); inSpec != (bySpec != nil) {
				t.Errorf("Spec.Validate = %v, want an error only if the spec is at fault", bySpec)
			}
		})
	}
}
