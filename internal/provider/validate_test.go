package provider_test

import (
	"net"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/fake"
)

// TestInvalidContainer has what a plan refuses, with the attribute that is at
// fault and part of the error.
func TestInvalidContainer(t *testing.T) {
	t.Parallel()
	missing := filepath.Join(t.TempDir(), "missing.sql")
	for name, tc := range map[string]struct {
		config   object
		at, says string
	}{
		"neither image nor checkpoint": {object{}, "image", "Exactly one of"},
		"image and checkpoint":         {object{"image": "app:1", "from_checkpoint": "orders"}, "image", "Exactly one of"},
		"image reference":              {object{"image": "App:1:2"}, "image", "must be an image reference"},
		"checkpoint name":              {object{"from_checkpoint": "Orders"}, "from_checkpoint", "the name or the id of a checkpoint"},
		"checkpoint id without digest": {object{"from_checkpoint": "orders@"}, "from_checkpoint", "no digest after the @"},
		"name":                         {object{"image": "app:1", "name": "-web"}, "name", "must begin with a letter or a digit"},
		"name of a library":            {object{"image": "app:1", "name": "rz-0123abcd-1"}, "name", "reserved"},
		"name of a library to reuse":   {object{"image": "app:1", "name": "rz-reuse-db"}, "name", "reserved"},
		"name of a seed":               {object{"image": "app:1", "name": "rightsize-seed-orders"}, "name", "reserved"},
		"label of the provider":        {object{"image": "app:1", "labels": object{"dev.rightsize.runId": "x"}}, `labels["dev.rightsize.runId"]`, "reserved"},
		"label without a name":         {object{"image": "app:1", "labels": object{"": "x"}}, `labels[""]`, "it is empty"},
		"null label":                   {object{"image": "app:1", "labels": object{"a": nil}}, "labels", "null"},
		"env without a name":           {object{"image": "app:1", "env": object{"": "x"}}, `env[""]`, "it is empty"},
		"env with an equals sign":      {object{"image": "app:1", "env": object{"A=B": "x"}}, `env["A=B"]`, "contains a ="},
		"env with a control character": {object{"image": "app:1", "env": object{"A": "x\x01"}}, `env["A"]`, "control character (U+0001) at byte 1"},
		"null env":                     {object{"image": "app:1", "env": object{"A": nil}}, "env", "null"},
		"empty command":                {object{"image": "app:1", "command": list{}}, "command", "at least 1"},
		"null in command":              {object{"image": "app:1", "command": list{"serve", nil}}, "command", "null"},
		"relative working directory":   {object{"image": "app:1", "working_dir": "srv"}, "working_dir", "does not begin with /"},
		"exposed port zero":            {object{"image": "app:1", "exposed_ports": list{"0"}}, "exposed_ports", "number from 1 to 65535"},
		"exposed port out of range":    {object{"image": "app:1", "exposed_ports": list{"65536"}}, "exposed_ports", "number from 1 to 65535"},
		"exposed port twice":           {object{"image": "app:1", "exposed_ports": list{"53", "53/tcp"}}, "exposed_ports", "listed twice"},
		"protocol":                     {object{"image": "app:1", "exposed_ports": list{"53/sctp"}}, "exposed_ports", "tcp or udp"},
		"fixed port out of range": {
			object{"image": "app:1", "ports": list{object{"container_port": 80, "host_port": 65536}}}, "ports[0].host_port", "between 1 and 65535",
		},
		"host port twice": {
			object{"image": "app:1", "ports": list{
				object{"container_port": 80, "host_port": 8080}, object{"container_port": 81, "host_port": 8080},
			}}, "ports[1].host_port", "already published by ports[0]",
		},
		"container port twice": {
			object{"image": "app:1", "ports": list{
				object{"container_port": 80, "host_port": 8080}, object{"container_port": 80, "host_port": 8081},
			}}, "ports[1].container_port", "already published by ports[0]",
		},
		"preset":                   {object{"image": "app:1", "preset": "oracle"}, "preset", "one of"},
		"preset without its port":  {object{"image": "app:1", "preset": "minio", "exposed_ports": list{"80"}}, "preset", "waits until port 9000 of the container answers"},
		"preset without a network": {object{"image": "app:1", "preset": "minio", "network_disabled": true}, "preset", "Publish it, or say with wait_for"},
		"port beside the preset":   {object{"image": "app:1", "preset": "redis", "wait_for": object{"port": "80"}}, "wait_for.port", "Add it to exposed_ports"},
		"memory":                   {object{"image": "app:1", "memory_limit_mb": 5}, "memory_limit_mb", "at least 6"},
		"cpus":                     {object{"image": "app:1", "cpus": 0.001}, "cpus", "at least"},
		"small disk":               {object{"image": "app:1", "disk_limit_mb": 64}, "disk_limit_mb", "at least 65"},
		"no memory":                {object{"image": "app:1", "tmpfs_root_mb": 0}, "tmpfs_root_mb", "at least 1"},
		"disk of a copy":           {object{"from_checkpoint": "orders", "disk_limit_mb": 128}, "disk_limit_mb", "does not go together with from_checkpoint"},
		"copy in memory":           {object{"from_checkpoint": "orders", "tmpfs_root_mb": 64}, "tmpfs_root_mb", "does not go together with from_checkpoint"},
		"disk and memory":          {object{"image": "app:1", "disk_limit_mb": 128, "tmpfs_root_mb": 64}, "tmpfs_root_mb", "either on a disk or in memory"},
		"pull policy":              {object{"image": "app:1", "pull_policy": "sometimes"}, "pull_policy", "must be one of"},
		"stop timeout":             {object{"image": "app:1", "stop_timeout": "30"}, "stop_timeout", "missing unit"},
		"zero stop timeout":        {object{"image": "app:1", "stop_timeout": "0s"}, "stop_timeout", "longer than zero"},
		"on failure":               {object{"image": "app:1", "on_failure": "explode"}, "on_failure", "must be one of"},
		"create timeout":           {object{"image": "app:1", "timeouts": object{"create": "soon"}}, "timeouts.create", "must be a duration"},
		"no time at all":           {object{"image": "app:1", "timeouts": object{"create": "0s"}}, "timeouts.create", "longer than zero"},
		"a shell's home":           {object{"image": "app:1", "files": list{object{"path": "/f", "source": "~/f"}}}, "files[0].source", `pathexpand("~/f")`},
		"no program to wait for":   {object{"image": "app:1", "wait_for": object{"exec": object{"command": list{""}}}}, "wait_for.exec.command[0]", "must be a program"},
		"file without path":        {object{"image": "app:1", "files": list{object{"path": "f", "content": "x"}}}, "files[0].path", "does not begin with /"},
		"network twice": {
			object{"image": "app:1", "networks": list{object{"name": "one"}, object{"name": "one", "aliases": list{"db"}}}}, "networks", "listed twice",
		},
		"default network": {object{"image": "app:1", "networks": list{object{"name": "bridge"}}}, "networks", "every engine has"},
		"network of a library": {
			object{"image": "app:1", "networks": list{object{"name": "rz-net-0123abcd"}}}, "networks", "reserved",
		},
		"name of a network": {object{"image": "app:1", "networks": list{object{"name": "-one"}}}, "networks", "must begin with a letter or a digit"},
		"alias":             {object{"image": "app:1", "networks": list{object{"name": "one", "aliases": list{"my_db"}}}}, "networks", "letters, digits and hyphens"},
		"networks and none": {
			object{"image": "app:1", "network_disabled": true, "networks": list{object{"name": unknown}}}, "network_disabled", "does not go together with networks",
		},
		"file without source": {
			object{"image": "app:1", "files": list{object{"path": "/f"}}}, "files[0].source", "Exactly one of",
		},
		"file with two sources": {
			object{"image": "app:1", "files": list{object{"path": "/f", "content": "x", "content_base64": "eA=="}}}, "files[0].source", "Exactly one of",
		},
		"file that cannot be read": {
			object{"image": "app:1", "files": list{object{"path": "/f", "content": "x"}, object{"path": "/g", "source": missing}}}, "files[1]", "missing.sql",
		},
		"null file":     {object{"image": "app:1", "files": list{nil}}, "files", "null"},
		"mode":          {object{"image": "app:1", "files": list{object{"path": "/f", "content": "x", "mode": "0899"}}}, "files[0].mode", "octal"},
		"long mode":     {object{"image": "app:1", "files": list{object{"path": "/f", "content": "x", "mode": "17777"}}}, "files[0].mode", "octal"},
		"base64":        {object{"image": "app:1", "files": list{object{"path": "/f", "content_base64": "%%%"}}}, "files[0].content_base64", "cannot be decoded"},
		"step":          {object{"image": "app:1", "exec": list{object{"command": list{}}}}, "exec[0].command", "at least 1"},
		"step timeout":  {object{"image": "app:1", "exec": list{object{"command": list{"x"}, "timeout": "-1s"}}}, "exec[0].timeout", "longer than zero"},
		"step dir":      {object{"image": "app:1", "exec": list{object{"command": list{"x"}, "working_dir": "a"}}}, "exec[0].working_dir", "does not begin with /"},
		"log pattern":   {object{"image": "app:1", "wait_for": object{"log": object{"pattern": "("}}}, "wait_for.log.pattern", "regular expression"},
		"log times":     {object{"image": "app:1", "wait_for": object{"log": object{"pattern": "x", "times": 0}}}, "wait_for.log.times", "at least 1"},
		"wait for udp":  {object{"image": "app:1", "wait_for": object{"port": "53/udp"}}, "wait_for.port", "UDP port cannot be probed"},
		"wait duration": {object{"image": "app:1", "wait_for": object{"timeout": "1 minute"}}, "wait_for.timeout", "unknown unit"},
		"http path":     {object{"image": "app:1", "exposed_ports": list{"80"}, "wait_for": object{"http": object{"path": "health"}}}, "wait_for.http.path", "does not begin with /"},
		"http status":   {object{"image": "app:1", "exposed_ports": list{"80"}, "wait_for": object{"http": object{"path": "/", "status": 99}}}, "wait_for.http.status", "between 100 and 599"},
		"http body":     {object{"image": "app:1", "exposed_ports": list{"80"}, "wait_for": object{"http": object{"path": "/", "body": "["}}}, "wait_for.http.body", "regular expression"},
		"exposed port without a network": {
			object{"image": "app:1", "network_disabled": true, "exposed_ports": list{unknown}}, "network_disabled", "cannot publish ports",
		},
		"fixed port without a network": {
			object{"image": "app:1", "network_disabled": true, "ports": list{object{"container_port": unknown, "host_port": 8080}}}, "network_disabled", "cannot publish ports",
		},
		"wait for a port without a network": {
			object{"from_checkpoint": "orders", "network_disabled": true, "wait_for": object{"port": "80"}}, "wait_for.port", "Without a network none can be",
		},
		"wait for a port that is not published": {
			object{"image": "app:1", "exposed_ports": list{"80"}, "wait_for": object{"port": "81"}}, "wait_for.port", "Add it to exposed_ports.",
		},
		"ask a port that is not published": {
			object{"image": "app:1", "wait_for": object{"http": object{"path": "/", "port": "80"}}}, "wait_for.http.port", "Add it to exposed_ports.",
		},
		"http without a port": {
			object{"image": "app:1", "wait_for": object{"http": object{"path": "/"}}}, "wait_for.http.port", "exactly one",
		},
		"http with two ports": {
			object{"image": "app:1", "exposed_ports": list{"80", "81"}, "wait_for": object{"http": object{"path": "/"}}}, "wait_for.http.port", "exactly one",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCore(t, newHarness(t))
			diagnostics := c.validate(containerType, tc.config)
			if !failed(diagnostics) {
				diagnostics = c.plan(c.none(containerType), tc.config).diagnostics
			}
			expectError(t, diagnostics, tc.at, tc.says)
		})
	}
}

