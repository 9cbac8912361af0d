package readiness_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rightsize/terraform-provider-rightsize/internal/readiness"
)

// fakeTarget is a container whose every answer a test can choose. Left alone,
// it runs for ever, writes nothing, and fails what it was not told to expect.
type fakeTarget struct {
	wait    func(context.Context) (readiness.Exit, error)
	healthy func(context.Context) error
	logs    func(context.Context, int) (io.ReadCloser, error)
	follow  func(context.Context) (io.ReadCloser, error)
	exec    func(context.Context, []string) (int, []byte, error)
	ports   map[string]string
}

var errUnexpected = errors.New("unexpected call")

func (f *fakeTarget) Wait(ctx context.Context) (readiness.Exit, error) {
	if f.wait == nil {
		<-ctx.Done()
		return readiness.Exit{}, ctx.Err()
	}
	return f.wait(ctx)
}

func (f *fakeTarget) WaitHealthy(ctx context.Context) error {
	if f.healthy == nil {
		return errUnexpected
	}
	return f.healthy(ctx)
}

func (f *fakeTarget) Logs(ctx context.Context, tail int) (io.ReadCloser, error) {
	if f.logs == nil {
		return io.NopCloser(strings.NewReader("")), nil
	}
	return f.logs(ctx, tail)
}

func (f *fakeTarget) Follow(ctx context.Context) (io.ReadCloser, error) {
	if f.follow == nil {
		return nil, errUnexpected
	}
	return f.follow(ctx)
}

func (f *fakeTarget) Exec(ctx context.Context, command []string) (int, []byte, error) {
	if f.exec == nil {
		return 0, nil, errUnexpected
	}
	return f.exec(ctx, command)
}

func (f *fakeTarget) Address(port string) (string, bool) {
	addr, ok := f.ports[port]
	return addr, ok
}

// exitsAfter is a process that ends like this after a while.
func exitsAfter(d time.Duration, exit readiness.Exit) func(context.Context) (readiness.Exit, error) {
	end := time.Now().Add(d)
	return func(ctx context.Context) (readiness.Exit, error) {
		select {
		case <-time.After(time.Until(end)):
			return exit, nil
		case <-ctx.Done():
			return readiness.Exit{}, ctx.Err()
		}
	}
}

// exitsWhen is a process that ends like this when told to.
func exitsWhen(told <-chan struct{}, exit readiness.Exit) func(context.Context) (readiness.Exit, error) {
	return func(ctx context.Context) (readiness.Exit, error) {
		select {
		case <-told:
			return exit, nil
		case <-ctx.Done():
			return readiness.Exit{}, ctx.Err()
		}
	}
}

// writes is a log that has this text at once and then stays open, as that of a
// running process does.
func writes(text string) func(context.Context) (io.ReadCloser, error) {
	return func(context.Context) (io.ReadCloser, error) {
		r, w := io.Pipe()
		go func() { _, _ = io.WriteString(w, text) }()
		return r, nil
	}
}

// wrote is the log of a process that has ended.
func wrote(text string) func(context.Context) (io.ReadCloser, error) {
	return func(context.Context) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }
}

// tail answers Logs with a text.
func tail(text string) func(context.Context, int) (io.ReadCloser, error) {
	return func(context.Context, int) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }
}

// exits answers Exec with these exit codes in turn, and with the last for ever.
func exits(output string, codes ...int) func(context.Context, []string) (int, []byte, error) {
	var calls atomic.Int64
	return func(context.Context, []string) (int, []byte, error) {
		n := int(calls.Add(1)) - 1
		return codes[min(n, len(codes)-1)], []byte(output), nil
	}
}

// timedOut is the error of a plan that must end at its deadline.
func timedOut(t *testing.T, err error) *readiness.TimeoutError {
	t.Helper()
	timeout, ok := errors.AsType[*readiness.TimeoutError](err)
	if !ok {
		t.Fatalf("got error %v, want a *TimeoutError", err)
	}
	return timeout
}
