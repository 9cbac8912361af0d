# A database that you work in by hand, a save point of it as it runs, and a copy
# that starts from the save point.

terraform {
  required_version = ">= 1.5"

  required_providers {
    rightsize = {
      source = "rightsize/rightsize"
    }
  }
}

provider "rightsize" {}

resource "rightsize_container" "work" {
  name   = "${var.name}-work"
  image  = var.image
  env    = { POSTGRES_PASSWORD = var.password }
  preset = "postgres"
  exec   = [{ command = ["psql", "-U", "postgres", "-v", "ON_ERROR_STOP=1", "-c", "CREATE TABLE notes (id integer PRIMARY KEY, body text)"] }]
}

# Captured while it runs, so that a restore finds the data as after a power cut
# and PostgreSQL replays its log. The database is paused for the capture, not
# stopped.
resource "rightsize_checkpoint" "save_point" {
  name         = var.name
  container_id = rightsize_container.work.container_id
  triggers     = { save_point = var.save_point }
}

resource "rightsize_container" "copy" {
  name            = "${var.name}-copy"
  from_checkpoint = rightsize_checkpoint.save_point.id
  preset          = "postgres"
}
