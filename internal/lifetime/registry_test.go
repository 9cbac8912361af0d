package lifetime_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/lifetime"
)

func TestRegistry(t *testing.T) {
	t.Parallel()
	registry := lifetime.Open(filepath.Join(t.TempDir(), "cache"))
	if _, known, err := registry.Get(wanted().Object); known || err != nil {
		t.Errorf("in an empty registry: %t, %v", known, err)
	}
	if err := registry.Delete(wanted().Object); err != nil {
		t.Error(err)
	}
	if records, damaged, err := registry.List(); len(records)+len(damaged) > 0 || err != nil {
		t.Errorf("an empty registry lists %v, %v, %v", records, damaged, err)
	}
	if err := registry.Tidy(); err != nil {
		t.Error(err)
	}
	if !registry.Empty() {
		t.Error("it is not empty before anything was put there")
	}

	put(t, registry, wantedContainer(), wanted())
	if registry.Empty() {
		t.Error("it is empty")
	}
	longer := wanted()
	longer.After, longer.ExpiresAt = "1000h", longer.ExpiresAt.Add(928*time.Hour)
	put(t, registry, longer)
	got, known, err := registry.Get(wanted().Object)
	if err != nil || !known {
		t.Fatal(known, err)
	}
	if diff := cmp.Diff(longer, got); diff != "" {
		t.Errorf("the record (-want +got):\n%s", diff)
	}
	records, damaged, err := registry.List()
	if err != nil || len(damaged) > 0 {
		t.Fatal(damaged, err)
	}
	if diff := cmp.Diff([]lifetime.Record{longer, wantedContainer()}, records); diff != "" {
		t.Errorf("the list (-want +got):\n%s", diff)
	}

	for range 2 {
		if err := registry.Delete(wanted().Object); err != nil {
			t.Fatal(err)
		}
	}
	if _, known, err := registry.Get(wanted().Object); known || err != nil {
		t.Errorf("after its removal: %t, %v", known, err)
	}
	if err := registry.Delete(wantedContainer().Object); err != nil {
		t.Fatal(err)
	}
	if !registry.Empty() {
		t.Errorf("the registry holds %v", files(t, registry))
	}
}

// Each part of an object tells it from another.
func TestObjectsAreToldApart(t *testing.T) {
	t.Parallel()
	registry := lifetime.Open(t.TempDir())
	records := []lifetime.Record{wantedContainer()}
	for _, change := range []func(*lifetime.Record){
		func(r *lifetime.Record) { r.Backend = "microsandbox" },
		func(r *lifetime.Record) { r.Engine = "another" },
		func(r *lifetime.Record) { r.ID = "decaf" },
		func(r *lifetime.Record) { r.Kind, r.Name, r.ID = lifetime.Checkpoint, "c0ffee", "c0ffee@1" },
		func(r *lifetime.Record) { r.Backend, r.Engine = "dock", "er"+r.Engine },
	} {
		record := wantedContainer()
		change(&record)
		records = append(records, record)
	}
	put(t, registry, records...)
	for _, want := range records {
		got, known, err := registry.Get(want.Object)
		if diff := cmp.Diff(want, got); !known || err != nil || diff != "" {
			t.Errorf("%t, %v (-want +got):\n%s", known, err, diff)
		}
	}
}

