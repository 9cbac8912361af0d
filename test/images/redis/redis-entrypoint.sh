#!/bin/sh
# The entrypoint of rightsize-test/redis: redis-server as user redis, reachable from outside like the official image's, whose build turns
# protected mode off. Any other command runs as it is.
set -eu

# Only options, or a configuration file: the server is meant.
case ${1:--} in -* | *.conf) set -- redis-server "$@" ;; esac
[ "$1" = redis-server ] || exec "$@"
shift
case ${1:-} in
  --version | -v | --help | -h) ;;
  -* | '') set -- --protected-mode no "$@" ;;
  *) conf=$1; shift; set -- "$conf" --protected-mode no "$@" ;;
esac
[ "$(id -u)" = 0 ] || exec redis-server "$@"
find . \! -user redis -exec chown redis:redis {} +
exec setpriv --reuid redis --regid redis --init-groups redis-server "$@"
