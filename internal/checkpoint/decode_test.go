package checkpoint_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/checkpoint"
)

func TestDecode(t *testing.T) {
	t.Parallel()

	tests := map[string]struct {
		// data is the whole file; if it is empty, contractEntry with old
		// replaced by new.
		data, old, new string
		change         func(*checkpoint.Entry)
	}{
		"the contract's example": {},
		"pretty, other order, unknown keys": {
			data: `
{
  "spec": {
    "capturedCmdline": ["a", {"b": null}],
    "exposedUdpPorts": [],
    "memoryLimitMb": 512 ,
    "exposedPorts": [ 5432, 80 ] ,
    "command": [ "sh", "-c" ],
    "env": { "A" : "1" }
  },
  "createdIso": "2026-07-11T12:00:00Z",
  "Name": "of another case",
  "extra": 1.5e300,
  "backend": "docker",
  "ref": "rightsize/checkpoint:seeded-db",
  "name": "seeded-db"
}
`,
			change: func(e *checkpoint.Entry) {
				e.Spec.Command = []string{"sh", "-c"}
				e.Spec.ExposedPorts = []int{5432, 80}
				e.Spec.MemoryLimitMB = new(int64(512))
			},
		},
		"empty collections": {
			old:    `{"A":"1"},"command":null,"exposedPorts":[5432]`,
			new:    `{},"command":[],"exposedPorts":[]`,
			change: func(e *checkpoint.Entry) { e.Spec = emptySpec() },
		},
		"escapes": {
			old: `"A":"1"`,
			new: `"\u0041":"\"\\\/\b\f\n\r\t\u2028\ud83d\ude00\\ud800"`,
			change: func(e *checkpoint.Entry) {
				e.Spec.Env["A"] = "\"\\/\b\f\n\r\t\u2028\U0001f600\\ud800"
			},
		},
		"another backend": {
			old:    `"docker"`,
			new:    `"firecracker"`,
			change: func(e *checkpoint.Entry) { e.Backend = "firecracker" },
		},
		"nanoseconds": {
			old:    "12:00:00.000Z",
			new:    "12:00:00.123456789Z",
			change: func(e *checkpoint.Entry) { e.CreatedAt = e.CreatedAt.Add(123456789) },
		},
		"an offset": {
			old: "12:00:00.000Z",
			new: "14:30:00.000+02:30",
		},
		"lower case": {
			old: "T12:00:00.000Z",
			new: "t12:00:00.000z",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			data := test.data
			if data == "" {
				data = strings.Replace(contractEntry, test.old, test.new, 1)
			}
			want := contract()
			if test.change != nil {
				test.change(&want)
			}
			got, err := checkpoint.Decode([]byte(data))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("decoded (-want +got):\n%s", diff)
			}
		})
	}
}

func emptySpec() checkpoint.Spec {
	return checkpoint.Spec{Env: map[string]string{}, Command: []string{}, ExposedPorts: []int{}}
}

