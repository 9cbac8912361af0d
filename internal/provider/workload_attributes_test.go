package provider_test

import (
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/fake"
)

// workloadAttributeCases are the attributes that a container and a seed have in
// common, as long as each change makes a new container.
func workloadAttributeCases(t *testing.T) map[string]attributeCase {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"one", "two"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cases := map[string]attributeCase{
		"image": {
			value: "app:1", other: "app:2",
			configure: func(config object, value any) {
				config["image"] = value
				if value == nil {
					config["from_checkpoint"] = "first"
				}
			},
			observe: func(o observed) any { return o.created().Image },
			shows:   [3]any{"app:1", "app:2", ""},
		},
		"from_checkpoint": {
			value: "first", other: "second",
			configure: func(config object, value any) {
				config["from_checkpoint"] = value
				if value != nil {
					delete(config, "image")
				}
			},
			observe: func(o observed) any {
				if from := o.created().From; from != nil {
					return from.Ref
				}
				return ""
			},
			shows: [3]any{"rightsize/checkpoint:first", "rightsize/checkpoint:second", ""},
		},
		"env": {
			value: object{"A": "1"}, other: object{"A": "2", "B": "3"},
			observe: func(o observed) any { return o.created().Env },
			shows:   [3]any{map[string]string{"A": "1"}, map[string]string{"A": "2", "B": "3"}, map[string]string(nil)},
		},
		"command": {
			value: list{"serve", "/a"}, other: list{"idle"},
			observe: func(o observed) any { return o.created().Command },
			shows:   [3]any{[]string{"serve", "/a"}, []string{"idle"}, []string(nil)},
		},
		"entrypoint": {
			value: list{"serve"}, other: list{"idle", "x"},
			observe: func(o observed) any { return o.created().Entrypoint },
			shows:   [3]any{[]string{"serve"}, []string{"idle", "x"}, []string(nil)},
		},
		"working_dir": {
			value: "/a", other: "/b",
			observe: func(o observed) any { return o.created().WorkingDir },
			shows:   [3]any{"/a", "/b", ""},
		},
		"user": {
			value: "nobody", other: "0:0",
			observe: func(o observed) any { return o.created().User },
			shows:   [3]any{"nobody", "0:0", ""},
		},
		"exposed_ports": {
			value: list{"80"}, other: list{"80", "53/udp"},
			observe: func(o observed) any {
				keys := list{}
				for _, binding := range o.created().Ports {
					keys = append(keys, binding.String())
				}
				return keys
			},
			shows: [3]any{list{"80"}, list{"53/udp", "80"}, list{}},
		},
		// TestPresetChanges has the changes that keep the container.
		"preset": {
			value: "redis", other: "rabbitmq",
			configure: func(config object, value any) {
				config["image"] = "servers:1"
				config["preset"] = value
			},
			observe: func(o observed) any {
				keys := list{}
				for _, binding := range o.created().Ports {
					keys = append(keys, binding.String())
				}
				return keys
			},
			shows: [3]any{list{"6379"}, list{"5672"}, list{}},
		},
		"memory_limit_mb": {
			value: 64, other: 128,
			observe: func(o observed) any { return o.created().Limits.MemoryMB },
			shows:   [3]any{int64(64), int64(128), int64(0)},
		},
		"cpus": {
			value: 1.5, other: 0.5,
			observe: func(o observed) any { return o.created().Limits.CPUs },
			shows:   [3]any{1.5, 0.5, 0.0},
		},
		"disk_limit_mb": {
			value: 128, other: 256,
			observe: func(o observed) any { return o.created().DiskMB },
			shows:   [3]any{int64(128), int64(256), int64(0)},
		},
		"network_disabled": {
			value: true, other: false,
			observe: func(o observed) any { return o.created().NetworkDisabled },
			shows:   [3]any{true, false, false},
		},
		"networks": {
			value:   list{object{"name": "one", "aliases": list{"db", "orders"}}},
			other:   list{object{"name": "two"}, object{"name": "one", "aliases": list{"db"}}},
			observe: func(o observed) any { return o.created().Networks },
			shows: [3]any{
				[]backend.Attachment{{Network: "one", Aliases: []string{"db", "orders"}}},
				[]backend.Attachment{{Network: "one", Aliases: []string{"db"}}, {Network: "two"}},
				[]backend.Attachment(nil),
			},
		},
		"networks.name":    withParent,
		"networks.aliases": withParent,
		"require_isolation": {
			value: true, other: false,
			// The engines of these tests do isolate; TestRequireIsolation has
			// one that does not.
			observe: func(o observed) any { return o.Count(fake.Engine) > 0 },
			shows:   [3]any{true, true, true},
		},
		"pull_policy": {
			value: "always", other: "never",
			observe: func(o observed) any { return o.created().PullPolicy },
			shows:   [3]any{backend.PullAlways, backend.PullNever, backend.PullMissing},
		},
	}
	maps.Copy(cases, fileAttributeCases(dir))
	maps.Copy(cases, execAttributeCases())
	maps.Copy(cases, waitForAttributeCases())
	for name, tc := range cases {
		if tc.attribute == "" && tc.observe != nil {
			tc.attribute = name
			cases[name] = tc
		}
	}
	return cases
}

