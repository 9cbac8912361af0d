# A database that is migrated while it runs, an answer that is read back from it,
# and a dump of it on this host.

terraform {
  required_version = ">= 1.5"

  required_providers {
    rightsize = {
      source = "rightsize/rightsize"
    }
  }
}

provider "rightsize" {}

resource "rightsize_container" "database" {
  name          = var.name
  image         = var.image
  env           = { POSTGRES_PASSWORD = var.password }
  preset        = "postgres"
  reset_trigger = var.reset
}

locals {
  psql = ["psql", "-U", "postgres", "-v", "ON_ERROR_STOP=1", "-At", "-c"]
}

# Runs again when the SQL changes, after what on_destroy takes back, and in the
# fresh database after a reset. The container is the same one all the time.
resource "rightsize_exec" "migrate" {
  container_id = rightsize_container.database.container_id
  command      = concat(local.psql, [file("${path.module}/migrations/up.sql")])

  on_destroy = {
    command = concat(local.psql, [file("${path.module}/migrations/down.sql")])
  }
}

resource "rightsize_exec" "count" {
  container_id = rightsize_container.database.container_id
  command      = concat(local.psql, ["SELECT count(*) FROM notes"])
  triggers     = { after = rightsize_exec.migrate.id }
}

resource "rightsize_exec" "dump" {
  container_id = rightsize_container.database.container_id
  command      = ["pg_dump", "-U", "postgres", "--inserts", "--file", "/notes.sql"]
  user         = "root"
  triggers     = { after = rightsize_exec.migrate.id }
}

resource "rightsize_file_copy" "dump" {
  container_id = rightsize_container.database.container_id
  path         = "/notes.sql"
  destination  = "${path.module}/notes.sql"
  triggers     = { after = rightsize_exec.dump.id }
}
