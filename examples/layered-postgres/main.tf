# Three checkpoints, each on top of the one before: the schema, the reference
# data, and one for each tenant. Only the first boots a database from an image.

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
  # Whatever starts from a checkpoint finds its data directory initialised, and
  # says once that it is ready.
  restored = { log = { pattern = "ready to accept connections" } }
  psql     = ["psql", "-U", "postgres", "-v", "ON_ERROR_STOP=1"]
}

resource "rightsize_checkpoint" "schema" {
  name = "${var.name}-schema"

  seed = {
    image         = var.image
    env           = { POSTGRES_PASSWORD = var.password }
    exposed_ports = [5432]
    files         = [{ path = "/sql/schema.sql", source = "${path.module}/sql/schema.sql" }]
    wait_for      = { log = { pattern = "ready to accept connections", times = 2 } }
    exec          = [{ command = concat(local.psql, ["-f", "/sql/schema.sql"]) }]
  }
}

resource "rightsize_checkpoint" "reference" {
  name    = "${var.name}-reference"
  flatten = var.flatten

  seed = {
    from_checkpoint = rightsize_checkpoint.schema.id # password and ports come with it
    files           = [{ path = "/sql/reference.sql", source = "${path.module}/sql/reference.sql" }]
    wait_for        = local.restored
    exec            = [{ command = concat(local.psql, ["-f", "/sql/reference.sql"]) }]
  }
}

resource "rightsize_checkpoint" "tenant" {
  for_each = var.tenants
  name     = "${var.name}-${each.key}"

  seed = {
    from_checkpoint = rightsize_checkpoint.reference.id
    files           = [{ path = "/sql/tenant.sql", source = "${path.module}/sql/tenant.sql" }]
    wait_for        = local.restored
    exec            = [{ command = concat(local.psql, ["-v", "tenant=${each.key}", "-v", "orders=${each.value}", "-f", "/sql/tenant.sql"]) }]
  }
}

resource "rightsize_container" "tenant" {
  for_each        = var.tenants
  name            = "${var.name}-${each.key}"
  from_checkpoint = rightsize_checkpoint.tenant[each.key].id
  wait_for        = local.restored
}
