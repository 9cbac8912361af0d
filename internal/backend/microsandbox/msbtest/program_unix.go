//go:build unix

package msbtest

import "syscall"

func leadsGroup() bool { return syscall.Getpgrp() == syscall.Getpid() }
