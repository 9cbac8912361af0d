package orders_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
)

const ifNotSeeded = "if an earlier run has written to this copy, bring all of them back: terraform apply -var reset=$(date +%s)"

// connect returns a connection to the copy of that name, one of var.copies.
func connect(t *testing.T, name string) *pgx.Conn {
	t.Helper()
	uris, err := copies()
	if err != nil {
		t.Fatal(err)
	}
	uri, ok := uris[name]
	if !ok {
		t.Fatalf("the stack has no copy %q: add it to the variable copies, and run terraform apply", name)
	}
	db, err := pgx.Connect(t.Context(), uri)
	if err != nil {
		t.Fatalf("the copy %q does not answer: %v; terraform apply starts what does not run", name, err)
	}
	// Not t.Context(), which has ended by then.
	t.Cleanup(func() { _ = db.Close(context.Background()) })
	return db
}

// copies returns the URIs by name. Terraform is asked once, whatever the number of tests.
var copies = sync.OnceValues(func() (map[string]string, error) {
	// A test runs in the directory of its package, where the stack is.
	out, err := exec.Command(cmp.Or(os.Getenv("TERRAFORM"), "terraform"), "output", "-json").Output()
	if err != nil {
		if failed := new(exec.ExitError); errors.As(err, &failed) {
			err = fmt.Errorf("%w\n%s", err, failed.Stderr)
		}
		return nil, fmt.Errorf("terraform output -json: %w", err)
	}
	var outputs struct {
		URIs struct {
			Value map[string]string `json:"value"`
		} `json:"uris"`
	}
	if err := json.Unmarshal(out, &outputs); err != nil {
		return nil, fmt.Errorf("terraform output -json: %w", err)
	}
	if outputs.URIs.Value == nil {
		return nil, errors.New("the stack is not applied: run terraform apply in this directory, then go test")
	}
	return outputs.URIs.Value, nil
})

func count(t *testing.T, db *pgx.Conn, query string) (n int) {
	t.Helper()
	if err := db.QueryRow(t.Context(), query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
