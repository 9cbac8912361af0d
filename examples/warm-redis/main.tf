# A Redis that keeps its data in memory alone, captured as it runs: its copies go
# on with the data, which is on no disk.

terraform {
  required_version = ">= 1.5"

  required_providers {
    rightsize = {
      source = "rightsize/rightsize"
    }
  }
}

provider "rightsize" {
  backend = var.backend

  # Memory takes msb 0.7, which needs a home that no msb 0.6 uses.
  microsandbox = {
    version = "0.7.2"
    home    = var.home
  }
}

resource "rightsize_checkpoint" "sessions" {
  name = var.name

  seed = {
    image           = var.image
    command         = ["redis-server", "--save", "", "--appendonly", "no"]
    exposed_ports   = [6379]
    memory_limit_mb = 256
    warm            = true
    wait_for        = { port = 6379, exec = { command = ["redis-cli", "ping"] } }

    exec = [
      # redis-cli exits with 0 whatever Redis answers: count what arrived.
      { command = ["sh", "-c", "redis-cli mset session:1 ada session:2 grace session:3 edsger && test \"$(redis-cli dbsize)\" = 3"] },
    ]
  }
}

resource "rightsize_container" "sessions" {
  count = 2

  name            = "${var.name}-${count.index + 1}"
  from_checkpoint = rightsize_checkpoint.sessions.id
  reset_trigger   = var.reset
}