func fileAttributeCases(dir string) map[string]attributeCase {
	file := func(attributes object) list {
		all := object{"path": "/f"}
		maps.Copy(all, attributes)
		return list{all}
	}
	one, two := filepath.Join(dir, "one"), filepath.Join(dir, "two")
	content := func(o observed) any { return string(o.file().Content) }
	cases := map[string]attributeCase{
		"files": {
			value: file(object{"content": "one"}), other: append(file(object{"content": "one"}), file(object{"path": "/g", "content": "two"})...),
			observe: func(o observed) any { return len(o.created().Files) },
			shows:   [3]any{1, 2, 0},
		},
		"files.path": {
			value: file(object{"content": "x"}), other: file(object{"path": "/g", "content": "x"}),
			observe: func(o observed) any { return o.file().Path },
			shows:   [3]any{"/f", "/g", ""},
		},
		"files.source": {
			value: file(object{"source": one}), other: file(object{"source": two}),
			observe: func(o observed) any { return o.file().Source },
			shows:   [3]any{one, two, ""},
		},
		"files.content": {
			value: file(object{"content": "one"}), other: file(object{"content": "two"}),
			observe: content, shows: [3]any{"one", "two", ""},
		},
		"files.content_base64": {
			value: file(object{"content_base64": "b25l"}), other: file(object{"content_base64": "dHdv"}),
			observe: content, shows: [3]any{"one", "two", ""},
		},
		"files.mode": {
			value: file(object{"content": "x", "mode": "0600"}), other: file(object{"content": "x", "mode": "4755"}),
			observe: func(o observed) any { return fileMode(o.file().Mode) },
			shows:   [3]any{"-rw-------", "urwxr-xr-x", ""},
		},
		"files.owner": {
			value: file(object{"content": "x", "owner": "nobody"}), other: file(object{"content": "x", "owner": "1:2"}),
			observe: func(o observed) any { return o.file().Owner },
			shows:   [3]any{"nobody", "1:2", ""},
		},
	}
	return about("files", cases)
}

func execAttributeCases() map[string]attributeCase {
	step := func(attributes object) list {
		all := object{"command": list{"true"}}
		maps.Copy(all, attributes)
		return list{all}
	}
	cases := map[string]attributeCase{
		"exec": {
			value: step(nil), other: append(step(nil), step(object{"command": list{"echo", "x"}})...),
			observe: observed.execs, shows: [3]any{list{"[true]"}, list{"[true]", "[echo x]"}, list{}},
		},
		"exec.command": {
			value: step(nil), other: step(object{"command": list{"echo", "x"}}),
			observe: observed.execs, shows: [3]any{list{"[true]"}, list{"[echo x]"}, list{}},
		},
		"exec.stdin": {
			// The command fails unless its input is what is configured.
			value: step(object{"command": list{"expect", "one"}, "stdin": "one"}), other: step(object{"command": list{"expect", "two"}, "stdin": "two"}),
			observe: observed.execs, shows: [3]any{list{"[expect one]"}, list{"[expect two]"}, list{}},
		},
		"exec.user": {
			value: step(object{"user": "nobody"}), other: step(object{"user": "root"}),
			observe: func(o observed) any { return o.exec().User }, shows: [3]any{"nobody", "root", ""},
		},
		"exec.working_dir": {
			value: step(object{"working_dir": "/a"}), other: step(object{"working_dir": "/b"}),
			observe: func(o observed) any { return o.exec().WorkingDir }, shows: [3]any{"/a", "/b", ""},
		},
		"exec.env": {
			value: step(object{"env": object{"A": "1"}}), other: step(object{"env": object{"A": "2"}}),
			observe: func(o observed) any { return o.exec().Env },
			shows:   [3]any{map[string]string{"A": "1"}, map[string]string{"A": "2"}, map[string]string(nil)},
		},
		"exec.timeout": {
			// TestTimeouts shows that it is kept.
			value: step(object{"timeout": "1m"}), other: step(object{"timeout": "2m"}),
			observe: observed.execs, shows: [3]any{list{"[true]"}, list{"[true]"}, list{}},
		},
	}
	return about("exec", cases)
}

