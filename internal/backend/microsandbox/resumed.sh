#!/bin/sh
# Watches the process of a container that goes on with captured memory:
#   resumed.sh RUN PID
# The script that began RUN goes on too. It leaves the exit code, as it does in
# every run; this one ends when that is there.
run=/.rightsize/$1
echo "rightsize: run $1" >&2
while kill -0 "$2" 2>/dev/null; do
	sleep 1
done
# The other script may be just about to leave it.
for second in 1 2 3 4 5 6 7 8 9 10; do
	[ ! -e "$run.exit" ] || exit "$(cat "$run.exit")"
	sleep 1
done
exit 137