func TestInvalidCheckpoint(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		config   object
		at, says string
	}{
		"name":                     {object{"name": "Orders", "container_id": "db"}, "name", "the name of a checkpoint"},
		"long name":                {object{"name": strings.Repeat("a", 42), "container_id": "db"}, "name", "the name of a checkpoint"},
		"no source":                {object{"name": "orders"}, "container_id", "Exactly one of"},
		"two sources":              {object{"name": "orders", "container_id": "db", "seed": object{"image": "app:1"}}, "container_id", "Exactly one of"},
		"empty container":          {object{"name": "orders", "container_id": ""}, "container_id", "must begin with a letter or a digit"},
		"seed without an image":    {object{"name": "orders", "seed": object{}}, "seed.image", "Exactly one of"},
		"seed with two":            {object{"name": "orders", "seed": object{"image": "app:1", "from_checkpoint": "x"}}, "seed.image", "Exactly one of"},
		"seed http without a port": {object{"name": "orders", "seed": object{"image": "app:1", "wait_for": object{"http": object{"path": "/"}}}}, "seed.wait_for.http.port", "exactly one"},
		"seed exposed port twice":  {object{"name": "orders", "seed": object{"image": "app:1", "exposed_ports": list{"1", "1/tcp"}}}, "seed.exposed_ports", "listed twice"},
		"seed in memory": {
			object{"name": "orders", "seed": object{"image": "app:1", "tmpfs_root_mb": 64}}, "seed.tmpfs_root_mb", "does not hold what is in memory",
		},
		"seed with the disk of a copy": {
			object{"name": "orders", "seed": object{"from_checkpoint": "first", "disk_limit_mb": 128}}, "seed.disk_limit_mb", "does not go together with from_checkpoint",
		},
		"networks and none": {
			object{"name": "orders", "seed": object{"image": "app:1", "network_disabled": true, "networks": list{object{"name": "one"}}}}, "seed.network_disabled", "does not go together with networks",
		},
		"network twice": {
			object{"name": "orders", "seed": object{"image": "app:1", "networks": list{object{"name": "one"}, object{"name": "one", "aliases": list{"a"}}}}}, "seed.networks", "listed twice",
		},
		"seed exposed port without a network": {
			object{"name": "orders", "seed": object{"image": "app:1", "network_disabled": true, "exposed_ports": list{"80"}}}, "seed.network_disabled", "cannot publish ports",
		},
		"seed file that cannot be read": {
			object{"name": "orders", "seed": object{"image": "app:1", "files": list{object{"path": "/f", "source": "/nonexistent/x"}}}}, "seed.files[0]", "source exists",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCore(t, newHarness(t))
			diagnostics := c.validate(checkpointType, tc.config)
			if !failed(diagnostics) {
				diagnostics = c.plan(c.none(checkpointType), tc.config).diagnostics
			}
			expectError(t, diagnostics, tc.at, tc.says)
		})
	}
}

