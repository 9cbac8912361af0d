#!/usr/bin/env bash
# The entrypoint of rightsize-test/postgres. It does what people rely on in the official image: POSTGRES_USER, POSTGRES_PASSWORD, POSTGRES_DB,
# POSTGRES_INITDB_ARGS, POSTGRES_HOST_AUTH_METHOD (the first four also as ..._FILE), PGDATA, and /docker-entrypoint-initdb.d on first start.
# No `set -u`: scripts of the user's are sourced.
set -eo pipefail

log() { echo "$*" >&2; }

from_file() { # VAR [DEFAULT]: VAR_FILE names a file with VAR's value
  local file=$1_FILE value=${!1:-}
  if [ -n "${!file:-}" ]; then
    [ -z "$value" ] || { log "error: both $1 and $file are set (but are exclusive)"; exit 1; }
    value=$(<"${!file}")
    unset "$file"
  fi
  export "$1=${value:-${2:-}}"
}

sql() { # [ARG...]: on the temporary server, which trusts its socket only if the auth method does: hence the password
  PGHOST='' PGHOSTADDR='' PGPASSWORD=$POSTGRES_PASSWORD \
    psql --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --no-password --no-psqlrc "$@"
}

initialise() { # ARG...: the server's own arguments
  from_file POSTGRES_PASSWORD
  from_file POSTGRES_USER postgres
  from_file POSTGRES_DB "$POSTGRES_USER"
  from_file POSTGRES_INITDB_ARGS
  local method=${POSTGRES_HOST_AUTH_METHOD:-} file
  if [ -z "$POSTGRES_PASSWORD" ] && [ "$method" != trust ]; then
    log "Error: Database is uninitialized and superuser password is not specified."
    log "       You must specify POSTGRES_PASSWORD to a non-empty value for the superuser, or POSTGRES_HOST_AUTH_METHOD=trust."
    exit 1
  fi

  # Not synced to disk: a test has no use for what survives a power cut.
  # shellcheck disable=SC2086 # several arguments in one variable is that variable's contract
  initdb --no-sync --username="$POSTGRES_USER" --pwfile=<(printf '%s\n' "$POSTGRES_PASSWORD") $POSTGRES_INITDB_ARGS >&2
  printf '\nhost all all all %s\n' "${method:-$(postgres -C password_encryption "${@:2}")}" >>"$PGDATA/pg_hba.conf"

  # No TCP yet: whoever waits for the port must not find a server that is about to stop.
  pg_ctl -w start -o "$(printf '%q ' "${@:2}" -c listen_addresses= -p "${PGPORT:-5432}")" >&2
  [ "$POSTGRES_DB" = postgres ] ||
    sql --dbname postgres --set db="$POSTGRES_DB" <<<'CREATE DATABASE :"db";' >&2
  for file in /docker-entrypoint-initdb.d/*; do
    case $file in
      *.sh)
        log "$0: running $file"
        # shellcheck source=/dev/null
        if [ -x "$file" ]; then "$file"; else . "$file"; fi
        ;;
      *.sql) log "$0: running $file"; sql --dbname "$POSTGRES_DB" --file "$file" ;;
      *.sql.gz) log "$0: running $file"; gunzip -c "$file" | sql --dbname "$POSTGRES_DB" ;;
      */\*) ;;
      *) log "$0: ignoring $file" ;;
    esac
  done >&2
  pg_ctl -m fast -w stop >&2
  log
  log "PostgreSQL init process complete; ready for start up."
  log
}

case ${1:--} in -*) set -- postgres "$@" ;; esac
if [ "$1" = postgres ]; then
  for arg; do case $arg in --help | -\? | --version | -V | --describe-config) exec "$@" ;; esac; done
  mkdir -p "$PGDATA"
  chmod 700 "$PGDATA" 2>/dev/null || true # another user's directory: postgres itself says what is wrong with it
  if [ "$(id -u)" = 0 ]; then
    mkdir -p /run/postgresql # a tmpfs over /run hides the image's
    chmod 3777 /run/postgresql
    find "$PGDATA" /run/postgresql \! -user postgres -exec chown postgres:postgres {} +
    exec setpriv --reuid postgres --regid postgres --init-groups env HOME=/var/lib/postgresql "$0" "$@"
  fi
  if [ -s "$PGDATA/PG_VERSION" ]; then
    log
    log "PostgreSQL Database directory appears to contain a database; Skipping initialization"
    log
  else
    initialise "$@"
  fi
fi
exec "$@"
