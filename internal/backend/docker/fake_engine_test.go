package docker

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"
)

// cleanupContext outlives the test's own context, which is cancelled before
// clean-up functions run.
func cleanupContext(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

var apiVersionPrefix = regexp.MustCompile(`^/v1\.\d+`)

// fakeEngine answers the API's routes, "METHOD /path" without the version, with
// the given handlers. It shows what a client does with answers that a real
// engine gives only when a registry or a disk fails; it knows nothing of how an
// engine behaves.
func fakeEngine(t *testing.T, routes map[string]http.HandlerFunc) *Backend {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := apiVersionPrefix.ReplaceAllString(r.URL.Path, "")
		if handler, ok := routes[r.Method+" "+path]; ok {
			handler(w, r)
			return
		}
		if path == "/_ping" {
			w.Header().Set("Api-Version", "1.41")
			return
		}
		reply(w, http.StatusNotFound, map[string]string{"message": "no such thing: " + path})
	}))
	t.Cleanup(server.Close)

	b := New(Config{Host: strings.Replace(server.URL, "http://", "tcp://", 1)})
	b.env = testEnvironment(t, nil)
	t.Cleanup(func() {
		if conn := b.connection.Load(); conn != nil {
			_ = conn.client.Close()
		}
	})
	return b
}

func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

// testEnvironment is an environment of its own: variables, and an empty
// configuration directory.
func testEnvironment(t *testing.T, variables map[string]string) environment {
	t.Helper()
	dir := t.TempDir()
	return environment{
		getenv:    func(name string) string { return variables[name] },
		configDir: func() string { return dir },
	}
}
