# A PostgreSQL that is migrated and seeded once, kept as a checkpoint, and three
# ordinary containers that start from it with all rows in place.

terraform {
  required_version = ">= 1.5"

  required_providers {
    rightsize = {
      source = "rightsize/rightsize"
    }
  }
}

provider "rightsize" {}

resource "rightsize_checkpoint" "orders" {
  name = var.name

  seed = {
    image  = var.image
    env    = { POSTGRES_PASSWORD = var.password }
    preset = "postgres" # the port, and when the server is ready
    files  = [{ path = "/seed", source = "${path.module}/seed" }]

    exec = [
      { command = ["psql", "-U", "postgres", "-v", "ON_ERROR_STOP=1", "-f", "/seed/schema.sql"] },
      { command = ["psql", "-U", "postgres", "-v", "ON_ERROR_STOP=1", "-v", "rows=${var.rows}", "-f", "/seed/rows.sql"] },
    ]
  }
}

resource "rightsize_container" "orders" {
  count = var.copies

  name            = "${var.name}-${count.index + 1}"
  from_checkpoint = rightsize_checkpoint.orders.id # password, command and ports come with it
  preset          = "postgres"
  reset_trigger   = var.reset
}
