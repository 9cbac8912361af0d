package provider_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-log/tflogtest"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend/fake"
)

// secrets are values that a user would not want to see anywhere.
var secrets = struct{ env, content, binary, stdin, stepEnv string }{
	"env-5f0c", "content-a1b2", "binary-77aa", "stdin-93ed", "step-env-c0de",
}

func secretWorkload() object {
	return object{
		"image": "app:1",
		"env":   object{"PASSWORD": secrets.env},
		"files": list{
			object{"path": "/a", "content": secrets.content},
			object{"path": "/b", "content_base64": base64.StdEncoding.EncodeToString([]byte(secrets.binary))},
		},
		"exec": list{object{"command": list{"cat"}, "stdin": secrets.stdin, "env": object{"TOKEN": secrets.stepEnv}}},
	}
}

// TestSecrets runs the life of a container and of a checkpoint, with a failure of
// each call to the engine in turn, and looks for secrets in what comes out.
func TestSecrets(t *testing.T) {
	t.Parallel()
	methods := []fake.Method{"", fake.Create, fake.Start, fake.Exec, fake.Inspect, fake.Remove, fake.Capture, fake.Publish}
	for _, method := range methods {
		t.Run(string("failing "+method), func(t *testing.T) {
			t.Parallel()
			h := newHarness(t)
			c := newCore(t, h)
			var log bytes.Buffer
			c.ctx = tflogtest.RootLogger(t.Context(), &log)

			var diagnostics, state strings.Builder
			life := func(typeName string, config, changed object) {
				if method != "" {
					h.Fail(method, errLost, 1)
				}
				current := c.none(typeName)
				for _, wanted := range []object{config, config, changed} {
					planned := c.plan(current, wanted)
					diagnostics.WriteString(render(planned.diagnostics))
					after, d := c.apply(planned, wanted)
					diagnostics.WriteString(render(d))
					current, d = c.refresh(after)
					diagnostics.WriteString(render(d))
					fmt.Fprint(&state, fromValue(current.value), string(current.private))
				}
				c.mustDestroy(current)
			}
			container := secretWorkload()
			reset := secretWorkload()
			reset["reset_trigger"] = "1"
			life(containerType, container, reset)
			life(checkpointType,
				object{"name": "orders", "seed": secretWorkload()},
				object{"name": "orders", "seed": secretWorkload(), "triggers": object{"again": "1"}})

			if !strings.Contains(log.String(), "running exec step") || !strings.Contains(state.String(), "PASSWORD") {
				t.Fatal("nothing was recorded")
			}
			if method != "" && !strings.Contains(diagnostics.String(), "connection lost") {
				t.Error("nothing failed")
			}
			for where, text := range map[string]string{"log": log.String(), "diagnostics": diagnostics.String()} {
				for _, secret := range []string{
					secrets.env, secrets.content, secrets.binary, secrets.stdin, secrets.stepEnv, base64.StdEncoding.EncodeToString([]byte(secrets.binary)),
				} {
					if strings.Contains(text, secret) {
						t.Errorf("%s is in the %s", secret, where)
					}
				}
			}
			// What the user put into plain attributes is in state, and only that.
			for _, secret := range []string{
				secrets.content, secrets.binary, secrets.stdin, base64.StdEncoding.EncodeToString([]byte(secrets.binary)),
			} {
				if strings.Contains(state.String(), secret) {
					t.Errorf("%s is in state", secret)
				}
			}
		})
	}
}

// A value that is refused is not repeated.
func TestInvalidSecrets(t *testing.T) {
	t.Parallel()
	c := newCore(t, newHarness(t))
	for attribute, config := range map[string]object{
		"env":   {"image": "app:1", "env": object{"A": "secret\x00"}},
		"files": {"image": "app:1", "files": list{object{"path": "/f", "content_base64": "secret!"}}},
	} {
		diagnostics := c.validate(containerType, config)
		expectError(t, diagnostics, attribute, "Invalid Value")
		if text := render(diagnostics); strings.Contains(text, "secret") {
			t.Errorf("the error repeats the value:\n%s", text)
		}
	}
}
