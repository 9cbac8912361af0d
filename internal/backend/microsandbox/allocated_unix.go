//go:build unix

package microsandbox

import (
	"io/fs"
	"syscall"
)

// blockSize is the unit in which the system counts what a file takes.
const blockSize = 512

// allocated is what a file takes: a disk is mostly holes.
func allocated(info fs.FileInfo) int64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return stat.Blocks * blockSize
	}
	return info.Size()
}
