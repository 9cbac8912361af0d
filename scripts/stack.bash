# shellcheck shell=bash
# Sourced by the scripts beside it: Terraform with the provider of this tree, and readers of what it started.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

die() { printf "${0##*/}: %s\n" "$@" >&2; exit 1; }

# Nothing that the caller's shell sets for other stacks may change what happens here.
unset TF_CLI_ARGS TF_WORKSPACE TF_DATA_DIR TF_LOG
export TF_IN_AUTOMATION=1 TF_INPUT=0 CHECKPOINT_DISABLE=1 RIGHTSIZE_BACKEND=docker

find_terraform() { # sets tf
  tf=${TF_ACC_TERRAFORM_PATH:-$(command -v terraform || command -v tofu || true)}
  [ -n "$tf" ] || die "neither terraform nor tofu is on the PATH" \
    "install Terraform 1.5 or newer (https://developer.hashicorp.com/terraform/install) or OpenTofu (https://opentofu.org/docs/intro/install)," \
    "or set TF_ACC_TERRAFORM_PATH to one"
  command -v "$tf" >/dev/null || die "TF_ACC_TERRAFORM_PATH=$tf is not a program"
}

need_go() {
  command -v go >/dev/null || die "no go on the PATH: the provider is built from source, with Go 1.26 or newer (https://go.dev/doc/install)"
}

build_provider() { # DIR: builds the provider of this tree into DIR/bin
  need_go
  local out
  out=$(cd "$root" && go build -o "$1/bin/terraform-provider-rightsize" . 2>&1) || die "go build failed:" "$out"
}

use_provider() { # DIR: has Terraform take the provider from DIR/bin
  cat >"$1/terraformrc" <<HCL
provider_installation {
  dev_overrides {
    "rightsize/rightsize" = "$1/bin"
  }
  direct {}
}
HCL
  export TF_CLI_CONFIG_FILE=$1/terraformrc
}

# Says whether this Terraform, or OpenTofu, has what came with a minor version of it, and that something is left out if not.
since() { # WHAT TERRAFORM [OPENTOFU]
  local name version minor
  read -r name version < <("$tf" version)
  minor=$(printf '%s' "$version" | cut -d . -f 2)
  if [ "$minor" -ge "$([ "$name" = OpenTofu ] && printf '%s' "${3:-999}" || printf '%s' "$2")" ]; then
    return 0
  fi
  printf 'skip  %s: %s %s does not know it\n' "$1" "$name" "$version"
  return 1
}

outputs() { # NAME: the elements of an output of the stack in the working directory, separated by spaces
  "$tf" output -json "$1" | tr -d '[]" \n' | tr , ' '
}

get_program() { # PROGRAM PACKAGE: where it is not there and can be had
  ! command -v "$1" >/dev/null || return 0
  if [ "$(id -u)" = 0 ] && grep -qE '^ID=(debian|ubuntu)$' /etc/os-release 2>/dev/null; then
    local get=(env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install "$2")
    "${get[@]}" >/dev/null 2>&1 </dev/null || { apt-get -qq update && "${get[@]}"; } >/dev/null 2>&1 </dev/null || true
  fi
}

install_psql() { get_program psql postgresql-client; } # what query needs

need_node() {
  get_program node nodejs
  local version
  version=$(node --version 2>/dev/null) || die "no node on the PATH: install Node.js 18 or newer (https://nodejs.org/en/download)"
  version=${version#v}
  [ "${version%%.*}" -ge 18 ] || die "Node.js $version has no test runner: install 18 or newer (https://nodejs.org/en/download)"
}

query() { # IMAGE PORT SQL: over TCP, through the published port, with the password in PGPASSWORD
  local psql=(psql -X -qAt -v ON_ERROR_STOP=1 -h 127.0.0.1 -p "$2" -U postgres -c "$3")
  if command -v psql >/dev/null; then
    "${psql[@]}"
  else
    docker run --rm --network host -e PGPASSWORD --entrypoint psql "$1" "${psql[@]:1}"
  fi
}
