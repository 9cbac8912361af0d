//go:build unix

package msb

import (
	"os"
	"syscall"
)

// platformVariables are further variables msb needs on this platform.
var platformVariables []string

// workingDir is a directory that nobody needs to remove or unmount.
const workingDir = "/"

func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}

func ownSession() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true}
}

func terminateGroup(leader *os.Process) error {
	return syscall.Kill(-leader.Pid, syscall.SIGTERM)
}

func killGroup(leader *os.Process) error {
	return syscall.Kill(-leader.Pid, syscall.SIGKILL)
}

// signalledExit is the exit code that a shell reports for a process that a
// signal ended.
func signalledExit(state *os.ProcessState) int {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return state.ExitCode()
}
