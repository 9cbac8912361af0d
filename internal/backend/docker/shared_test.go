package docker

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
)

func TestSharedCallersShareOneAttempt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var (
			s        shared[int]
			attempts int
			release  = make(chan struct{})
			group    sync.WaitGroup
			got      [3]int
		)
		for i := range got {
			group.Go(func() {
				got[i], _ = s.do(t.Context(), "k", func(context.Context) (int, error) {
					attempts++
					<-release
					return 7, nil
				})
			})
		}
		synctest.Wait()
		close(release)
		group.Wait()

		if attempts != 1 || got != [3]int{7, 7, 7} {
			t.Errorf("%d attempts returned %v, want one attempt for all", attempts, got)
		}
	})
}

func TestSharedKeepsNothing(t *testing.T) {
	t.Parallel()
	var s shared[int]
	failure := errors.New("not yet")
	if _, err := s.do(t.Context(), "k", func(context.Context) (int, error) { return 0, failure }); !errors.Is(err, failure) {
		t.Fatalf("got %v, want %v", err, failure)
	}
	got, err := s.do(t.Context(), "k", func(context.Context) (int, error) { return 1, nil })
	if got != 1 || err != nil {
		t.Errorf("the next attempt returned %d, %v", got, err)
	}
}

func TestSharedOneCallerGivesUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var (
			s          shared[int]
			release    = make(chan struct{})
			first, end = context.WithCancel(t.Context())
			firstErr   error
			second     int
			group      sync.WaitGroup
			try        = func(ctx context.Context) (int, error) {
				select {
				case <-release:
					return 1, nil
				case <-ctx.Done():
					return 0, ctx.Err()
				}
			}
		)
		group.Go(func() { _, firstErr = s.do(first, "k", try) })
		synctest.Wait()
		group.Go(func() { second, _ = s.do(t.Context(), "k", try) })
		synctest.Wait()
		end()
		synctest.Wait()
		close(release)
		group.Wait()

		if !errors.Is(firstErr, context.Canceled) {
			t.Errorf("the caller that gave up got %v", firstErr)
		}
		if second != 1 {
			t.Error("the other caller failed with it")
		}
	})
}

func TestSharedLastCallerCancelsAttempt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var (
			s         shared[int]
			ctx, end  = context.WithCancel(t.Context())
			cancelled bool
			linger    = make(chan struct{})
		)
		go func() {
			_, _ = s.do(ctx, "k", func(ctx context.Context) (int, error) {
				<-ctx.Done()
				cancelled = true
				<-linger // an engine that takes its time to notice
				return 0, ctx.Err()
			})
		}()
		synctest.Wait()
		end()
		synctest.Wait()
		if !cancelled {
			t.Fatal("the attempt went on with nobody waiting")
		}

		got, err := s.do(t.Context(), "k", func(context.Context) (int, error) { return 2, nil })
		if got != 2 || err != nil {
			t.Errorf("a later caller got %d, %v, not an attempt of its own", got, err)
		}
		close(linger)
	})
}
