package filelock_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rightsize/terraform-provider-rightsize/internal/filelock"
)

// The test binary runs itself to be another process. roleEnv says what that
// process does with its arguments.
const (
	roleEnv   = "FILELOCK_TEST_ROLE"
	roleCount = "count" // lock file, counter file, rounds
	roleHold  = "hold"  // lock file
)

func TestMain(m *testing.M) {
	var err error
	switch role := os.Getenv(roleEnv); role {
	case "":
		os.Exit(m.Run())
	case roleCount:
		var rounds int
		if rounds, err = strconv.Atoi(os.Args[3]); err == nil {
			err = count(os.Args[1], os.Args[2], rounds)
		}
	case roleHold:
		err = hold(os.Args[1])
	default:
		err = fmt.Errorf("unknown role %q", role)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// count adds to the number in a file from several goroutines, in a way that
// loses additions unless the lock excludes everybody else.
func count(lockFile, counter string, rounds int) error {
	const goroutines = 3
	errs := make(chan error, goroutines)
	var group sync.WaitGroup
	for range goroutines {
		group.Go(func() {
			for range rounds {
				if err := addOne(lockFile, counter); err != nil {
					errs <- err
					return
				}
			}
		})
	}
	group.Wait()
	close(errs)
	return <-errs
}

func addOne(lockFile, counter string) error {
	unlock, err := filelock.Lock(context.Background(), lockFile)
	if err != nil {
		return err
	}
	defer unlock()
	data, err := os.ReadFile(counter)
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(string(data))
	if err != nil {
		return err
	}
	return os.WriteFile(counter, []byte(strconv.Itoa(n+1)), 0o600)
}

// hold takes the lock, says so, and keeps it until its input ends.
func hold(lockFile string) error {
	if _, err := filelock.Lock(context.Background(), lockFile); err != nil {
		return err
	}
	fmt.Println("held")
	_, err := io.Copy(io.Discard, os.Stdin)
	return err
}

func command(t *testing.T, role string, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe, args...)
	cmd.Env = append(os.Environ(), roleEnv+"="+role)
	return cmd
}

// startHolder starts a process that holds the lock by the time it returns.
func startHolder(t *testing.T, lockFile string) *exec.Cmd {
	t.Helper()
	cmd := command(t, roleHold, lockFile)
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil || strings.TrimSpace(line) != "held" {
		t.Fatalf("holder answered %q, %v", line, err)
	}
	return cmd
}