// waitForAttributeCases show that each wait asks the engine again; TestWaitFor
// shows what each of them waits for.
func waitForAttributeCases() map[string]attributeCase {
	followed := func(o observed) any { return o.Count(fake.Logs) > 0 }
	log := func(attributes object) object {
		all := object{"pattern": "ready"}
		maps.Copy(all, attributes)
		return object{"log": all}
	}
	http := func(attributes object) object {
		all := object{"path": "/", "port": "80"}
		maps.Copy(all, attributes)
		return object{"http": all}
	}
	awaited := func(o observed) any { return o.Count(fake.Wait) > 0 }
	any3 := [3]any{true, true, true}
	cases := map[string]attributeCase{
		"wait_for": {
			value: object{"exec": object{"command": list{"true"}}}, other: object{"exec": object{"command": list{"echo", "x"}}},
			observe: observed.execs, shows: [3]any{list{"[true]"}, list{"[echo x]"}, list{}},
		},
		"wait_for.log":          withParent,
		"wait_for.log.pattern":  {value: log(nil), other: log(object{"pattern": "re+ady"}), observe: followed, shows: [3]any{true, true, false}},
		"wait_for.log.times":    {value: log(object{"times": 1}), other: log(nil), observe: followed, shows: [3]any{true, true, false}},
		"wait_for.port":         {value: object{"port": "80"}, other: object{"port": "81"}, observe: awaited, shows: any3},
		"wait_for.http":         withParent,
		"wait_for.http.path":    {value: http(nil), other: http(object{"path": "/x"}), observe: awaited, shows: any3},
		"wait_for.http.port":    {value: http(nil), other: http(object{"port": "81"}), observe: awaited, shows: any3},
		"wait_for.http.status":  {value: http(object{"status": 200}), other: http(nil), observe: awaited, shows: any3},
		"wait_for.http.body":    {value: http(object{"body": "o"}), other: http(object{"body": "k"}), observe: awaited, shows: any3},
		"wait_for.timeout":      {value: object{"timeout": "50s"}, other: object{"timeout": "51s"}, observe: awaited, shows: any3},
		"wait_for.exec":         withParent,
		"wait_for.exec.command": {value: object{"exec": object{"command": list{"true"}}}, other: object{"exec": object{"command": list{"echo"}}}, observe: observed.execs, shows: [3]any{list{"[true]"}, list{"[echo]"}, list{}}},
		"wait_for.health":       {value: object{"health": true}, other: object{"health": false}, observe: func(o observed) any { return o.Count(fake.WaitHealthy) }, shows: [3]any{1, 0, 0}},
	}
	for name, tc := range cases {
		if tc.observe == nil {
			continue // withParent
		}
		tc.configure = func(config object, value any) {
			config["image"] = "healthy:1"
			config["exposed_ports"] = list{"80", "81"}
			config["wait_for"] = value
		}
		cases[name] = tc
	}
	// A job ends by itself, so that what is configured decides which state is
	// the right one.
	cases["wait_for.exit"] = attributeCase{
		value: object{"exit": true}, other: object{"exit": true, "timeout": "50s"},
		configure: func(config object, value any) {
			config["image"] = "app:1"
			if value != nil {
				config["image"] = "job:1"
			}
			config["wait_for"] = value
		},
		observe: func(o observed) any { return o.created().Image != "app:1" },
		shows:   [3]any{true, true, false},
	}
	return about("wait_for", cases)
}

// about makes all cases ones of the top-level attribute.
func about(attribute string, cases map[string]attributeCase) map[string]attributeCase {
	for name, tc := range cases {
		tc.attribute = attribute
		cases[name] = tc
	}
	return cases
}
