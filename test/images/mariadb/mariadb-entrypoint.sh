#!/usr/bin/env bash
# The entrypoint of rightsize-test/mariadb. It does what people rely on in the official image: MARIADB_ROOT_PASSWORD, MARIADB_DATABASE,
# MARIADB_USER and MARIADB_PASSWORD (each also as MYSQL_..., and as ..._FILE), MARIADB_ALLOW_EMPTY_ROOT_PASSWORD, and
# /docker-entrypoint-initdb.d on first start, on a temporary server without TCP, whose log says "port: 0".
# No `set -u`: scripts of the user's are sourced.
set -eo pipefail

socket=/run/mysqld/mysqld.sock

log() { echo "$*" >&2; }

setting() { # NAME: sets MARIADB_NAME from itself, its file, or what it was called in the image's early days
  local name other
  for name in "MARIADB_$1" "MYSQL_$1"; do
    other=${name}_FILE
    if [ -n "${!name:-}" ]; then
      export "MARIADB_$1=${!name}"
      return
    elif [ -n "${!other:-}" ]; then
      export "MARIADB_$1=$(<"${!other}")"
      return
    fi
  done
}

quoted() { # TEXT: as a string of SQL
  local text=${1//\\/\\\\}
  printf "'%s'" "${text//\'/\'\'}"
}

sql() { # [ARG...]: on the temporary server, as root, who is let in by the socket until a password is set
  MYSQL_PWD=${password_set:+$MARIADB_ROOT_PASSWORD} mariadb --protocol=socket --socket="$socket" --user=root "$@"
}

accounts() { # the SQL that makes them
  local root user
  root=$(quoted "$MARIADB_ROOT_PASSWORD")
  echo "ALTER USER root@localhost IDENTIFIED BY $root;"
  echo "CREATE USER root@'%' IDENTIFIED BY $root; GRANT ALL ON *.* TO root@'%' WITH GRANT OPTION;"
  [ -z "${MARIADB_DATABASE:-}" ] || echo "CREATE DATABASE IF NOT EXISTS \`${MARIADB_DATABASE//\`/\`\`}\`;"
  if [ -n "${MARIADB_USER:-}" ] && [ -n "${MARIADB_PASSWORD:-}" ]; then
    user=$(quoted "$MARIADB_USER")
    echo "CREATE USER $user@'%' IDENTIFIED BY $(quoted "$MARIADB_PASSWORD");"
    # In a grant, an underscore stands for any character.
    [ -z "${MARIADB_DATABASE:-}" ] || {
      local database=${MARIADB_DATABASE//\`/\`\`}
      echo "GRANT ALL ON \`${database//_/\\_}\`.* TO $user@'%';"
    }
  fi
}

initialise() { # ARG...: the server's own arguments
  local name file server
  for name in ROOT_PASSWORD DATABASE USER PASSWORD ALLOW_EMPTY_ROOT_PASSWORD; do setting "$name"; done
  if [ -z "${MARIADB_ROOT_PASSWORD:-}" ] && [ -z "${MARIADB_ALLOW_EMPTY_ROOT_PASSWORD:-}" ]; then
    log "[ERROR] Database is uninitialized and password option is not specified"
    log "        You need to specify MARIADB_ROOT_PASSWORD or MARIADB_ALLOW_EMPTY_ROOT_PASSWORD"
    exit 1
  fi
  # Small files, and not synced to disk: a test has no use for what survives a power cut.
  mariadb-install-db --user=mysql --datadir=/var/lib/mysql --skip-test-db --auth-root-authentication-method=normal \
    --innodb-flush-log-at-trx-commit=0 --innodb-flush-method=nosync >/dev/null

  "$@" --skip-networking --socket="$socket" &
  server=$!
  for _ in {1..300}; do
    ! sql --execute='SELECT 1' >/dev/null 2>&1 || break
    kill -0 $server 2>/dev/null || { log "[ERROR] the temporary server ended"; exit 1; }
    sleep 0.1
  done
  sql --database=mysql < <(accounts)
  password_set=yes
  for file in /docker-entrypoint-initdb.d/*; do
    case $file in
      *.sh)
        log "$0: running $file"
        # shellcheck source=/dev/null
        if [ -x "$file" ]; then "$file"; else . "$file"; fi
        ;;
      *.sql) log "$0: running $file"; sql ${MARIADB_DATABASE:+--database="$MARIADB_DATABASE"} <"$file" ;;
      */\*) ;;
      *) log "$0: ignoring $file" ;;
    esac
  done >&2
  kill $server
  wait $server
  log
  log "MariaDB init process done. Ready for start up."
  log
}

case ${1:--} in -*) set -- mariadbd "$@" ;; esac
if [ "$1" = mariadbd ] || [ "$1" = mysqld ]; then
  for arg; do case $arg in --help | -\? | --version | -V | --verbose) exec "$@" ;; esac; done
  if [ "$(id -u)" = 0 ]; then
    mkdir -p /run/mysqld # a tmpfs over /run hides the image's
    find /var/lib/mysql /run/mysqld \! -user mysql -exec chown mysql:mysql {} +
    exec setpriv --reuid mysql --regid mysql --init-groups env HOME=/var/lib/mysql "$0" "$@"
  fi
  [ -d /var/lib/mysql/mysql ] || initialise "$@"
fi
exec "$@"
