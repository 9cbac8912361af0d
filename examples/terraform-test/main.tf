# A copy of a seeded database, migrated. tests/ says what must come of its rows.

terraform {
  required_version = ">= 1.5"

  required_providers {
    rightsize = {
      source = "rightsize/rightsize"
    }
  }
}

provider "rightsize" {}

locals {
  psql       = ["psql", "-U", "postgres", "-X", "-At", "-v", "ON_ERROR_STOP=1"]
  migrations = [for file in sort(fileset("${path.module}/migrations", "*.sql")) : file("${path.module}/migrations/${file}")]
}

resource "rightsize_container" "orders" {
  name            = var.name
  from_checkpoint = var.checkpoint
  preset          = "postgres"
  reset_trigger   = sha256(join("\n", local.migrations)) # other migrations begin with the seeded rows again
}

# All in one transaction: a migration that fails leaves nothing half done.
resource "rightsize_exec" "migrate" {
  container_id = rightsize_container.orders.container_id
  command      = concat(local.psql, ["--single-transaction", "-c", join("\n", local.migrations)])
}

# What the rows are after it.
resource "rightsize_exec" "query" {
  for_each = {
    customers = "SELECT count(*) FROM customers"
    orphans   = "SELECT count(*) FROM orders LEFT JOIN customers ON customers.id = customer_id WHERE customers.id IS NULL"
  }

  container_id = rightsize_container.orders.container_id
  command      = concat(local.psql, ["-c", each.value])
  triggers     = { after = rightsize_exec.migrate.id }
}
