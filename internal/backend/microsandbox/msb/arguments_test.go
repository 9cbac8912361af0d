package msb_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/msb"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/msbtest"
)

// refuseInspect lets a boot find that the name is free.
func refuseInspect(fake *msbtest.Fake) {
	fake.Handle("inspect").Sample("sandbox/inspect-missing")
}

func TestBootArguments(t *testing.T) {
	t.Parallel()
	full := msb.Boot{
		Name:       "web",
		Env:        map[string]string{"TOKEN": "s3cret=\nvalue", "EMPTY": "", "PATH": "/opt/bin"},
		Ports:      []backend.PortBinding{{Port: backend.Port{Number: 80, Protocol: backend.TCP}, Host: 18080}, {Port: backend.Port{Number: 53, Protocol: backend.UDP}, Host: 18053}},
		MemoryMB:   256,
		CPUs:       2,
		WorkingDir: "/work",
		User:       "65534:65534",
		Labels:     map[string]string{"b": "2=3", "a": ""},
		Mounts:     []msb.Mount{{Host: "/srv/run", Guest: "/.rightsize"}},
		NoNetwork:  true,
	}
	common := []string{
		"--name=web", "--memory=256M", "--cpus=2", "--user=65534:65534", "--workdir=/work", "--no-net",
		"--port=127.0.0.1:18080:80", "--port=127.0.0.1:18053:53/udp", "--mount-dir=/srv/run:/.rightsize",
		"--label=a=", "--label=b=2=3",
		"--env=EMPTY", "--env=PATH=/opt/bin", "--env=TOKEN",
	}
	image, disk, tmpfs, snapshot := full, msb.Boot{Name: "web", Image: "app:1", DiskMB: 8192}, msb.Boot{Name: "web", Image: "app:1", TmpfsRootMB: 64}, full
	image.Image = "app:1"
	snapshot.Snapshot, snapshot.Idle = "/srv/snapshots/s1", []string{"/bin/sh", "-c", "sleep infinity"}
	tests := map[string]struct {
		boot msb.Boot
		want []string
	}{
		"image with everything": {image, append(append([]string{"create", "--pull=never"}, common...), "app:1")},
		"image with nothing":    {msb.Boot{Name: "w", Image: "app"}, []string{"create", "--pull=never", "--name=w", "app"}},
		"disk":                  {disk, []string{"create", "--pull=never", "--root-disk=8192M", "--name=web", "app:1"}},
		"root in memory":        {tmpfs, []string{"create", "--pull=never", "--root-disk=tmpfs:64M", "--name=web", "app:1"}},
		"snapshot": {snapshot, append(append([]string{"run", "--detach", "--pull=never", "--from-snapshot=/srv/snapshots/s1"}, common...),
			"--entrypoint=/bin/sh", "--", "-c", "sleep infinity")},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, fake := newClient(t)
			refuseInspect(fake)
			fake.Handle(test.want[0])
			boot := client.Create
			if test.boot.Snapshot != "" {
				boot = client.Restore
			}
			if err := boot(t.Context(), test.boot); err != nil {
				t.Fatal(err)
			}
			call := fake.WaitForCall(test.want[0])
			if diff := cmp.Diff(test.want, call.Args); diff != "" {
				t.Errorf("arguments (-want +got):\n%s", diff)
			}
			if value, ok := test.boot.Env["TOKEN"]; ok {
				if call.Env["TOKEN"] != value {
					t.Errorf("TOKEN is %q in msb's environment, want %q", call.Env["TOKEN"], value)
				}
				if _, ok := call.Env["EMPTY"]; !ok {
					t.Error("an empty variable is missing in msb's environment, so that msb fails")
				}
				if strings.Contains(strings.Join(call.Args, " "), "s3cret") {
					t.Errorf("a value is on the command line, for every user to see: %q", call.Args)
				}
			}
		})
	}
}

