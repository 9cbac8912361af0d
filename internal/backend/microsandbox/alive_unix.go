//go:build unix

package microsandbox

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// hold takes the lock that says that the workload is alive. The file is handed
// on to the process that runs it: the lock holds until that has ended, however
// it ended, and whoever it was that started it.
func (rec *record) hold(ctx context.Context) (*os.File, error) {
	file, err := os.OpenFile(filepath.Join(rec.dir, aliveFile), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	// Whoever asks whether the workload is alive holds it for an instant.
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return file, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			file.Close()
			return nil, err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			file.Close()
			return nil, ctx.Err()
		}
	}
}

// alive says whether the workload runs.
func (rec *record) alive() bool {
	file, err := os.Open(filepath.Join(rec.dir, aliveFile))
	if err != nil {
		return false
	}
	defer file.Close()
	return errors.Is(syscall.Flock(int(file.Fd()), syscall.LOCK_SH|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}