// What is not known yet is no error: it is checked again when it is.
func TestUnknownIsValid(t *testing.T) {
	t.Parallel()
	c := newCore(t, newHarness(t))
	everything := object{}
	for _, attribute := range c.schema(containerType).Block.Attributes {
		if attribute.Optional {
			everything[attribute.Name] = unknown
		}
	}
	for name, config := range map[string]object{
		"everything":        everything,
		"port to ask":       {"image": "app:1", "exposed_ports": list{unknown}, "wait_for": object{"http": object{"path": "/"}}},
		"ports":             {"image": "app:1", "ports": list{object{"container_port": unknown, "host_port": 80}, object{"container_port": 1, "host_port": 80}}},
		"no network":        {"image": "app:1", "exposed_ports": list{"80"}, "network_disabled": unknown, "wait_for": object{"port": "81"}},
		"no network for":    {"image": "app:1", "exposed_ports": unknown, "ports": unknown, "network_disabled": true},
		"disk of a copy":    {"from_checkpoint": unknown, "disk_limit_mb": 128},
		"parts of a file":   {"image": "app:1", "files": list{object{"path": unknown, "content": unknown, "mode": unknown}}},
		"parts of a step":   {"image": "app:1", "exec": list{object{"command": list{"x", unknown}, "env": object{"A": unknown}, "stdin": unknown}}},
		"source of content": {"image": "app:1", "files": list{object{"path": "/f", "source": unknown}}},
	} {
		if diagnostics := c.validate(containerType, config); failed(diagnostics) {
			t.Errorf("%s:\n%s", name, render(diagnostics))
		}
	}
	if diagnostics := c.validate(checkpointType, object{"name": unknown, "seed": unknown}); failed(diagnostics) {
		t.Errorf("checkpoint:\n%s", render(diagnostics))
	}
}

