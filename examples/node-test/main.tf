# A Redis with sessions in it, and a copy of it for each group of tests that
# writes, so that they can run side by side.

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
    image  = var.image
    preset = "redis"
    files  = [{ path = "/seed/sessions.redis", source = "${path.module}/sessions.redis" }]

    exec = [
      # redis-cli exits with 0 whatever Redis answers: count what arrived.
      { command = ["sh", "-c", "redis-cli </seed/sessions.redis && test \"$(redis-cli dbsize)\" = 3"] },
      { command = ["redis-cli", "save"] },
    ]
  }
}

resource "rightsize_container" "sessions" {
  for_each = var.copies

  name            = "${var.name}-${each.key}"
  from_checkpoint = rightsize_checkpoint.sessions.id
  preset          = "redis"
  reset_trigger   = var.reset
}
