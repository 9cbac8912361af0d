package docker

import (
	"context"
	"time"

	cerrdefs "github.com/containerd/errdefs"
)

// The pauses between the attempts of a request: four seconds in all, in which an
// engine that is restarted is back.
const (
	firstPause = 100 * time.Millisecond
	lastPause  = 2700 * time.Millisecond
	pauseRatio = 3
)

// again makes a request, and makes it again if the connection to the engine
// breaks meanwhile. It is for requests that come to the same when they are made
// twice. Of one that makes something nobody knows, when its answer is lost,
// whether it has made it: such a request is made once, and its caller looks.
func again[T any](ctx context.Context, request func() (T, error)) (T, error) {
	for pause := firstPause; ; pause *= pauseRatio {
		answer, err := request()
		if err == nil || !isDisconnect(err) || pause > lastPause {
			return answer, err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return answer, err
		}
	}
}

// againErr is again for a request that has no answer but an error.
func againErr(ctx context.Context, request func() error) error {
	_, err := again(ctx, func() (struct{}, error) { return struct{}{}, request() })
	return err
}

// lingering makes a request that an engine finishes although nobody waits for it
// any more. When ctx ends, the answer still has the time of grace to arrive, so
// that the caller learns what was made, and can remove it.
func lingering[T any](ctx context.Context, grace time.Duration, request func(context.Context) (T, error)) (T, error) {
	if err := ctx.Err(); err != nil {
		var none T
		return none, err
	}
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(grace, cancel) })
	defer stop()
	return request(longer)
}

const (
	imageAttempts = 5
	imageBackoff  = 100 * time.Millisecond
)

// unhindered makes a request for images, and makes it again if the engine
// stumbles over another one that removes some at the same time. Of two
// removals that prune the same parent at once, the engine (20.10) fails one with
// 500, "unrecognized image ID", for the parent that the other has just pruned.
func unhindered(ctx context.Context, request func() error) error {
	for attempt := 1; ; attempt++ {
		err := request()
		if !cerrdefs.IsInternal(err) || attempt == imageAttempts {
			return err
		}
		select {
		case <-time.After(time.Duration(attempt) * imageBackoff):
		case <-ctx.Done():
			return err
		}
	}
}
