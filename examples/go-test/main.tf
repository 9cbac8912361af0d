# A PostgreSQL that is seeded once, and a copy of it for each test that writes, so
# that tests can run side by side and each finds the seeded rows.

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
    preset = "postgres"
    files  = [{ path = "/seed/schema.sql", source = "${path.module}/schema.sql" }]
    exec   = [{ command = ["psql", "-U", "postgres", "-v", "ON_ERROR_STOP=1", "-f", "/seed/schema.sql"] }]
  }
}

resource "rightsize_container" "orders" {
  for_each = var.copies

  name            = "${var.name}-${each.key}"
  from_checkpoint = rightsize_checkpoint.orders.id
  preset          = "postgres"
  reset_trigger   = var.reset
}
