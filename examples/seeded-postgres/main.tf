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
    image         = var.image
    env           = { POSTGRES_PASSWORD = var.password }
    exposed_ports = [5432]

    files = [{ path = "/seed", source = "${path.module}/seed" }]

    # The first boot initialises the data directory on a server of its own: only
    # the second line comes from the one that stays.
    wait_for = { log = { pattern = "ready to accept connections", times = 2 } }

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
  wait_for        = { log = { pattern = "ready to accept connections" } }
  reset_trigger   = var.reset
}
