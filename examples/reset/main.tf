# A database to work in, whose changes a reset takes back. What it takes back is
# kept, and can be looked at in a database beside it.

terraform {
  required_version = ">= 1.5"

  required_providers {
    rightsize = {
      source = "rightsize/rightsize"
    }
  }
}

provider "rightsize" {}

resource "rightsize_checkpoint" "notes" {
  name = var.name

  seed = {
    image  = var.image
    env    = { POSTGRES_PASSWORD = var.password }
    preset = "postgres"
    exec   = [{ command = ["psql", "-U", "postgres", "-v", "ON_ERROR_STOP=1", "-c", "CREATE TABLE notes AS SELECT 'as seeded' AS body"] }]
  }
}

resource "rightsize_container" "work" {
  name              = "${var.name}-work"
  from_checkpoint   = rightsize_checkpoint.notes.id
  preset            = "postgres"
  reset_trigger     = var.reset
  save_before_reset = local.saved
}

# What was there before the last reset, once there was one.
data "rightsize_checkpoint" "saved" {
  count = var.look_back ? 1 : 0
  name  = local.saved
}

resource "rightsize_container" "before" {
  count           = var.look_back ? 1 : 0
  name            = "${var.name}-before"
  from_checkpoint = data.rightsize_checkpoint.saved[0].id
  preset          = "postgres"
}

locals {
  saved = "${var.name}-before-reset"
}
