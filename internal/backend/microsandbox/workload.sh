#!/bin/sh
# Runs the process that a container is made for, in the guest:
#   workload.sh RUN COMMAND...
# RUN names the run. In a directory of the host are left RUN.pid with its process
# id, and RUN.exit with its exit code when it has ended; RUN.oom beside that if
# the kernel killed it for want of memory, and RUN.missing if there was no such
# command.
run=/.rightsize/$1
shift
end() {
	echo "$1" >"$run.ending"
	mv "$run.ending" "$run.exit"
	exit "$1"
}
# A shell finds a path that is no program, too.
if case $1 in
	*/*) [ ! -f "$1" ] || [ ! -x "$1" ] ;;
	*) ! command -v "$1" >/dev/null 2>&1 ;;
	esac
then
	: >"$run.missing"
	end 127
fi
# Tells the lines of this run from what other commands print.
echo "rightsize: run ${run##*/}" >&2
# A shell of its own, for its process id, which it hands on. Not one in the
# background: that would have its interrupts ignored.
/bin/sh -c 'echo "$$" >"$0.pid"; exec "$@"' "$run" "$@"
code=$?
# Why it was killed the kernel tells nobody else. Its log is that of this boot,
# in which no other process had this id.
if [ "$code" -eq 137 ] && dmesg 2>/dev/null | grep -qi "out of memory: killed process $(cat "$run.pid") "; then
	: >"$run.oom"
fi
end "$code"