// A port to wait for may be published in either way, or by the checkpoint.
func TestPublishedPortIsValid(t *testing.T) {
	t.Parallel()
	c := newCore(t, newHarness(t))
	wait := object{"port": "80/tcp", "http": object{"path": "/", "port": "80"}}
	for name, config := range map[string]object{
		"exposed":    {"image": "app:1", "exposed_ports": list{"80"}, "wait_for": wait},
		"fixed":      {"image": "app:1", "ports": list{object{"container_port": 80, "host_port": 8080}}, "wait_for": wait},
		"checkpoint": {"from_checkpoint": "orders", "wait_for": wait},
		"unknown":    {"image": "app:1", "exposed_ports": unknown, "wait_for": wait},
		"no network": {"image": "app:1", "network_disabled": true, "exposed_ports": list{}, "ports": list{}},
	} {
		if diagnostics := c.validate(containerType, config); failed(diagnostics) {
			t.Errorf("%s:\n%s", name, render(diagnostics))
		}
	}
}

// A port of the user's choice that somebody listens on is an error at plan. One
// that a container of the provider has is not: it may be about to go.
func TestFixedPortTaken(t *testing.T) {
	t.Parallel()
	var config net.ListenConfig
	listener, err := config.Listen(t.Context(), "tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	free := freePorts(t, 1)[0]
	taken := listener.Addr().(*net.TCPAddr).Port

	h := newHarness(t)
	h.running(t, backend.Spec{Name: "mine", Image: "app:1", Ports: []backend.PortBinding{
		{Port: backend.Port{Number: 80, Protocol: backend.TCP}, Host: uint16(free)},
	}})
	c := newCore(t, h)
	plan := func(port int) []*tfprotov6.Diagnostic {
		return c.plan(c.none(containerType), object{"image": "app:1", "ports": list{object{"container_port": 80, "host_port": port}}}).diagnostics
	}
	expectError(t, plan(taken), "ports[0].host_port", "another program on this host")
	if diagnostics := plan(free); failed(diagnostics) {
		t.Errorf("a port of our own container:\n%s", render(diagnostics))
	}
	h.MarkForeign("mine")
	expectError(t, plan(free), "ports[0].host_port", "in use by container mine")

	// A plan does not need the engine: the apply will tell.
	h.Fail(fake.List, errLost, fake.Always)
	if diagnostics := plan(taken); failed(diagnostics) {
		t.Errorf("without an engine:\n%s", render(diagnostics))
	}
}

func TestInvalidProvider(t *testing.T) {
	// The docker command's configuration is found by the environment.
	t.Setenv("DOCKER_CONFIG", t.TempDir())
	server, err := newHarness(t).server()
	if err != nil {
		t.Fatal(err)
	}
	c := newUnconfiguredCore(t, server)
	validate := func(config object) []*tfprotov6.Diagnostic {
		resp, err := server.ValidateProviderConfig(t.Context(), &tfprotov6.ValidateProviderConfigRequest{
			Config: c.encode(toValue(t, c.schemas.Provider.ValueType(), config)),
		})
		if err != nil {
			t.Fatal(err)
		}
		return resp.Diagnostics
	}
	for name, tc := range map[string]struct {
		config   object
		at, says string
	}{
		"backend":           {object{"backend": "podman"}, "backend", "must be one of"},
		"cache directory":   {object{"cache_dir": ""}, "cache_dir", "it is empty"},
		"context":           {object{"docker": object{"context": "nowhere"}}, "docker.context", "nowhere"},
		"host and context":  {object{"docker": object{"context": "default", "host": "tcp://one:1"}}, "docker.host", "cannot be specified when"},
		"certificate alone": {object{"docker": object{"cert_path": "/certs"}}, "docker.cert_path", "must be specified when"},
		"msb without a path": {
			object{"microsandbox": object{"path": ""}}, "microsandbox.path", "at least 1",
		},
		"relative home": {
			object{"microsandbox": object{"home": "msb"}}, "microsandbox.home", `"msb" is not absolute`,
		},
		"long home": {
			object{"microsandbox": object{"home": "/" + strings.Repeat("x", 57)}}, "microsandbox.home", "has 58 bytes",
		},
		"msb that is too old": {
			object{"microsandbox": object{"version": "0.6.6"}}, "microsandbox.version", "supported are releases from 0.6.8 on, below 0.8.0",
		},
		"msb that is too new": {
			object{"microsandbox": object{"version": "0.8.0"}}, "microsandbox.version", "its command line is not known",
		},
		"range of versions": {
			object{"microsandbox": object{"version": "~> 0.6"}}, "microsandbox.version", "is not a version",
		},
		"mirror": {
			object{"microsandbox": object{"download": object{"base_url": "mirror.example"}}}, "microsandbox.download.base_url", "not an http or https URL",
		},
		"digest": {
			object{"microsandbox": object{"download": object{"sha256": "sha256:ab"}}}, "microsandbox.download.sha256", "64 hexadecimal digits",
		},
	} {
		t.Run(name, func(t *testing.T) {
			expectError(t, validate(tc.config), tc.at, tc.says)
		})
	}
	for name, config := range map[string]object{
		"nothing":         {},
		"default context": {"docker": object{"context": "default"}},
		"unknown":         {"backend": unknown, "cache_dir": unknown, "docker": object{"context": unknown}, "microsandbox": unknown},
		"unknown within":  {"microsandbox": object{"home": unknown, "version": unknown, "download": object{"base_url": unknown, "sha256": unknown}}},
		"microVMs": {"microsandbox": object{
			"path": "~/bin/msb", "home": "~/msb", "version": "0.6.18", "record_integrity": true,
			"download": object{"enabled": true, "base_url": "https://mirror.example/msb", "sha256": strings.Repeat("0", 64)},
		}},
	} {
		if diagnostics := validate(config); failed(diagnostics) {
			t.Errorf("%s:\n%s", name, render(diagnostics))
		}
	}
}

// A client that does not know write-only attributes is told so, and source does
// the same work there.
func TestWriteOnlyWithOldTerraform(t *testing.T) {
	t.Parallel()
	c := newCore(t, newHarness(t))
	c.writeOnly = false
	for attribute, config := range map[string]object{
		"files[0].content":        {"image": "app:1", "files": list{object{"path": "/f", "content": "x"}}},
		"files[0].content_base64": {"image": "app:1", "files": list{object{"path": "/f", "content_base64": "eA=="}}},
		"exec[0].stdin":           {"image": "app:1", "exec": list{object{"command": list{"cat"}, "stdin": "x"}}},
	} {
		expectError(t, c.validate(containerType, config), attribute, "1.11")
	}
	source := filepath.Join(t.TempDir(), "f")
	writeFile(t, source, "x")
	config := object{"image": "app:1", "files": list{object{"path": "/f", "source": source}}}
	c.must(c.validate(containerType, config), nil)
	c.mustSettle(c.reach(c.none(containerType), config), config)
}

// expectError fails unless there is an error at the attribute that says this.
func expectError(t *testing.T, diagnostics []*tfprotov6.Diagnostic, at, says string) {
	t.Helper()
	for _, d := range diagnostics {
		if strings.Contains(d.Summary+d.Detail, "bug in the provider") || strings.Contains(d.Summary, "Value Conversion") {
			t.Errorf("the user's mistake is called a bug:\n%s", render(diagnostics))
		}
	}
	for _, d := range diagnostics {
		text := strings.Join(strings.Fields(d.Summary+": "+d.Detail), " ")
		if d.Severity == tfprotov6.DiagnosticSeverityError && strings.HasPrefix(attributePath(d), at) && strings.Contains(text, says) {
			return
		}
	}
	t.Errorf("no error at %q says %q, but:\n%s", at, says, render(diagnostics))
}
