package docker

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/pkg/stdcopy"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// Logs returns what the container's process wrote.
func (b *Backend) Logs(ctx context.Context, id string, opts backend.LogOptions) (io.ReadCloser, error) {
	api, err := b.api(ctx)
	if err != nil {
		return nil, err
	}
	info, err := b.inspect(ctx, id)
	if err != nil {
		return nil, err
	}
	logs, err := api.ContainerLogs(ctx, info.ID, container.LogsOptions{
		ShowStdout: true,
		ShowStderr: true,
		Follow:     opts.Follow,
		Tail:       tailParameter(opts.Tail),
		Since:      sinceParameter(opts.Since),
	})
	if err != nil {
		return nil, b.fail("read the logs of container "+id, err)
	}
	if info.Config.Tty {
		// A terminal has one stream already.
		return logs, nil
	}
	return demultiplex(logs), nil
}

func tailParameter(lines int) string {
	if lines <= 0 {
		return "all"
	}
	return strconv.Itoa(lines)
}

// sinceParameter keeps the nanoseconds: a container that restarts writes its
// first lines within the second in which it wrote its last ones.
func sinceParameter(since time.Time) string {
	if since.IsZero() {
		return ""
	}
	return fmt.Sprintf("%d.%09d", since.Unix(), since.Nanosecond())
}

// demuxedLogs is a log whose two streams are merged.
type demuxedLogs struct {
	*io.PipeReader
	source io.Closer
	done   chan struct{}
}

func demultiplex(source io.ReadCloser) *demuxedLogs {
	r, w := io.Pipe()
	logs := &demuxedLogs{PipeReader: r, source: source, done: make(chan struct{})}
	go func() {
		defer close(logs.done)
		_, err := stdcopy.StdCopy(w, w, source)
		w.CloseWithError(err)
	}()
	return logs
}

// Close ends the stream, and returns when nothing reads from the engine any
// more.
func (l *demuxedLogs) Close() error {
	_ = l.PipeReader.Close()
	err := l.source.Close()
	<-l.done
	return err
}
