package docker

import (
	"context"
	"sync"
)

// shared lets concurrent callers that ask for the same thing share one attempt.
// Nothing is kept once the attempt has ended: the next caller tries afresh, so
// that an answer is never older than its question's attempt.
//
// It differs from x/sync/singleflight in what cancellation means: a caller that
// gives up does not fail the others, and the attempt is cancelled when the last
// one has given up, so that an interrupted pull does not go on unattended.
type shared[T any] struct {
	mu       sync.Mutex
	attempts map[string]*attempt[T]
}

type attempt[T any] struct {
	waiting int
	cancel  context.CancelFunc
	done    chan struct{}
	value   T
	err     error
}

// do returns the result of the attempt that runs for key, and starts one with
// try if there is none.
func (s *shared[T]) do(ctx context.Context, key string, try func(context.Context) (T, error)) (T, error) {
	if err := ctx.Err(); err != nil {
		var none T
		return none, err
	}

	s.mu.Lock()
	a, running := s.attempts[key]
	if !running {
		a = s.start(ctx, key, try)
	}
	a.waiting++
	s.mu.Unlock()

	select {
	case <-a.done:
		return a.value, a.err
	case <-ctx.Done():
		s.leave(key, a)
		var none T
		return none, ctx.Err()
	}
}

// start runs try detached from the first caller's cancellation. The caller
// holds the lock.
func (s *shared[T]) start(ctx context.Context, key string, try func(context.Context) (T, error)) *attempt[T] {
	detached, cancel := context.WithCancel(context.WithoutCancel(ctx))
	a := &attempt[T]{cancel: cancel, done: make(chan struct{})}
	if s.attempts == nil {
		s.attempts = make(map[string]*attempt[T])
	}
	s.attempts[key] = a

	go func() {
		defer cancel()
		a.value, a.err = try(detached)
		s.mu.Lock()
		s.forget(key, a)
		s.mu.Unlock()
		close(a.done)
	}()
	return a
}

// leave cancels the attempt when nobody waits for it any more, and forgets it
// at once: a later caller must not be handed the cancellation.
func (s *shared[T]) leave(key string, a *attempt[T]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a.waiting--
	if a.waiting == 0 {
		a.cancel()
		s.forget(key, a)
	}
}

func (s *shared[T]) forget(key string, a *attempt[T]) {
	if s.attempts[key] == a {
		delete(s.attempts, key)
	}
}
