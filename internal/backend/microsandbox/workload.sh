#!/bin/sh
# Runs the process that a container is made for, in the guest:
#   workload.sh RUN COMMAND...
# RUN names the run. Beside it, in a directory of the host, are left RUN.pid
# while the process runs, and RUN.exit with its exit code when it has ended;
# RUN.missing instead of both if there is no such command.
run=/.rightsize/$1
shift
if ! command -v "$1" >/dev/null 2>&1; then
	echo missing >"$run.missing"
	exit 127
fi
# Tells the lines of this run from what other commands print.
echo "rightsize: run ${run##*/}" >&2
# A shell of its own, for its process id, which it hands on. Not one in the
# background: that would have its interrupts ignored.
/bin/sh -c 'echo "$$" >"$0.pid"; exec "$@"' "$run" "$@"
code=$?
echo "$code" >"$run.ending"
mv "$run.ending" "$run.exit"
exit "$code"
