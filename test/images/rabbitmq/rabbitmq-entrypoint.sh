#!/bin/sh
# The entrypoint of rightsize-test/rabbitmq: the programs of RabbitMQ run as user rabbitmq, with the log on the console and guest let in from
# anywhere, as in the official image. RABBITMQ_DEFAULT_USER, _PASS and _VHOST are RabbitMQ's own.
set -eu

[ $# -gt 0 ] || set -- rabbitmq-server
case $1 in rabbitmq*) ;; *) exec "$@" ;; esac
[ "$(id -u)" = 0 ] || exec "$@"
find /var/lib/rabbitmq \! -user rabbitmq -exec chown rabbitmq:rabbitmq {} +
exec setpriv --reuid rabbitmq --regid rabbitmq --init-groups "$@"