// corruptEntries are files that are no entry. Each is the whole data or
// contractEntry with old replaced by new.
var corruptEntries = map[string]struct {
	data, old, new string
	want           string
}{
	"empty":               {data: " ", want: "not one complete JSON value"},
	"zeros after a crash": {data: strings.Repeat("\x00", 64), want: "not one complete JSON value"},
	"truncated":           {data: contractEntry[:len(contractEntry)-1], want: "not one complete JSON value"},
	"trailing garbage":    {data: contractEntry + "}", want: "not one complete JSON value"},
	"two entries":         {data: contractEntry + "\n" + contractEntry, want: "not one complete JSON value"},
	"a comment":           {data: "// entry\n" + contractEntry, want: "not one complete JSON value"},
	"byte order mark":     {data: "\ufeff" + contractEntry, want: "byte order mark"},
	"UTF-16":              {data: "\xff\xfe{\x00}\x00", want: "not UTF-8"},
	"Latin-1":             {old: `"1"`, new: "\"\xe9\"", want: "not UTF-8"},
	"null":                {data: "null", want: "it is not an object"},
	"array":               {data: "[" + contractEntry + "]", want: "it is not an object"},
	"too deep":            {data: strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000), want: "not one complete JSON value"},
	"too long":            {data: contractEntry + strings.Repeat(" ", checkpoint.MaxEntrySize), want: "longer than 1048576 bytes"},

	"raw control character": {old: `"1"`, new: "\"\x07\"", want: "not one complete JSON value"},
	"half a pair":           {old: `"1"`, new: `"\uD83D"`, want: "half of a surrogate pair"},
	"the other half":        {old: `"1"`, new: `"\ude00\ud83d"`, want: "half of a surrogate pair"},
	"half a pair in a name": {old: `"A"`, new: `"\ud83d\u0041"`, want: "half of a surrogate pair"},

	"no name":             {old: `"name":"seeded-db",`, want: "name is missing"},
	"no ref":              {old: `"ref":"rightsize/checkpoint:seeded-db",`, want: "ref is missing"},
	"no backend":          {old: `"backend":"docker",`, want: "backend is missing"},
	"no createdIso":       {old: `"createdIso":"2026-07-11T12:00:00.000Z",`, want: "createdIso is missing"},
	"no spec":             {old: `"spec":`, new: `"specs":`, want: "spec is missing"},
	"no env":              {old: `"env":{"A":"1"},`, want: "spec env is missing"},
	"no command":          {old: `"command":null,`, want: "spec command is missing"},
	"no exposedPorts":     {old: `"exposedPorts":[5432],`, want: "spec exposedPorts is missing"},
	"no memoryLimitMb":    {old: `,"memoryLimitMb":null`, want: "spec memoryLimitMb is missing"},
	"key of another case": {old: `"ref"`, new: `"Ref"`, want: "ref is missing"},

	"name twice":       {old: `{"name"`, new: `{"name":"seeded-db","name"`, want: `it has the key "name" twice`},
	"extra twice":      {old: `{"name"`, new: `{"x":1,"x":1,"name"`, want: `it has the key "x" twice`},
	"env name twice":   {old: `"A":"1"`, new: `"A":"1","\u0041":"2"`, want: `spec env has the key "A" twice`},
	"spec field twice": {old: `"command":null`, new: `"command":null,"command":null`, want: `spec has the key "command" twice`},

	"name null":              {old: `"name":"seeded-db"`, new: `"name":null`, want: "name is not a string"},
	"name invalid":           {old: `"name":"seeded-db"`, new: `"name":"../x"`, want: `name: "../x" is not a checkpoint name`},
	"ref number":             {old: `"rightsize/checkpoint:seeded-db"`, new: "1", want: "ref is not a string"},
	"ref empty":              {old: `"rightsize/checkpoint:seeded-db"`, new: `""`, want: "ref is empty"},
	"backend array":          {old: `"docker"`, new: `["docker"]`, want: "backend is not a string"},
	"backend empty":          {old: `"docker"`, new: `""`, want: "backend is empty"},
	"createdIso number":      {old: `"2026-07-11T12:00:00.000Z"`, new: "1783771200000", want: "createdIso is not a string"},
	"createdIso date":        {old: `"2026-07-11T12:00:00.000Z"`, new: `"2026-07-11"`, want: "createdIso is not an RFC 3339 time"},
	"createdIso without Z":   {old: ".000Z", new: "", want: "createdIso is not an RFC 3339 time"},
	"createdIso 31 February": {old: "2026-07-11", new: "2026-02-31", want: "createdIso is not an RFC 3339 time"},
	"createdIso after 9999":  {old: "2026-07-11T12:00:00.000Z", new: "9999-12-31T23:59:59-01:00", want: "createdIso is not a usable time"},
	"spec null":              {old: `"spec":{`, new: `"spec":null,"rest":{`, want: "spec is not an object"},
	"spec array":             {old: `"spec":{`, new: `"spec":[],"rest":{`, want: "spec is not an object"},
	"env null":               {old: `{"A":"1"}`, new: "null", want: "spec env is not an object"},
	"env array":              {old: `{"A":"1"}`, new: `["A","1"]`, want: "spec env is not an object"},
	"env number":             {old: `"1"`, new: "1", want: `spec env "A" is not a string`},
	"env null value":         {old: `"1"`, new: "null", want: `spec env "A" is not a string`},
	"command string":         {old: `"command":null`, new: `"command":"sh"`, want: "spec command is not an array"},
	"command of numbers":     {old: `"command":null`, new: `"command":["a",1]`, want: "spec command has an element that is not a string"},
	"command of null":        {old: `"command":null`, new: `"command":[null]`, want: "spec command has an element that is not a string"},
	"ports null":             {old: "[5432]", new: "null", want: "spec exposedPorts is not an array"},
	"port string":            {old: "[5432]", new: `["5432"]`, want: "spec exposedPorts has an element that is not an integer"},
	"port fraction":          {old: "[5432]", new: "[5432.0]", want: "spec exposedPorts has an element that is not an integer"},
	"port exponent":          {old: "[5432]", new: "[5e3]", want: "spec exposedPorts has an element that is not an integer"},
	"port null":              {old: "[5432]", new: "[null]", want: "spec exposedPorts has an element that is not an integer"},
	"port zero":              {old: "[5432]", new: "[0]", want: "exposedPorts: 0 is not a port"},
	"port too great":         {old: "[5432]", new: "[4294972728]", want: "exposedPorts"},
	"limit fraction":         {old: `"memoryLimitMb":null`, new: `"memoryLimitMb":512.5`, want: "spec memoryLimitMb is not an integer"},
	"limit string":           {old: `"memoryLimitMb":null`, new: `"memoryLimitMb":"512"`, want: "spec memoryLimitMb is not an integer"},
	"limit negative":         {old: `"memoryLimitMb":null`, new: `"memoryLimitMb":-1`, want: "memoryLimitMb: -1 is not"},
	"limit too great":        {old: `"memoryLimitMb":null`, new: `"memoryLimitMb":9223372036854775808`, want: "spec memoryLimitMb is not an integer"},
}

