package docker

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/client"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

const (
	busybox  = "rightsize-test/busybox:1"
	postgres = "rightsize-test/postgres:15"
	healthy  = "rightsize-test/healthy:1"
)

// testName returns a name that no other test and no other run uses.
func testName() string { return "rs-docker-" + strings.ToLower(rand.Text()[:12]) }

func apiOf(t *testing.T, b *Backend) *client.Client {
	t.Helper()
	api, err := b.api(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return api
}

// sleeper is a container that does nothing until it is stopped, and then ends at
// once.
func sleeper() backend.Spec {
	return backend.Spec{
		Name:    testName(),
		Image:   busybox,
		Command: []string{"sh", "-c", "trap exit TERM; while :; do sleep 1 & wait $!; done"},
	}
}

func create(t *testing.T, b *Backend, spec backend.Spec) backend.Container {
	t.Helper()
	removeLater(t, b, spec.Name)
	c, err := b.Create(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func start(t *testing.T, b *Backend, spec backend.Spec) backend.Container {
	t.Helper()
	c := create(t, b, spec)
	if err := b.Start(t.Context(), c.ID, spec); err != nil {
		t.Fatal(err)
	}
	return c
}

// foreign makes a container as somebody else would, who knows nothing of this
// package.
func foreign(t *testing.T, b *Backend, config container.Config, host container.HostConfig) string {
	t.Helper()
	created, err := apiOf(t, b).ContainerCreate(t.Context(), &config, &host, nil, nil, testName())
	if err != nil {
		t.Fatal(err)
	}
	removeLater(t, b, created.ID)
	return created.ID
}

func startForeign(t *testing.T, b *Backend, config container.Config, host container.HostConfig) string {
	t.Helper()
	id := foreign(t, b, config, host)
	if err := apiOf(t, b).ContainerStart(t.Context(), id, container.StartOptions{}); err != nil {
		t.Fatal(err)
	}
	return id
}

func removeLater(t *testing.T, b *Backend, id string) {
	t.Helper()
	t.Cleanup(func() {
		if err := b.Remove(context.Background(), id); err != nil {
			t.Errorf("clean up: %v", err)
		}
	})
}

// shell runs a script in a container, which must succeed, and returns what it
// printed.
func shell(t *testing.T, b *Backend, id, script string) string {
	t.Helper()
	var out, diagnostics strings.Builder
	code, err := b.Exec(t.Context(), id, backend.Exec{
		Command: []string{"sh", "-c", script},
		Stdout:  &out,
		Stderr:  &diagnostics,
	})
	if err != nil {
		t.Fatal(err)
	}
	if code != 0 {
		t.Fatalf("%s: ended with %d: %s", script, code, diagnostics.String())
	}
	return out.String()
}

func logText(t *testing.T, b *Backend, id string, opts backend.LogOptions) string {
	t.Helper()
	stream, err := b.Logs(t.Context(), id, opts)
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	text, err := io.ReadAll(stream)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// capture keeps a container under a name of its own.
func capture(t *testing.T, b *Backend, id string) (name string, artifact backend.Artifact) {
	t.Helper()
	name = testName()
	artifact, err := b.Capture(t.Context(), id, backend.CaptureOptions{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		err := errors.Join(b.RemoveArtifact(context.Background(), artifact.ID), b.Collect(context.Background(), name, ""))
		if err != nil {
			t.Errorf("clean up: %v", err)
		}
	})
	return name, artifact
}

// restore starts a container from an artifact that does what sleeper does.
func restore(t *testing.T, b *Backend, artifact backend.Artifact) backend.Container {
	t.Helper()
	spec := sleeper()
	spec.Image, spec.From = "", &artifact
	return start(t, b, spec)
}

func stateOfContainer(t *testing.T, b *Backend, id string) backend.State {
	t.Helper()
	c, err := b.Inspect(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return c.State
}

// wantError checks an error's kind and field.
func wantError(t *testing.T, err, kind error, field backend.Field) {
	t.Helper()
	var failure *backend.Error
	if !errors.As(err, &failure) {
		t.Fatalf("the error is %v, want a *backend.Error", err)
	}
	if kind != nil && !errors.Is(err, kind) {
		t.Errorf("the error is %v, want one that is %v", err, kind)
	}
	if failure.Field != field {
		t.Errorf("the error %v names field %q, want %q", err, failure.Field, field)
	}
}
