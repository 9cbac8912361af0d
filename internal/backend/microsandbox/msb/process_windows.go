package msb

import (
	"os"
	"syscall"
)

// platformVariables are further variables msb needs on this platform.
var platformVariables = []string{"SYSTEMROOT", "USERPROFILE", "LOCALAPPDATA", "APPDATA", "TEMP", "TMP"}

// detachedProcess is DETACHED_PROCESS, a process without a console.
const detachedProcess = 0x00000008

// workingDir is a directory that nobody needs to remove or unmount.
var workingDir = os.Getenv("SystemRoot")

func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

func ownSession() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP | detachedProcess}
}

// terminateGroup kills: the platform has no signal that asks.
func terminateGroup(leader *os.Process) error { return leader.Kill() }

func killGroup(leader *os.Process) error { return leader.Kill() }

func signalledExit(state *os.ProcessState) int { return state.ExitCode() }