// TestBootRefused is about what msb would take for something else or only find
// out in the middle of a boot. The fake expects no call.
func TestBootRefused(t *testing.T) {
	t.Parallel()
	type kind = map[string]struct {
		boot msb.Boot
		want error
	}
	create := kind{
		"no image":                   {msb.Boot{Name: "w"}, msb.ErrImageReference},
		"an image that is a flag":    {msb.Boot{Name: "w", Image: "--replace"}, msb.ErrImageReference},
		"an image of two words":      {msb.Boot{Name: "w", Image: "a b"}, msb.ErrImageReference},
		"an image and a snapshot":    {msb.Boot{Name: "w", Image: "a", Snapshot: "/s"}, msb.ErrInvalid},
		"two roots":                  {msb.Boot{Name: "w", Image: "a", DiskMB: 1, TmpfsRootMB: 1}, msb.ErrInvalid},
		"a variable without a name":  {msb.Boot{Name: "w", Image: "a", Env: map[string]string{"": "x"}}, msb.ErrInvalid},
		"a variable of two names":    {msb.Boot{Name: "w", Image: "a", Env: map[string]string{"a=b": "x"}}, msb.ErrInvalid},
		"a value with NUL":           {msb.Boot{Name: "w", Image: "a", Env: map[string]string{"a": "\x00"}}, msb.ErrInvalid},
		"a value that is no text":    {msb.Boot{Name: "w", Image: "a", Env: map[string]string{"a": "\xff"}}, msb.ErrInvalid},
		"a label without a key":      {msb.Boot{Name: "w", Image: "a", Labels: map[string]string{"": "x"}}, msb.ErrInvalid},
		"a user with NUL":            {msb.Boot{Name: "w", Image: "a", User: "a\x00"}, msb.ErrInvalid},
		"a mount of a volume":        {msb.Boot{Name: "w", Image: "a", Mounts: []msb.Mount{{Host: "name", Guest: "/m"}}}, msb.ErrInvalid},
		"a mount that sets options":  {msb.Boot{Name: "w", Image: "a", Mounts: []msb.Mount{{Host: "/a", Guest: "/m:ro"}}}, msb.ErrInvalid},
		"a mount with a colon":       {msb.Boot{Name: "w", Image: "a", Mounts: []msb.Mount{{Host: "/a:b", Guest: "/m"}}}, msb.ErrInvalid},
		"a mount to a relative path": {msb.Boot{Name: "w", Image: "a", Mounts: []msb.Mount{{Host: "/a", Guest: "m"}}}, msb.ErrInvalid},
	}
	restore := kind{
		"a name of a snapshot":     {msb.Boot{Name: "w", Snapshot: "s1", Idle: []string{"sh"}}, msb.ErrInvalid},
		"a digest of a snapshot":   {msb.Boot{Name: "w", Snapshot: "sha256:1", Idle: []string{"sh"}}, msb.ErrInvalid},
		"an image and a snapshot":  {msb.Boot{Name: "w", Image: "a", Snapshot: "/s", Idle: []string{"sh"}}, msb.ErrInvalid},
		"a size of the disk":       {msb.Boot{Name: "w", Snapshot: "/s", DiskMB: 1, Idle: []string{"sh"}}, msb.ErrInvalid},
		"a root in memory":         {msb.Boot{Name: "w", Snapshot: "/s", TmpfsRootMB: 1, Idle: []string{"sh"}}, msb.ErrInvalid},
		"no idle command":          {msb.Boot{Name: "w", Snapshot: "/s"}, msb.ErrInvalid},
		"an empty idle command":    {msb.Boot{Name: "w", Snapshot: "/s", Idle: []string{""}}, msb.ErrInvalid},
		"an idle command with NUL": {msb.Boot{Name: "w", Snapshot: "/s", Idle: []string{"sh", "\x00"}}, msb.ErrInvalid},
	}
	client, _ := newClient(t)
	for name, test := range create {
		if err := client.Create(t.Context(), test.boot); !errors.Is(err, test.want) {
			t.Errorf("create with %s = %v, want %v", name, err, test.want)
		}
	}
	for name, test := range restore {
		if err := client.Restore(t.Context(), test.boot); !errors.Is(err, test.want) {
			t.Errorf("restore with %s = %v, want %v", name, err, test.want)
		}
	}
}

