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
  psql = ["psql", "-U", "postgres", "-v", "ON_ERROR_STOP=1"]
}

resource "rightsize_checkpoint" "schema" {
  name = "${var.name}-schema"

  seed = {
    image  = var.image
    env    = { POSTGRES_PASSWORD = var.password }
    preset = "postgres"
    files  = [{ path = "/sql/schema.sql", source = "${path.module}/sql/schema.sql" }]
    exec   = [{ command = concat(local.psql, ["-f", "/sql/schema.sql"]) }]
  }
}

resource "rightsize_checkpoint" "reference" {
  name    = "${var.name}-reference"
  flatten = var.flatten

  seed = {
    from_checkpoint = rightsize_checkpoint.schema.id # password and ports come with it
    files           = [{ path = "/sql/reference.sql", source = "${path.module}/sql/reference.sql" }]
    preset          = "postgres"
    exec            = [{ command = concat(local.psql, ["-f", "/sql/reference.sql"]) }]
  }
}

resource "rightsize_checkpoint" "tenant" {
  for_each = var.tenants
  name     = "${var.name}-${each.key}"

  seed = {
    from_checkpoint = rightsize_checkpoint.reference.id
    files           = [{ path = "/sql/tenant.sql", source = "${path.module}/sql/tenant.sql" }]
    preset          = "postgres"
    exec            = [{ command = concat(local.psql, ["-v", "tenant=${each.key}", "-v", "orders=${each.value}", "-f", "/sql/tenant.sql"]) }]
  }
}

resource "rightsize_container" "tenant" {
  for_each        = var.tenants
  name            = "${var.name}-${each.key}"
  from_checkpoint = rightsize_checkpoint.tenant[each.key].id
  preset          = "postgres"
}
