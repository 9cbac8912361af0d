# A Redis with keys in it, ready when it answers a command rather than when its
# port is open.

terraform {
  required_version = ">= 1.5"

  required_providers {
    rightsize = {
      source = "rightsize/rightsize"
    }
  }
}

provider "rightsize" {}

resource "rightsize_checkpoint" "sessions" {
  name = var.name

  seed = {
    image         = var.image
    exposed_ports = [6379]
    files         = [{ path = "/seed/sessions.redis", source = "${path.module}/sessions.redis" }]
    wait_for      = { port = 6379, exec = { command = ["redis-cli", "ping"] } }

    exec = [
      # redis-cli exits with 0 whatever Redis answers: count what arrived.
      { command = ["sh", "-c", "redis-cli </seed/sessions.redis && test \"$(redis-cli dbsize)\" = 3"] },
      { command = ["redis-cli", "save"] },
    ]
  }
}

resource "rightsize_container" "sessions" {
  name            = "${var.name}-1"
  from_checkpoint = rightsize_checkpoint.sessions.id
}
