package fake

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// Always makes a failure last until the test ends.
const Always = -1

type failure struct {
	err   error
	times int
}

type faults struct {
	mu     sync.Mutex
	before map[Method][]*failure
	after  map[Method][]*failure
	hooks  map[Method][]func(context.Context, Call) error
	gates  map[Method][]chan struct{}
}

// Fail makes the next calls of a method fail with err, which does no work then.
// Failures of one method are used up in the order in which they were added.
func (b *Backend) Fail(method Method, err error, times int) {
	mustExist(method)
	b.faults.mu.Lock()
	defer b.faults.mu.Unlock()
	b.faults.before = add(b.faults.before, method, &failure{err: err, times: times})
}

// FailAfter makes the next calls of a method that succeed return err although
// their work is done, as when the engine's answer is lost.
func (b *Backend) FailAfter(method Method, err error, times int) {
	mustExist(method)
	b.faults.mu.Lock()
	defer b.faults.mu.Unlock()
	b.faults.after = add(b.faults.after, method, &failure{err: err, times: times})
}

// Hook runs fn at the beginning of every call of a method. An error fails the
// call. fn may use the backend.
func (b *Backend) Hook(method Method, fn func(ctx context.Context, call Call) error) {
	mustExist(method)
	b.faults.mu.Lock()
	defer b.faults.mu.Unlock()
	b.faults.hooks = add(b.faults.hooks, method, fn)
}

// Block holds every call of a method at its beginning until it is released or
// its context ends. [Backend.AwaitCalls] tells when one has arrived. Calling
// release again does nothing.
func (b *Backend) Block(method Method) (release func()) {
	mustExist(method)
	gate := make(chan struct{})
	b.faults.mu.Lock()
	defer b.faults.mu.Unlock()
	b.faults.gates = add(b.faults.gates, method, gate)
	return func() { b.faults.release(method, gate) }
}

func (f *faults) release(method Method, gate chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	gates := f.gates[method]
	if i := slices.Index(gates, gate); i >= 0 {
		f.gates[method] = slices.Delete(slices.Clone(gates), i, i+1)
		close(gate)
	}
}

func (f *faults) releaseAll() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for gates := range maps.Values(f.gates) {
		for _, gate := range gates {
			close(gate)
		}
	}
	f.gates = nil
}

// begin opens a method: it records the call, lets hooks run, holds it at a
// gate and fails it on demand. The caller defers end with its error.
func (b *Backend) begin(ctx context.Context, call Call) (end func(*error), err error) {
	b.recorder.record(call)

	b.faults.mu.Lock()
	hooks, gates := b.faults.hooks[call.Method], b.faults.gates[call.Method]
	b.faults.mu.Unlock()
	for _, hook := range hooks {
		if err := hook(ctx, call); err != nil {
			return nil, err
		}
	}
	for _, gate := range gates {
		select {
		case <-gate:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}

	b.mu.Lock()
	unavailable, tried := b.unavailable || b.closed, b.tried("call %s", call.Method)
	b.mu.Unlock()
	if unavailable {
		return nil, &backend.Error{Kind: backend.ErrUnavailable, Tried: tried, Remedy: "Start the engine."}
	}
	if err := b.faults.nextBefore(call.Method); err != nil {
		return nil, err
	}
	return func(err *error) {
		if *err == nil {
			*err = b.faults.nextAfter(call.Method)
		}
	}, nil
}

func (f *faults) nextBefore(method Method) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return next(f.before[method])
}

func (f *faults) nextAfter(method Method) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return next(f.after[method])
}

// next uses up one of the failures.
func next(failures []*failure) error {
	for _, failure := range failures {
		if failure.times == 0 {
			continue
		}
		if failure.times > 0 {
			failure.times--
		}
		return failure.err
	}
	return nil
}

func add[T any](to map[Method][]T, method Method, value T) map[Method][]T {
	if to == nil {
		to = make(map[Method][]T)
	}
	to[method] = append(slices.Clone(to[method]), value)
	return to
}