func TestDecodeCorrupt(t *testing.T) {
	t.Parallel()

	for name, test := range corruptEntries {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			data := test.data
			if data == "" {
				data = strings.Replace(contractEntry, test.old, test.new, 1)
				if data == contractEntry {
					t.Fatalf("%q is not in the contract's example", test.old)
				}
			}
			got, err := checkpoint.Decode([]byte(data))
			corrupt, ok := errors.AsType[*checkpoint.CorruptError](err)
			if !ok {
				t.Fatalf("got entry %v and error %v, want a CorruptError", got, err)
			}
			if !strings.Contains(corrupt.Reason, test.want) {
				t.Errorf("reason %q does not say %q", corrupt.Reason, test.want)
			}
			if diff := cmp.Diff(checkpoint.Entry{}, got); diff != "" {
				t.Errorf("an entry came with the error (-want +got):\n%s", diff)
			}
		})
	}

	t.Run("no bytes", func(t *testing.T) {
		t.Parallel()

		_, err := checkpoint.Decode(nil)
		if err == nil || err.Error() != "checkpoint entry is corrupt: it is empty" {
			t.Errorf("got error %v", err)
		}
	})
}

// FuzzDecode checks that whatever is read can be written, and comes back the
// same, unless it holds a control character, which the contract keeps from
// being written.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(contractEntry))
	for _, test := range corruptEntries {
		if test.old != "" {
			f.Add([]byte(strings.Replace(contractEntry, test.old, test.new, 1)))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		first, err := checkpoint.Decode(data)
		if err != nil {
			if _, ok := errors.AsType[*checkpoint.CorruptError](err); !ok {
				t.Fatalf("error %v is no CorruptError", err)
			}
			return
		}
		encoded, err := checkpoint.Encode(first)
		if err != nil {
			if strings.Contains(err.Error(), "control character") {
				return
			}
			t.Fatalf("decoded %v, but cannot encode it: %v", first, err)
		}
		second, err := checkpoint.Decode(encoded)
		if err != nil {
			t.Fatalf("encoded %s, but cannot decode it: %v", encoded, err)
		}
		first.CreatedAt = first.CreatedAt.Truncate(time.Millisecond)
		if diff := cmp.Diff(first, second); diff != "" {
			t.Fatalf("came back changed (-first +second):\n%s", diff)
		}
		again, err := checkpoint.Encode(second)
		if err != nil || !bytes.Equal(encoded, again) {
			t.Fatalf("encoded first as %s, then as %s, %v", encoded, again, err)
		}
	})
}
