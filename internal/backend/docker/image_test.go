package docker_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/docker"
)

func TestParseReference(t *testing.T) {
	t.Parallel()
	hex := strings.Repeat("0123456789abcdef", 4)
	tests := map[string]struct {
		ref   string
		valid bool
	}{
		"name":            {"postgres", true},
		"name and tag":    {"postgres:16-alpine", true},
		"registry":        {"registry.example.com:5000/team/app:1", true},
		"digest":          {"app@sha256:" + hex, true},
		"tag and digest":  {"app:1@sha256:" + hex, true},
		"id":              {"sha256:" + hex, true},
		"id, hex only":    {hex, true},
		"empty":           {"", false},
		"upper case":      {"Postgres", false},
		"blank":           {"postgres 16", false},
		"empty tag":       {"postgres:", false},
		"short digest":    {"app@sha256:0123", false},
		"leading dash":    {"-app", false},
		"path traversal":  {"../app", false},
		"query":           {"app?x=1", false},
		"unknown digest":  {"app@md5:" + hex[:32], false},
		"URL":             {"https://registry.example.com/app", false},
		"line break":      {"app\n", false},
		"tag is too long": {"app:" + strings.Repeat("x", 129), false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := docker.ParseReference(test.ref)
			if test.valid {
				if err != nil {
					t.Error(err)
				}
				return
			}
			var failure *backend.Error
			if !errors.As(err, &failure) || failure.Field != backend.FieldImage || failure.Remedy == "" {
				t.Errorf("got %v, want an error that names the field and a remedy", err)
			}
		})
	}
}