func TestCommandArguments(t *testing.T) {
	t.Parallel()
	type call func(*testing.T, *msb.Client) error
	exec := func(cmd msb.Exec) call {
		return func(t *testing.T, c *msb.Client) error {
			_, err := c.Exec(t.Context(), "web", cmd)
			return err
		}
	}
	logs := func(opts msb.LogOptions) call {
		return func(t *testing.T, c *msb.Client) error {
			stream, err := c.Logs(t.Context(), "web", opts)
			if err != nil {
				return err
			}
			_, _ = stream.Next()
			return stream.Close()
		}
	}
	stop := func(grace time.Duration) call {
		return func(t *testing.T, c *msb.Client) error { return c.Stop(t.Context(), "web", grace) }
	}
	tests := map[string]struct {
		call call
		want string
	}{
		"start":         {func(t *testing.T, c *msb.Client) error { return c.Start(t.Context(), "web") }, "start web"},
		"stop":          {stop(10 * time.Second), "stop --timeout=10 web"},
		"stop rounding": {stop(1500 * time.Millisecond), "stop --timeout=2 web"},
		"stop at once":  {stop(-time.Second), "stop --timeout=0 web"},
		"kill":          {func(t *testing.T, c *msb.Client) error { return c.Kill(t.Context(), "web") }, "stop --force web"},
		"remove":        {func(t *testing.T, c *msb.Client) error { return c.Remove(t.Context(), "web") }, "remove --force web"},
		"resources": {
			func(t *testing.T, c *msb.Client) error { return c.SetResources(t.Context(), "web", 300, 2) },
			"modify --memory=300M --max-memory=300M --cpus=2 --max-cpus=2 --format=json web",
		},
		"msb's default resources": {
			func(t *testing.T, c *msb.Client) error { return c.SetResources(t.Context(), "web", 0, 0) },
			"modify --memory=512M --max-memory=512M --cpus=1 --max-cpus=1 --format=json web",
		},
		"exec": {exec(msb.Exec{Command: []string{"id"}}), "exec --stream web -- id"},
		"exec with everything": {
			exec(msb.Exec{Command: []string{"sh", "-c", "--", "-x"}, User: "app", WorkingDir: "/tmp", Env: map[string]string{"B": "2", "A": "1"}}),
			"exec --stream --user=app --workdir=/tmp --env=A --env=B web -- sh -c -- -x",
		},
		"logs":            {logs(msb.LogOptions{}), "logs --json web"},
		"logs of the VM":  {logs(msb.LogOptions{Source: msb.SystemLog}), "logs --json --source=system web"},
		"logs that match": {logs(msb.LogOptions{Grep: "-x|y"}), "logs --json --grep=-x|y web"},
		"logs from now on": {
			logs(msb.LogOptions{Follow: true, Since: time.Date(2026, 11, 30, 13, 0, 0, 5, time.FixedZone("", 3600))}),
			"logs --json --follow --since=2026-11-30T12:00:00.000000005Z web",
		},
		"verify snapshot": {
			func(t *testing.T, c *msb.Client) error { return c.VerifySnapshot(t.Context(), "/srv/s1") },
			"snapshot verify /srv/s1",
		},
		"pull":   {func(t *testing.T, c *msb.Client) error { return c.Pull(t.Context(), "app:1") }, "pull app:1"},
		"doctor": {func(t *testing.T, c *msb.Client) error { return c.Doctor(t.Context()) }, "doctor"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, fake := newClient(t)
			fake.Handle()
			if err := test.call(t, client); err != nil {
				t.Fatal(err)
			}
			call := onlyCall(t, fake)
			if diff := cmp.Diff(test.want, strings.Join(call.Args, " ")); diff != "" {
				t.Errorf("arguments (-want +got):\n%s", diff)
			}
		})
	}
}

// TestErrorsHideSecrets is about errors of calls whose command line or
// environment holds what nobody else may read.
func TestErrorsHideSecrets(t *testing.T) {
	t.Parallel()
	client, fake := newClient(t)
	const argument, secret = "of-the-command", "hunter2-hunter2"
	fake.Handle("exec").Stderr(`error: failed to start "web"` + "\n  → other: " + argument + " " + secret + "\n").Exit(1)
	refuseInspect(fake)
	fake.Handle("create").Stderr("error: unexpected argument '--env=PATH=" + secret + "' found\n").Exit(2)
	fake.Handle("remove")
	ctx := t.Context()

	_, exec := client.Exec(ctx, "web", msb.Exec{Command: []string{"psql", "-c", argument}, Env: map[string]string{"A": secret}})
	create := client.Create(ctx, msb.Boot{Name: "web", Image: "app:1", Env: map[string]string{"PATH": secret, "B": secret}})
	for verb, err := range map[string]error{"exec": exec, "create": create} {
		var failure *msb.Error
		if !errors.As(err, &failure) {
			t.Errorf("%s = %v, want an error of msb", verb, err)
			continue
		}
		if text := err.Error() + strings.Join(failure.Args, " "); strings.Contains(text, secret) || strings.Contains(text, argument) {
			t.Errorf("%s shows a secret: %s", verb, text)
		}
	}
}