// What lies in the place of a record and is none gets nothing removed, and does
// not keep the others from being read.
func TestDamagedRecords(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		// content is that of the file, or what old is replaced by.
		content, old string
		says         string
	}{
		"empty":               {content: " ", says: "it is not a record"},
		"zeros after a crash": {content: strings.Repeat("\x00", 64), says: "it is not a record"},
		"null":                {content: "null", says: "is no kind of object"},
		"a list":              {content: "[]", says: "it is not a record"},
		"too long":            {content: `{"kind":"` + strings.Repeat("x", 20<<10) + `"}`, says: "longer than"},
		"something behind it": {old: `}`, content: `}{}`, says: "something follows"},
		"another kind":        {old: `"checkpoint"`, content: `"volume"`, says: "no kind of object"},
		"another object's":    {old: `"docker"`, content: `"microsandbox"`, says: "it is the record of"},
		"another name's":      {old: `"name":"orders"`, content: `"name":"users"`, says: "is not a capture of"},
		"no name":             {old: `"name":"orders"`, content: `"name":""`, says: "name is empty"},
		"no id":               {old: `"id":"orders@sha256:1"`, content: `"id":""`, says: "id is empty"},
		"no length":           {old: `"72h"`, content: `""`, says: "expires_after"},
		"a negative length":   {old: `"72h"`, content: `"-72h"`, says: "expires_after"},
		"no end":              {old: `"2026-07-14T12:00:00Z"`, content: `"0001-01-01T00:00:00Z"`, says: "expires_at"},
		"an end that is none": {old: `"2026-07-14T12:00:00Z"`, content: `"soon"`, says: "it is not a record"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			registry := lifetime.Open(t.TempDir())
			put(t, registry, wanted())
			file := path(t, registry)
			content := test.content
			if test.old != "" {
				good, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				content = strings.Replace(string(good), test.old, test.content, 1)
				if content == string(good) {
					t.Fatalf("%s has no %s", good, test.old)
				}
			}
			writeFile(t, file, content)
			put(t, registry, wantedContainer())

			if got, known, err := registry.Get(wanted().Object); known || err != nil {
				t.Errorf("it is read as %+v, %v", got, err)
			}
			records, damaged, err := registry.List()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]lifetime.Record{wantedContainer()}, records); diff != "" {
				t.Errorf("the list (-want +got):\n%s", diff)
			}
			if len(damaged) != 1 || !strings.HasPrefix(damaged[0], file+": ") || !strings.Contains(damaged[0], test.says) {
				t.Errorf("the damage is %q, want it to say %q", damaged, test.says)
			}
			put(t, registry, wanted())
			if _, known, err := registry.Get(wanted().Object); !known || err != nil {
				t.Errorf("after it was written again: %t, %v", known, err)
			}
		})
	}
}

func TestPutRefusesWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	registry := lifetime.Open(t.TempDir())
	record := wanted()
	record.After = "0s"
	if err := registry.Put(record); err == nil || !strings.Contains(err.Error(), "checkpoint orders") {
		t.Errorf("got %v", err)
	}
	if got := files(t, registry); len(got) > 0 {
		t.Errorf("the registry holds %v", got)
	}
}

func TestRegistryLock(t *testing.T) {
	t.Parallel()
	registry := lifetime.Open(t.TempDir())
	unlock, err := registry.Lock(t.Context(), wanted().Object)
	if err != nil {
		t.Fatal(err)
	}
	if _, held, err := registry.TryLock(wanted().Object); held || err != nil {
		t.Errorf("it is held twice: %t, %v", held, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := registry.Lock(ctx, wanted().Object); !errors.Is(err, context.Canceled) {
		t.Errorf("a wait that is cancelled ends with %v", err)
	}
	other, held, err := registry.TryLock(wantedContainer().Object)
	if !held || err != nil {
		t.Fatalf("another object's is held: %v", err)
	}
	other()
	unlock()
	if got := files(t, registry); len(got) > 0 {
		t.Errorf("the registry holds %v", got)
	}
}

// A process that is killed leaves its lock's file, and what it wrote.
func TestTidy(t *testing.T) {
	t.Parallel()
	registry := lifetime.Open(t.TempDir())
	put(t, registry, wanted())
	record := filepath.Base(path(t, registry))
	held, err := registry.Lock(t.Context(), wantedContainer().Object)
	if err != nil {
		t.Fatal(err)
	}
	defer held()
	keep := files(t, registry)

	writeFile(t, filepath.Join(registry.Dir(), "."+record+".lock"), "")
	old, young := filepath.Join(registry.Dir(), ".old.json.tmp"), filepath.Join(registry.Dir(), ".young.json.tmp")
	writeFile(t, old, "{")
	writeFile(t, young, "{")
	yesterday := time.Now().Add(-24 * time.Hour)
	if err := os.Chtimes(old, yesterday, yesterday); err != nil {
		t.Fatal(err)
	}
	if err := registry.Tidy(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(young); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(keep, files(t, registry)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

// A write that was interrupted neither hides the record nor stays.
func TestPutAfterAnInterruptedOne(t *testing.T) {
	t.Parallel()
	registry := lifetime.Open(t.TempDir())
	put(t, registry, wanted())
	file := path(t, registry)
	temp := filepath.Join(registry.Dir(), "."+filepath.Base(file)+".tmp")
	writeFile(t, temp, "{")
	if _, known, err := registry.Get(wanted().Object); !known || err != nil {
		t.Error(known, err)
	}
	put(t, registry, wanted())
	path(t, registry)
	writeFile(t, temp, "{")
	if err := registry.Delete(wanted().Object); err != nil {
		t.Fatal(err)
	}
	if got := files(t, registry); len(got) > 0 {
		t.Errorf("the registry holds %v", got)
	}
}
